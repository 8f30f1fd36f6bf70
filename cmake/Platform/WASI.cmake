# CMake 3.25 has no file for the platform WASI. The toolchain file sets all that CMake needs.
