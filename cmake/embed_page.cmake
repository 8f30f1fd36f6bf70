# Writes the attention page as C: cmake -DPAGE=FOLDER -DOUTPUT=FILE.c -P embed_page.cmake
#
# In page.html, @STYLE@ is replaced by the shared styles and page.css, and @SCRIPT@ by the shared
# scripts and page.js (shared.cmake). page_head is the part before @RECORDS@, page_tail the rest.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
include(${PAGE}/shared.cmake)

file(READ ${PAGE}/page.html page)
file(READ ${PAGE}/page.css text)
string(APPEND STYLE "${text}")
file(READ ${PAGE}/page.js text)
string(APPEND SCRIPT "${text}")
fill_page()

string(FIND "${page}" "@RECORDS@" head_size)
string(LENGTH "@RECORDS@" mark_size)
math(EXPR tail_start "${head_size} + ${mark_size}")
string(SUBSTRING "${page}" 0 ${head_size} head)
string(SUBSTRING "${page}" ${tail_start} -1 tail)

set(code "/* Made by embed_page.cmake. */\n#include \"inspect/page/page.h\"\n")
append_array(page_head "${head}")
append_array(page_tail "${tail}")
file(WRITE ${OUTPUT} "${code}")
