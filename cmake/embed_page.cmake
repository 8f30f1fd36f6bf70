# Writes the attention page as C: cmake -DPAGE=FOLDER -DOUTPUT=FILE.c -P embed_page.cmake
#
# page.html is the frame. @STYLE@ becomes page.css; @SCRIPT@ becomes common.js, picture.js and page.js; @..._HASH@
# becomes their SHA-256, by which the page's security policy knows them. What stands before @RECORDS@ is page_head, the rest
# page_tail.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(BASE64 ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# CMake gives hashes in hexadecimal, a policy wants base64: three digits of the one are two of the other.
function(base64_of_hash hash result)
  string(APPEND hash 00)
  set(text "")
  foreach(at RANGE 0 63 3)
    string(SUBSTRING ${hash} ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING ${BASE64} ${high} 1 first)
    string(SUBSTRING ${BASE64} ${low} 1 second)
    string(APPEND text ${first}${second})
  endforeach()
  # 256 bits end in the last digit but one.
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

file(READ ${PAGE}/page.html page)
file(READ ${PAGE}/page.css STYLE)
set(SCRIPT "")
foreach(name common picture page)
  file(READ ${PAGE}/${name}.js text)
  string(APPEND SCRIPT "${text}")
endforeach()
foreach(name STYLE SCRIPT)
  string(SHA256 hash "${${name}}")
  base64_of_hash(${hash} hash)
  string(REPLACE "@${name}_HASH@" "${hash}" page "${page}")
  string(REPLACE "@${name}@" "${${name}}" page "${page}")
endforeach()

string(FIND "${page}" "@RECORDS@" head_size)
string(LENGTH "@RECORDS@" mark_size)
math(EXPR tail_start "${head_size} + ${mark_size}")
string(SUBSTRING "${page}" 0 ${head_size} head)
string(SUBSTRING "${page}" ${tail_start} -1 tail)

set(code "/* Made by embed_page.cmake. */\n#include \"inspect/page/page.h\"\n")
append_array(page_head "${head}")
append_array(page_tail "${tail}")
file(WRITE ${OUTPUT} "${code}")
