# CMake 3.25 does not know WASI. The toolchain file sets all that it needs.
