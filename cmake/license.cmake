# copy_license(FILE COPY): copy a license that a Debian package installs. Images for containers may lack it.

function(copy_license file copy)
  if(NOT EXISTS ${file})
    # /usr/share/doc/PACKAGE may be a link to the folder of another package.
    cmake_path(GET file PARENT_PATH folder)
    set(packages base-files)
    if(file MATCHES "/doc/([^/]+)/copyright$")
      set(packages ${CMAKE_MATCH_1})
      if(IS_SYMLINK ${folder})
        file(READ_SYMLINK ${folder} target)
        cmake_path(GET target FILENAME target)
        string(APPEND packages " ${target}")
      endif()
    endif()
    message(FATAL_ERROR "There is no ${file}, a license that has to be packed. If dpkg leaves such files out, remove "
                        "the lines with path-exclude from /etc/dpkg/dpkg.cfg.d and run: "
                        "apt-get install --reinstall ${packages}")
  endif()
  configure_file(${file} ${copy} COPYONLY)
endfunction()
