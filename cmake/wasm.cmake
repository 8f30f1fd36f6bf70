# The libraries of a build for WebAssembly, which Debian has as sources only. tools/setup wasm unpacks
# them into build/source-packages.

set(packages ${PROJECT_SOURCE_DIR}/build/source-packages)
if(NOT EXISTS ${packages}/utf8proc OR NOT EXISTS ${packages}/jansson OR NOT EXISTS ${packages}/zlib)
  message(FATAL_ERROR "The sources of the libraries are missing. Please run: tools/setup wasm")
endif()

add_compile_options(-msimd128)

# add_package(NAME FOLDER SOURCE...)
function(add_package name folder)
  list(TRANSFORM ARGN PREPEND ${packages}/${folder}/ OUTPUT_VARIABLE sources)
  add_library(wasm_${name} STATIC ${sources})
  target_compile_options(wasm_${name} PRIVATE -w)
  target_include_directories(wasm_${name} SYSTEM PUBLIC ${packages}/${folder})
endfunction()

add_package(utf8proc utf8proc utf8proc.c)
target_compile_definitions(wasm_utf8proc PUBLIC UTF8PROC_STATIC)

add_package(jansson jansson/src dump.c error.c hashtable.c hashtable_seed.c load.c memory.c
            pack_unpack.c strbuffer.c strconv.c utf.c value.c version.c)
set(config ${PROJECT_BINARY_DIR}/jansson)
set(json_inline inline)
set(json_have_long_long 1)
set(json_have_localeconv 1)
set(json_have_atomic_builtins 1)
set(json_have_sync_builtins 1)
configure_file(${packages}/jansson/src/jansson_config.h.in ${config}/jansson_config.h @ONLY)
target_include_directories(wasm_jansson SYSTEM PUBLIC ${config})
target_compile_definitions(wasm_jansson PRIVATE HAVE_CONFIG_H HAVE_STDINT_H)
file(WRITE ${config}/jansson_private_config.h
     "#define HAVE_STDINT_H 1\n#define HAVE_SYS_TYPES_H 1\n#define INITIAL_HASHTABLE_ORDER 3\n")

add_package(zlib zlib adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c)

add_library(PkgConfig::UTF8PROC ALIAS wasm_utf8proc)
add_library(PkgConfig::JANSSON ALIAS wasm_jansson)
add_library(PkgConfig::ZLIB ALIAS wasm_zlib)
