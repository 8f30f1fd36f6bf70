# libmicrohttpd for a static program, which cannot load a shared library. Debian's static
# libmicrohttpd needs GnuTLS, which needs p11-kit, of which Debian has no static version.
# Therefore this file builds one without TLS from Debian's source (tools/setup wasm).

set(MICROHTTPD_SOURCE ${PROJECT_SOURCE_DIR}/build/source-packages/libmicrohttpd)
if(NOT EXISTS ${MICROHTTPD_SOURCE}/configure)
  message(FATAL_ERROR "The source of libmicrohttpd is missing. Please run: tools/setup wasm. "
                      "Or build without `elman serve`: -DELMAN_SERVE=OFF")
endif()

# configure writes MHD_config.h, which describes the C library.
set(build ${PROJECT_BINARY_DIR}/microhttpd)
if(NOT EXISTS ${build}/config.status)
  set(host "")
  if(CMAKE_CROSSCOMPILING)
    set(host --host=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
  endif()
  set(sysroot "")
  if(CMAKE_SYSROOT)
    set(sysroot --sysroot=${CMAKE_SYSROOT})
  endif()
  message(STATUS "Configuring libmicrohttpd")
  file(MAKE_DIRECTORY ${build})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} "CFLAGS=-O2 ${sysroot}" ${MICROHTTPD_SOURCE}/configure --quiet
            ${host} --disable-https --disable-bauth --disable-dauth --disable-httpupgrade --disable-postprocessor
            --disable-doc --disable-examples --disable-curl
    WORKING_DIRECTORY ${build} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()

# The library calls MHD_queue_response for its own answers, too. The program defines this function to replace them
# (tools/cli/serve/microhttpd.c), and calls the function of the library by another name.
set(folder ${MICROHTTPD_SOURCE}/src/microhttpd)
set(definition "enum MHD_Result\nMHD_queue_response (")
file(READ ${folder}/connection.c code)
string(FIND "${code}" "${definition}" place)
if(place LESS 0)
  message(FATAL_ERROR "${folder}/connection.c defines no MHD_queue_response")
endif()
string(REPLACE "${definition}" "enum MHD_Result\nMHD_queue_response_of_library (" code "${code}")
file(CONFIGURE OUTPUT ${build}/connection.c CONTENT "${code}" @ONLY)

set(sources reason_phrase.c daemon.c internal.c memorypool.c mhd_mono_clock.c sysfdsetsize.c mhd_str.c mhd_send.c
            mhd_sockets.c mhd_itc.c mhd_compat.c response.c mhd_threads.c)
list(TRANSFORM sources PREPEND ${folder}/)
add_library(microhttpd STATIC ${build}/connection.c ${sources})
target_compile_options(microhttpd PRIVATE -w)
# Messages of the library name its source files. The folders of these files must not change the bytes of the
# program.
target_compile_definitions(microhttpd PRIVATE BUILDING_MHD_LIB=1 "__FILE__=\"libmicrohttpd\"")
target_include_directories(microhttpd PRIVATE ${build} ${folder})
target_include_directories(microhttpd SYSTEM PUBLIC ${MICROHTTPD_SOURCE}/src/include)
target_link_libraries(microhttpd PUBLIC Threads::Threads PRIVATE elman_flags)
add_library(PkgConfig::MICROHTTPD ALIAS microhttpd)
