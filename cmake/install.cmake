# Install the libraries, the headers, the license, documents, sentence pairs, and the files by which
# pkg-config and find_package(elman) find the library. tools/cli installs the command and its files.
# packages.cmake makes a package of each component.

include(CMakePackageConfigHelpers)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/elman)

install(TARGETS elman_library EXPORT elman-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY tests/stranger/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(EXPORT elman-targets NAMESPACE elman:: DESTINATION ${PACKAGE_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command PATTERN *.1 EXCLUDE)
install(FILES README.md README.zh-CN.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(FILES data/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/data COMPONENT command)
install(DIRECTORY data DESTINATION ${CMAKE_INSTALL_DATADIR}/elman COMPONENT command
        PATTERN *.md EXCLUDE)

# The target `docs` makes the reference of the library; with ELMAN_DOCS, every build makes it.
configure_file(cmake/reference/Doxyfile.in reference/Doxyfile @ONLY)
add_custom_target(docs COMMAND ${PROJECT_SOURCE_DIR}/cmake/reference/make
                               ${PROJECT_BINARY_DIR}/reference/Doxyfile VERBATIM)
if(ELMAN_DOCS)
  find_package(Doxygen)
  if(DOXYGEN_FOUND)
    set_target_properties(docs PROPERTIES EXCLUDE_FROM_ALL FALSE)
  else()
    message(NOTICE "There is no Doxygen, so what is installed lacks the library's reference")
  endif()
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

if(BUILD_SHARED_LIBS)
  install(TARGETS elman_static)
endif()

# The modules for Python load the shared library of the system or, with ELMAN_WHEEL, the one in
# their own folder.
set(ELMAN_PYTHON_DIR ${CMAKE_INSTALL_DATADIR}/elman/python CACHE STRING "Folder of the modules for Python")
if(ELMAN_WHEEL)
  set(ELMAN_PYTHON_DIR .)
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME python)
if(BUILD_SHARED_LIBS OR ELMAN_WHEEL)
  install(DIRECTORY python/elman DESTINATION ${ELMAN_PYTHON_DIR} PATTERN __pycache__ EXCLUDE)
  install(FILES python/elman_torch.py DESTINATION ${ELMAN_PYTHON_DIR})
  install(DIRECTORY include/ DESTINATION ${ELMAN_PYTHON_DIR}/elman/include)
endif()
# Metadata for pip and importlib.metadata; the build backend adds it to wheels.
find_program(ELMAN_PYTHON python3)
if(BUILD_SHARED_LIBS AND ELMAN_PYTHON)
  file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/python)
  execute_process(COMMAND ${ELMAN_PYTHON} -B -c "import elman_build; elman_build.write_metadata('${PROJECT_BINARY_DIR}/python')"
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/wheel RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    message(NOTICE "${ELMAN_PYTHON} is older than 3.11, so pip will not list the installed modules")
  else()
    install(DIRECTORY ${PROJECT_BINARY_DIR}/python/ DESTINATION ${ELMAN_PYTHON_DIR})
  endif()
endif()
if(ELMAN_WHEEL)
  install(PROGRAMS $<TARGET_FILE:${ELMAN_SHARED}> DESTINATION elman RENAME libelman.so)
  install(DIRECTORY data DESTINATION elman PATTERN *.md EXCLUDE)
endif()
if(ELMAN_STATIC_PARTS)
  configure_file(cmake/wheel/parts.cmake.in parts.cmake @ONLY)
  install(SCRIPT ${PROJECT_BINARY_DIR}/parts.cmake)
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

configure_package_config_file(cmake/elman-config.cmake.in ${PROJECT_BINARY_DIR}/elman-config.cmake
                              INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/elman-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/elman-config.cmake
              ${PROJECT_BINARY_DIR}/elman-config-version.cmake DESTINATION ${PACKAGE_DIR})

# `cmake --install --prefix` may change the prefix, and the installed tree may be moved. elman.pc
# therefore finds the prefix from its own place, and names directories relative to the prefix.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(PKG_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH PKG_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" PKG_PREFIX "\${pcfiledir}/${PKG_PREFIX}")
endif()
foreach(directory LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${directory}})
    set(PKG_${directory} ${CMAKE_INSTALL_${directory}})
  else()
    set(PKG_${directory} \${prefix}/${CMAKE_INSTALL_${directory}})
  endif()
endforeach()
# If only the static library is built, a program must also link the libraries that it needs. They
# are public here, because `pkg-config --static` would also name a static OpenBLAS and its Fortran
# library.
if(BUILD_SHARED_LIBS)
  set(PKG_PRIVATE .private)
  set(PKG_PUBLIC_LIBS "")
else()
  set(PKG_PRIVATE "")
  set(PKG_PUBLIC_LIBS " -pthread -lm")
endif()
set(PKG_BLAS "")
if(ELMAN_OPENBLAS)
  set(PKG_BLAS "openblas ")
endif()
set(PKG_EXPAT "")
if(TARGET PkgConfig::EXPAT)
  set(PKG_EXPAT " expat")
endif()
configure_file(cmake/elman.pc.in ${PROJECT_BINARY_DIR}/elman.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/elman.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
