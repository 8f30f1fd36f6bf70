# Protections against memory errors that the compiler and the linker add, as Debian's
# hardening-check requires. The test `hardening` checks the programs. A protection that the compiler
# does not support is left out.

set(control_flow -fcf-protection)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(control_flow -mbranch-protection=standard)
endif()
foreach(flag -fstack-protector-strong -fstack-clash-protection ${control_flow})
  string(MAKE_C_IDENTIFIER HAS${flag} has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    target_compile_options(elman_flags INTERFACE ${flag})
  endif()
endforeach()
target_compile_options(elman_flags INTERFACE -Wformat -Werror=format-security)
# _FORTIFY_SOURCE, which checks sizes of buffers, needs optimization; sanitizers have checks of
# their own.
if(NOT ELMAN_SANITIZE AND NOT ELMAN_SANITIZE_THREADS)
  target_compile_options(
    elman_flags INTERFACE $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
endif()
target_link_options(elman_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
if(NOT ELMAN_STATIC) # a static program has -static-pie instead
  target_link_options(elman_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
endif()
