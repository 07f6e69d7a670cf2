# indigo_zones: the system's time zones as an object file, for executables that go to machines without them
# (types/datetime/zone_files.h reads it). A zone of several names is there once.
set(zone_files /usr/share/zoneinfo)
file(GLOB_RECURSE found RELATIVE ${zone_files} ${zone_files}/[A-Z]*)
list(FILTER found EXCLUDE REGEX "^[^A-Z]|[.]")
list(SORT found COMPARE STRING)
list(LENGTH found count)
if(count EQUAL 0)
  message(FATAL_ERROR "${zone_files} is empty: install the package tzdata")
endif()

set(id 0)
set(table "")
set(contents "")
foreach(name IN LISTS found)
  set(file ${zone_files}/${name})
  file(SHA1 ${file} digest)
  string(LENGTH ${name} name_size)
  math(EXPR id "${id} + 1")
  string(APPEND table ".long name_${id} - indigo_zone_table, ${name_size}, "
         "data_${digest} - indigo_zone_table, end_${digest} - data_${digest}\n")
  string(APPEND contents "name_${id}: .ascii \"${name}\"\n")
  if(NOT DEFINED seen_${digest})
    set(seen_${digest} YES)
    string(APPEND contents "data_${digest}: .incbin \"${file}\"\nend_${digest}:\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${indigo_BINARY_DIR}/zones.cpp @ONLY CONTENT "asm(R\"(
.section .rodata
.balign 4
.globl indigo_zone_count
indigo_zone_count: .long ${count}
.globl indigo_zone_table
indigo_zone_table:
${table}${contents}
.text
)\");
")
add_library(indigo_zones OBJECT ${indigo_BINARY_DIR}/zones.cpp)
