# One file for any Linux: `cmake --workflow --preset archive` (archive-arm64 for 64-bit ARM) writes
# elman-VERSION-linux-ARCH.tar.gz to its build folder. The archive contains the static command with
# its documents, the licenses of the libraries in the command, a list of these parts (SPDX), and a
# Containerfile.

string(REPLACE amd64 x86_64 architecture ${CMAKE_SYSTEM_PROCESSOR})
set(ARCHIVE_NAME elman-${PROJECT_VERSION}-linux-${architecture})
set(ARCHIVE_MAP ${PROJECT_BINARY_DIR}/elman.map)
target_link_options(elman PRIVATE LINKER:-Map=${ARCHIVE_MAP})
configure_file(cmake/archive/make.cmake.in archive/make.cmake @ONLY)
add_custom_target(
  archive ALL
  COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/archive/make.cmake
  DEPENDS elman elman_library
  COMMENT "Packing ${ARCHIVE_NAME}.tar.gz"
  VERBATIM)
