# cmake -DSCRIPTS=a-1,b-1 -DFOLDER=... -DOUTPUT=... -P embed.cmake
# Writes one C++ file with the text, SHA-1 and number of KEYS of each script.
string(REPLACE "," ";" scripts "${SCRIPTS}")
set(definitions "")
set(pointers "")
foreach(script ${scripts})
  if(NOT script MATCHES "^([a-z_]+)-([0-9]+)$")
    message(FATAL_ERROR "${script}: the name must end with -NUMBER_OF_KEYS")
  endif()
  set(name ${CMAKE_MATCH_1})
  set(keys ${CMAKE_MATCH_2})
  file(READ ${FOLDER}/${script}.lua text)
  file(SHA1 ${FOLDER}/${script}.lua sha1)
  string(APPEND definitions
    "const Script ${name}{\n    \"${script}\",\n    R\"lua(${text})lua\",\n    \"${sha1}\",\n    ${keys},\n};\n")
  list(APPEND pointers "&${name}")
endforeach()
string(REPLACE ";" ", " pointers "${pointers}")
file(WRITE ${OUTPUT} "#include \"lua/scripts.hpp\"\n\nnamespace lua {\n\n${definitions}
const std::array<const Script*, 5>& all() noexcept {
    static const std::array<const Script*, 5> scripts{${pointers}};
    return scripts;
}

}  // namespace lua
")
