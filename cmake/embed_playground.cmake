# Writes the playground as C: cmake -DPAGE=playground.html -DOUTPUT=FILE.c -DLICENSES=FOLDER -P embed_playground.cmake
#
# The page has one empty element for a model, SLOT. playground_head is the page up to the content of this element,
# playground_tail the rest. The model with which the page begins is left out, because `elman page` writes another
# model into the page, and a service has its own models. The page contains licenses in gzip and base64, each below a
# line "==== licenses/NAME ===="; they become files of FOLDER.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(SLOT [[<script type="application/octet-stream;base64" id="model"></script>]])

file(READ ${PAGE} page)
string(REGEX REPLACE "(<script[^>]* id=\"starter\">)[A-Za-z0-9+/=]*" "\\1" page "${page}")
string(FIND "${page}" "${SLOT}" first)
string(FIND "${page}" "${SLOT}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${PAGE} is no playground: it must have one empty element ${SLOT}")
endif()

if(NOT page MATCHES "id=\"license-text\">([A-Za-z0-9+/=]+)</script>")
  message(FATAL_ERROR "${PAGE} is no playground: it must have the packed element \"license-text\"")
endif()
file(WRITE ${OUTPUT}.part "${CMAKE_MATCH_1}")
execute_process(COMMAND base64 --decode ${OUTPUT}.part COMMAND gunzip OUTPUT_VARIABLE texts COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.part)

string(LENGTH "${SLOT}" tail_start)
string(LENGTH "</script>" end_size)
math(EXPR tail_start "${first} + ${tail_start} - ${end_size}")
string(SUBSTRING "${page}" 0 ${tail_start} head)
string(SUBSTRING "${page}" ${tail_start} -1 tail)

set(code "/* Made by embed_playground.cmake. */\n#include \"attention/playground.h\"\n")
append_array(playground_head "${head}")
append_array(playground_tail "${tail}")
file(WRITE ${OUTPUT} "${code}")

file(REMOVE_RECURSE ${LICENSES})
file(MAKE_DIRECTORY ${LICENSES})
while(texts MATCHES "\n==== licenses/([a-z0-9-]+) ====\n\n")
  string(LENGTH "${CMAKE_MATCH_0}" line_size)
  string(FIND "${texts}" "${CMAKE_MATCH_0}" start)
  math(EXPR start "${start} + ${line_size}")
  string(SUBSTRING "${texts}" ${start} -1 texts)
  set(text "${texts}")
  string(FIND "${text}" "\n==== licenses/" size)
  string(SUBSTRING "${text}" 0 ${size} text)
  string(STRIP "${text}" text)
  file(WRITE ${LICENSES}/${CMAKE_MATCH_1} "${text}\n")
endwhile()
