# Makes the playground, one file with everything in it:
#
#   cmake -DPAGE=FOLDER -DSHARED=FOLDER -DMODULE=FOLDER -DDATA=FOLDER -DQR=qrcode.js -DQR_LICENSE=FILE -DTERSER=terser
#         [-DSTARTER=MODEL] -DOUTPUT=playground.html -P bundle.cmake
#
# PAGE is this folder, SHARED src/inspect/page, MODULE has elman.wasm, the licenses, elman.mjs and wasi.mjs, DATA the daily
# pairs, QR the library qrcode-generator. TERSER is the program that shortens the script, STARTER the model that translates when the
# page is opened.

cmake_minimum_required(VERSION 3.19)

include(${SHARED}/shared.cmake)
set(SCRIPT_FILES text text_class engine figures network steps files import glosses sets pairs learn sketch film served translate inside compare
    trials course lessons experiments keep translator honest first address classroom main)

# Set the variable to the file in gzip and base64. Without the name and time of the file, the same input gives the same page.
function(packed_file file result)
  execute_process(COMMAND gzip --best --no-name --stdout ${file} COMMAND base64 --wrap=0
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Set the variable to the text in gzip and base64.
function(packed_text text result)
  file(WRITE ${OUTPUT}.part "${text}")
  packed_file(${OUTPUT}.part packed)
  file(REMOVE ${OUTPUT}.part)
  set(${result} "${packed}" PARENT_SCOPE)
endfunction()

# Remove indentation, and comments that fill lines. No text of the page depends on either.
function(shortened text result)
  string(REGEX REPLACE "\n +" "\n" text "\n${text}")
  string(REGEX REPLACE "\n/[*]([^*]|[*]+[^*/])*[*]+/" "\n" text "${text}")
  string(REGEX REPLACE "\n//[^\n]*" "\n" text "${text}")
  string(REGEX REPLACE "\n+" "\n" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(read_text file result)
  file(READ ${file} text)
  string(FIND "${text}" "</script" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file}: the text </script would end the element that contains it")
  endif()
  shortened("${text}" text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

foreach(name ${SCRIPT_FILES})
  read_text(${PAGE}/${name}.js text)
  string(APPEND SCRIPT "${text}")
endforeach()
# Make local names and expressions short. Keep global names, because tests use them. A Node.js that
# is not Debian's finds the modules of Debian's terser only with NODE_PATH.
file(WRITE ${OUTPUT}.js "${SCRIPT}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${TERSER} --mangle --compress --output ${OUTPUT}.min.js
                        -- ${OUTPUT}.js
                COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.min.js SCRIPT)
file(REMOVE ${OUTPUT}.js ${OUTPUT}.min.js)

# The worker is one classic script: files, the connection, then the worker itself. It is no module,
# because browsers refuse module workers for a page from a file, which has no origin.
read_text(${MODULE}/wasi.mjs WORKER)
read_text(${MODULE}/elman.mjs text)
string(APPEND WORKER "${text}")
string(REGEX REPLACE "import {[^}]*} from \"[^\"]*\";\n" "" WORKER "${WORKER}")
string(REGEX REPLACE "(^|\n)export " "\\1" WORKER "${WORKER}")
string(REPLACE "import.meta.url" "self.location.href" WORKER "${WORKER}")
read_text(${PAGE}/worker.js text)
string(PREPEND WORKER "\"use strict\";\n")
string(APPEND WORKER "${text}")

# The daily pairs without their alignments, then an empty line and the sentences for validation.
set(daily "")
foreach(part train test)
  file(READ ${DATA}/daily.${part}.zh-en.tsv text)
  string(REGEX REPLACE "\t[0-9 -]*\n" "\n" text "${text}")
  string(APPEND daily "${text}\n")
endforeach()
packed_text("${daily}" DAILY)

packed_file(${QR} QR)

# A page that is handed out carries the licenses of what it contains.
set(LICENSES "")
foreach(name LICENSE licenses/utf8proc licenses/jansson licenses/zlib licenses/wasi-libc licenses/compiler-rt)
  file(READ ${MODULE}/${name} text)
  string(APPEND LICENSES "==== ${name} ====\n\n${text}\n")
endforeach()
file(READ ${QR_LICENSE} text)
string(APPEND LICENSES "==== licenses/qrcode-generator ====\n\n${text}\n")
packed_text("${LICENSES}" LICENSES)
packed_text("${WORKER}" WORKER)
packed_file(${MODULE}/elman.wasm MODULE)

file(READ ${PAGE}/playground.css text)
file(READ ${PAGE}/network.css network)
string(APPEND text "${network}")
shortened("${STYLE}${text}" STYLE)
# No name, selector or value of the style depends on these spaces.
string(REGEX REPLACE "[ \n]*([{};,])[ \n]*" "\\1" STYLE "${STYLE}")
string(REPLACE ": " ":" STYLE "${STYLE}")
string(REPLACE ";}" "}" STYLE "${STYLE}")
file(READ ${PAGE}/playground.html page)
shortened("${page}" page)
fill_page()
# The model that the page begins with, if there is one. Its weights hardly shrink, but its vocabulary does.
# A name such as NAME.zh-en.safetensors states its languages, in case the model does not.
set(STARTER_DATA "")
set(STARTER_LANGUAGES "")
if(NOT "${STARTER}" STREQUAL "")
  packed_file(${STARTER} STARTER_DATA)
  if(STARTER MATCHES "[.]([a-z]+-[a-z]+)[.][^.]*$")
    set(STARTER_LANGUAGES ${CMAKE_MATCH_1})
  endif()
endif()
set(STARTER "${STARTER_DATA}")

foreach(name LICENSES MODULE DAILY QR WORKER STARTER STARTER_LANGUAGES)
  string(REPLACE "@${name}@" "${${name}}" page "${page}")
endforeach()
file(WRITE ${OUTPUT} "${page}")
