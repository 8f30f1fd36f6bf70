# Debian packages, one for each component: `cmake --workflow --preset packages` writes them to
# build/packages.
#
#   elman         the command, its page and completions, documents, sentence pairs; the playground with ELMAN_WASM
#   libelman0     the shared library
#   libelman-dev  what programs are built with: header, static library, pkg-config, CMake, examples
#   python3-elman the modules for Python
#
# finish.cmake changes the installed files to what Debian requires; cmake/debian contains its texts. Two builds
# give the same bytes.

get_target_property(soversion ${ELMAN_SHARED} SOVERSION)
set(ELMAN_MAINTAINER "The elman authors <maintainers@users.noreply.a-seed-0ef45b0d.example>"
    CACHE STRING "Maintainer of the packages")

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT ${ELMAN_MAINTAINER})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has a summary of its own
set(CPACK_COMPONENTS_ALL command library development python)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE elman)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The command, programs of users and the modules for Python need the library of the same version.
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_COMMAND_DEPENDS library)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_COMPONENT_PYTHON_DEPENDS library)

set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME elman)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
# rsvg-convert of librsvg2-bin draws PNG and PDF.
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "librsvg2-bin, libelman-dev")
# `elman serve` loads libmicrohttpd when it starts.
if(TARGET PkgConfig::MICROHTTPD)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "libmicrohttpd12 | libmicrohttpd12t64")
endif()
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "${PROJECT_DESCRIPTION}
elman trains recurrent networks on sentence pairs of any two languages,
translates with them, and shows their attention weights. A training run gives
the same model, byte for byte, for any number of threads.
.
This package contains the command, its documents, and sentence pairs as
examples.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libelman${soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
# elman has threads of its own, so every build of OpenBLAS is suitable; this one is Debian's
# default.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libopenblas0-pthread | libopenblas0")
# `corpus convert` loads libzip for zip archives.
if(TARGET PkgConfig::LIBZIP)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libzip4 | libzip4t64")
endif()
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "${PROJECT_DESCRIPTION} (library)
libelman trains recurrent networks on sentence pairs, translates with them, and
gives the attention weights of the decoder.
.
This package contains the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libelman-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The dependencies of the static library, which pkg-config always requires.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libopenblas-dev, libutf8proc-dev, libjansson-dev, zlib1g-dev")
if(TARGET PkgConfig::EXPAT)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libexpat1-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "pkg-config, libgfortran-12-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "${PROJECT_DESCRIPTION} (development)
libelman trains recurrent networks on sentence pairs, translates with them, and
gives the attention weights of the decoder.
.
This package contains the header, the static library, the files for pkg-config
and CMake, and examples.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-elman)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
# These scripts compile the modules to bytecode after installation, and remove the bytecode before
# removal.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/python/postinst
                                              ${CMAKE_CURRENT_LIST_DIR}/debian/python/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy")
# The package of the command has data files; elman_torch needs PyTorch.
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "elman, python3-torch")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "${PROJECT_DESCRIPTION} (Python)
The module elman trains recurrent networks on sentence pairs, translates with
them, and gives attention weights as NumPy arrays.
.
This package contains the modules elman and, for PyTorch, elman_torch.")

# Only the command is linked with readline.
set(COMMAND_NOTE "")
if(TARGET PkgConfig::READLINE)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/debian/readline COMMAND_NOTE)
endif()
if(ELMAN_WASM)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/debian/playground note)
  string(APPEND COMMAND_NOTE "${note}")
endif()
if(COMMAND_NOTE)
  string(PREPEND COMMAND_NOTE "Comment:\n")
endif()
set(DEBIAN_DIR ${PROJECT_BINARY_DIR}/debian)
configure_file(cmake/debian/copyright.in ${DEBIAN_DIR}/copyright @ONLY)
configure_file(cmake/debian/changelog.in ${DEBIAN_DIR}/changelog.Debian @ONLY)
configure_file(CHANGELOG.md ${DEBIAN_DIR}/changelog COPYONLY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  list(APPEND names ${component}=${package})
  configure_file(cmake/debian/${component}.lintian ${DEBIAN_DIR}/overrides/${package} @ONLY)
endforeach()
configure_file(cmake/debian/finish.cmake.in ${DEBIAN_DIR}/finish.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${DEBIAN_DIR}/finish.cmake)
configure_file(cmake/debian/members.cmake.in ${DEBIAN_DIR}/members.cmake @ONLY)
set(CPACK_POST_BUILD_SCRIPTS ${DEBIAN_DIR}/members.cmake)

include(CPack)
