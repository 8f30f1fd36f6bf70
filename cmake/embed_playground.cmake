# Writes the playground as C: cmake -DPAGE=playground.html -DOUTPUT=FILE.c -P embed_playground.cmake
#
# The page has one empty element for a model, SLOT. playground_head is the page up to the content of the element,
# playground_tail the rest.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(SLOT [[<script type="application/octet-stream;base64" id="model"></script>]])

file(READ ${PAGE} page)
string(FIND "${page}" "${SLOT}" first)
string(FIND "${page}" "${SLOT}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${PAGE} is no playground: it must have one empty element ${SLOT}")
endif()

string(LENGTH "${SLOT}" tail_start)
string(LENGTH "</script>" end_size)
math(EXPR tail_start "${first} + ${tail_start} - ${end_size}")
string(SUBSTRING "${page}" 0 ${tail_start} head)
string(SUBSTRING "${page}" ${tail_start} -1 tail)

set(code "/* Made by embed_playground.cmake. */\n#include \"attention/playground.h\"\n")
append_array(playground_head "${head}")
append_array(playground_tail "${tail}")
file(WRITE ${OUTPUT} "${code}")
