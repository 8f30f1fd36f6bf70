# Functions of the scripts that write files as C.

# Append the text to `code` as an array of bytes, because a string literal may have at most 4095
# characters.
function(append_array name text)
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND code "\nconst unsigned char ${name}[] = {\n${bytes}};\n"
         "const size_t ${name}_size = sizeof ${name};\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()
