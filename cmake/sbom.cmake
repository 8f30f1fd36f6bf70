# The list of parts of an archive or a package, as SPDX 2.3 in JSON: its files with checksums, and the libraries
# that the command contains or needs. The scripts that make packages on Debian include this file.
#
#   sbom_add_library(PATH SYSROOT RELATIONSHIP)   a file of a library; sets SBOM_NAME and SBOM_COPYRIGHT
#   sbom_add_needed(PROGRAM READELF COMPILER SYSROOT)   the libraries that PROGRAM loads, but for elman's own
#   sbom_add_source(NAME LICENSE HOME RELATIONSHIP)     a library that is built from Debian's source
#   sbom_add_playground(RELATIONSHIP)             the libraries of the module for WebAssembly
#   sbom_write(NAME VERSION LICENSE FOLDER FILE)  writes FOLDER/FILE about all other files of FOLDER, and forgets
#                                                 the libraries

# NAME|files|license|home page. A library without a row is an error, so that none is left out.
set(SBOM_LIBRARIES
    "openblas|libopenblas[a-z]*|BSD-3-Clause|https://www.openblas.net/"
    "utf8proc|libutf8proc|MIT AND Unicode-DFS-2015|https://juliastrings.github.io/utf8proc/"
    "jansson|libjansson|MIT|https://www.digip.org/jansson/"
    "zlib|libz|Zlib|https://zlib.net/"
    "expat|libexpat|MIT|https://libexpat.github.io/"
    "glibc|libc|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "glibc|libc_nonshared|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "glibc|libm|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "glibc|libm-2[.][0-9]*|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "glibc|libmvec|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "glibc|ld-linux[a-z0-9_-]*|LGPL-2.1-or-later|https://www.gnu.org/software/libc/"
    "gcc|libgcc|GPL-3.0-or-later WITH GCC-exception-3.1|https://gcc.gnu.org/"
    "gcc|libgcc_eh|GPL-3.0-or-later WITH GCC-exception-3.1|https://gcc.gnu.org/"
    "gcc|libgcc_s|GPL-3.0-or-later WITH GCC-exception-3.1|https://gcc.gnu.org/"
    "readline|libreadline|GPL-3.0-or-later|https://tiswww.case.edu/php/chet/readline/rltop.html"
    "ncurses|libtinfo|X11-distribute-modifications-variant|https://invisible-island.net/ncurses/"
    "openmpi|libmpi|BSD-3-Clause|https://www.open-mpi.org/"
    "libmicrohttpd|libmicrohttpd|LGPL-2.1-or-later|https://www.gnu.org/software/libmicrohttpd/")

# The date of all packed files, in seconds; a fixed date makes the bytes reproducible.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} 1795305600) # the day of version 0.1.0
endif()
set(SBOM_EPOCH $ENV{SOURCE_DATE_EPOCH})

find_program(SBOM_QUERY dpkg-query)

# sbom_ask(VARIABLE DATABASE ARGUMENT...): what dpkg-query prints, or nothing.
function(sbom_ask variable database)
  if(NOT SBOM_QUERY)
    message(FATAL_ERROR "There is no dpkg-query, which names the packages of libraries. Archives and packages are "
                        "built on Debian")
  endif()
  execute_process(COMMAND ${SBOM_QUERY} --admindir=${database} ${ARGN}
                  OUTPUT_VARIABLE printed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${variable} "${printed}" PARENT_SCOPE)
endfunction()

# sbom_add_part(NAME PACKAGE DATABASE LICENSE HOME RELATIONSHIP): a library that Debian's package contains.
function(sbom_add_part name package database license home relationship)
  sbom_ask(printed ${database} -W -f "\${Architecture} \${Version}\n" ${package})
  sbom_describe(${name} ${package} "${printed}" "${license}" ${home} ${relationship})
endfunction()

# The version is unknown if the source is not here, because a playground may have been built
# elsewhere.
function(sbom_add_source name license home relationship)
  set(printed "")
  set(changelog ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../build/source-packages/${name}/debian/changelog)
  if(EXISTS ${changelog})
    file(STRINGS ${changelog} printed LIMIT_COUNT 1)
    string(REGEX REPLACE "^[^ ]+ [(]([^)]+)[)].*" "source \\1" printed "${printed}")
  endif()
  sbom_describe(${name} ${name} "${printed}" "${license}" ${home} ${relationship})
endfunction()

# sbom_describe(NAME PACKAGE "ARCHITECTURE VERSION" LICENSE HOME RELATIONSHIP)
function(sbom_describe name package printed license home relationship)
  get_property(names GLOBAL PROPERTY SBOM_NAMES)
  if(name IN_LIST names)
    return()
  endif()
  set(version "")
  set(locator pkg:deb/debian/${package})
  string(REGEX REPLACE ":[a-z0-9]*$" "" locator "${locator}")
  if(printed MATCHES "^([^ \n]+) ([^ \n]+)")
    set(version "\n   \"versionInfo\": \"${CMAKE_MATCH_2}\",")
    set(locator "${locator}@${CMAKE_MATCH_2}?arch=${CMAKE_MATCH_1}")
    string(REPLACE "+" "%2B" locator "${locator}")
  endif()
  string(CONFIGURE [[,
  {"SPDXID": "SPDXRef-${name}",
   "name": "${name}",${version}
   "supplier": "Organization: Debian",
   "downloadLocation": "NOASSERTION",
   "filesAnalyzed": false,
   "homepage": "${home}",
   "licenseConcluded": "NOASSERTION",
   "licenseDeclared": "${license}",
   "copyrightText": "NOASSERTION",
   "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                     "referenceLocator": "${locator}"}]}]] part)
  string(CONFIGURE [[,
  {"spdxElementId": "SPDXRef-Package", "relationshipType": "${relationship}", "relatedSpdxElement": "SPDXRef-${name}"}]]
         link)
  set_property(GLOBAL APPEND PROPERTY SBOM_NAMES ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY SBOM_PARTS "${part}")
  set_property(GLOBAL APPEND_STRING PROPERTY SBOM_LINKS "${link}")
endfunction()

function(sbom_add_library path sysroot relationship)
  get_filename_component(file ${path} NAME)
  set(name "")
  foreach(row IN LISTS SBOM_LIBRARIES)
    string(REGEX MATCH "^(.*)[|](.*)[|](.*)[|](.*)$" row "${row}")
    if(file MATCHES "^${CMAKE_MATCH_2}[.](a|so)[.0-9]*$")
      string(REGEX REPLACE "^(.*)[|](.*)[|](.*)[|](.*)$" "\\1;\\3;\\4" row "${row}")
      list(GET row 0 name)
      list(GET row 1 license)
      list(GET row 2 home)
      break()
    endif()
  endforeach()
  if(name STREQUAL "")
    message(FATAL_ERROR "cmake/sbom.cmake has no row for the library ${path}; add one with its license")
  endif()

  # The database of the sysroot names the package of a library in the sysroot; the database of this
  # system names the package of a library of the cross compiler.
  file(REAL_PATH ${path} real)
  set(root "")
  if(NOT sysroot STREQUAL "")
    file(REAL_PATH ${sysroot} sysroot)
    string(FIND ${real} ${sysroot}/ place)
    if(place EQUAL 0)
      set(root ${sysroot})
      string(REPLACE ${sysroot}/ / real ${real})
    endif()
  endif()
  string(REGEX REPLACE "^/usr" "" short ${real})
  sbom_ask(owner ${root}/var/lib/dpkg -S ${real} ${short})
  if(NOT owner MATCHES "^([^:, \n]+)(:[^, \n]*)?:")
    message(FATAL_ERROR "No Debian package has the file ${path}, so its version and license are not known")
  endif()
  set(package ${CMAKE_MATCH_1})
  sbom_add_part(${name} ${package}${CMAKE_MATCH_2} ${root}/var/lib/dpkg "${license}" ${home} ${relationship})
  set(SBOM_NAME ${name} PARENT_SCOPE)
  set(SBOM_COPYRIGHT ${root}/usr/share/doc/${package}/copyright PARENT_SCOPE)
endfunction()

function(sbom_add_needed program readelf compiler sysroot)
  execute_process(COMMAND ${readelf} -dW ${program} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "NEEDED[^\n]*" needed "${needed}")
  foreach(library IN LISTS needed)
    string(REGEX REPLACE ".*: .(.*).$" "\\1" library "${library}")
    if(NOT library MATCHES "^libelman")
      execute_process(COMMAND ${compiler} -print-file-name=${library} OUTPUT_VARIABLE path
                      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      sbom_add_library(${path} "${sysroot}" DYNAMIC_LINK)
    endif()
  endforeach()
endfunction()

function(sbom_add_playground relationship)
  # The module for WebAssembly is built from the sources of these packages.
  sbom_add_source(utf8proc "MIT AND Unicode-DFS-2015" https://juliastrings.github.io/utf8proc/ ${relationship})
  sbom_add_source(jansson MIT https://www.digip.org/jansson/ ${relationship})
  sbom_add_source(zlib Zlib https://zlib.net/ ${relationship})
  sbom_add_part(wasi-libc wasi-libc /var/lib/dpkg "MIT AND BSD-2-Clause AND Apache-2.0 WITH LLVM-exception"
                https://github.com/WebAssembly/wasi-libc ${relationship})
  sbom_add_part(compiler-rt libclang-rt-14-dev-wasm32 /var/lib/dpkg "Apache-2.0 WITH LLVM-exception"
                https://compiler-rt.llvm.org/ ${relationship})
  sbom_add_part(qrcode-generator node-qrcode-generator /var/lib/dpkg MIT
                https://github.com/kazuhikoarase/qrcode-generator ${relationship})
endfunction()

function(sbom_write name version license folder output)
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE ${folder} ${folder}/*)
  list(REMOVE_ITEM files ${output})
  list(SORT files)
  set(sums "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS files)
    if(IS_SYMLINK ${folder}/${file})
      continue()
    endif()
    file(SHA1 ${folder}/${file} sha1)
    file(SHA256 ${folder}/${file} sha256)
    list(APPEND sums ${sha1})
    math(EXPR number "${number} + 1")
    string(APPEND entries ",\n  {\"SPDXID\": \"SPDXRef-File-${number}\", \"fileName\": \"./${file}\", \"checksums\": ["
                          "{\"algorithm\": \"SHA1\", \"checksumValue\": \"${sha1}\"}, "
                          "{\"algorithm\": \"SHA256\", \"checksumValue\": \"${sha256}\"}]}")
    string(APPEND contained ",\n  {\"spdxElementId\": \"SPDXRef-Package\", \"relationshipType\": \"CONTAINS\", "
                            "\"relatedSpdxElement\": \"SPDXRef-File-${number}\"}")
  endforeach()
  list(SORT sums)
  list(JOIN sums "" joined)
  string(SHA1 code "${joined}")
  string(REGEX REPLACE "^,\n" "" entries "${entries}")
  string(UUID uuid NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 NAME "${name} ${code}" TYPE SHA1)
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  foreach(property PARTS LINKS)
    get_property(${property} GLOBAL PROPERTY SBOM_${property})
  endforeach()
  string(CONFIGURE [[
{"spdxVersion": "SPDX-2.3",
 "dataLicense": "CC0-1.0",
 "SPDXID": "SPDXRef-DOCUMENT",
 "name": "${name}",
 "documentNamespace": "https://spdx.org/spdxdocs/${name}-${uuid}",
 "creationInfo": {"created": "${created}",
                  "creators": ["Organization: The elman authors", "Tool: elman-${version}-sbom.cmake"]},
 "packages": [
  {"SPDXID": "SPDXRef-Package",
   "name": "${name}",
   "versionInfo": "${version}",
   "supplier": "Organization: The elman authors",
   "downloadLocation": "NOASSERTION",
   "filesAnalyzed": true,
   "packageVerificationCode": {"packageVerificationCodeValue": "${code}",
                               "packageVerificationCodeExcludedFiles": ["./${output}"]},
   "licenseConcluded": "NOASSERTION",
   "licenseDeclared": "${license}",
   "copyrightText": "2026 The elman authors"}${PARTS}
 ],
 "files": [
${entries}
 ],
 "relationships": [
  {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
   "relatedSpdxElement": "SPDXRef-Package"}${LINKS}${contained}
 ]}
]] text)
  file(WRITE ${folder}/${output} "${text}")
  foreach(property NAMES PARTS LINKS)
    set_property(GLOBAL PROPERTY SBOM_${property})
  endforeach()
endfunction()
