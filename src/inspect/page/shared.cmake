# The common parts of the attention page and the playground: sets SCRIPT and STYLE, to which a page
# appends its own.

set(BASE64 ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# Convert a hash from hexadecimal, as CMake writes it, to base64, as a security policy requires:
# three hexadecimal digits become two digits of base64.
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
  # The 256 bits end in the last digit but one, so the last digit is left out.
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

set(SCRIPT "")
foreach(name common heat_map)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name}.js text)
  string(APPEND SCRIPT "${text}")
endforeach()
file(READ ${CMAKE_CURRENT_LIST_DIR}/colors.inc text)
string(REPLACE "@COLORS@" "${text}" SCRIPT "${SCRIPT}")
# Convert the rows of an enum in C to the properties of an object in JavaScript.
file(READ ${CMAKE_CURRENT_LIST_DIR}/picture.inc text)
string(REPLACE " = " ": " text "${text}")
string(REPLACE "@PICTURE@" "${text}" SCRIPT "${SCRIPT}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/common.css STYLE)

# Insert style and script into the variable `page`. The security policy permits them by their
# SHA-256.
function(fill_page)
  foreach(name STYLE SCRIPT)
    string(SHA256 hash "${${name}}")
    base64_of_hash(${hash} hash)
    string(REPLACE "@${name}_HASH@" "${hash}" page "${page}")
    string(REPLACE "@${name}@" "${${name}}" page "${page}")
  endforeach()
  set(page "${page}" PARENT_SCOPE)
endfunction()
