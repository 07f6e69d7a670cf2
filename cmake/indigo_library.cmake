# One library per folder.
#
#   indigo_library(NAME [FOLDER folder] [PRECOMPILED headers] [SELDOM path...] [EXCLUDE path...] [DEPENDS layer...]
#                  [EXTERNAL library...])
#
# makes of the sources below FOLDER (default: NAME), without those below EXCLUDE (relative to it),
#
#   indigo_NAME        the static library (an interface library while there are no sources)
#   link_NAME          an executable of the whole library and its declared dependencies: no symbol may be missing
#   unit_NAME          GoogleTest executable of tests/unit/FOLDER, and stress_NAME of tests/stress/FOLDER
#
# Sources are found by name: adding a file needs no change here. What lies below a path of SELDOM runs seldom: release builds
# optimize it less (-O1), which compiles a third faster.

# Precompiled headers (cmake/precompiled*.h), by what they are for: `base` for the lower layers, `sql` from sql/ up, `test` for
# unit tests. Each header goes by its path from the root, as ccache needs it.
set(precompiled base sql)
if(INDIGO_TESTS)
  list(APPEND precompiled test)
endif()
foreach(headers IN LISTS precompiled)
  add_library(indigo_precompiled_${headers} OBJECT ${indigo_SOURCE_DIR}/cmake/link_test.cpp)
  target_include_directories(indigo_precompiled_${headers} PRIVATE ${indigo_SOURCE_DIR})
  target_precompile_headers(indigo_precompiled_${headers} PRIVATE <cmake/precompiled_${headers}.h>)
  set_target_properties(indigo_precompiled_${headers} PROPERTIES CXX_COMPILER_LAUNCHER
    "${indigo_SOURCE_DIR}/cmake/without_old_header;${CMAKE_CXX_COMPILER_LAUNCHER}")
endforeach()
if(INDIGO_TESTS)
  target_link_libraries(indigo_precompiled_test PRIVATE GTest::gtest) # whose definitions a unit test has, too
endif()

add_custom_target(link_tests)

# The C++ sources below a folder, without the excluded paths.
function(indigo_sources result folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${indigo_SOURCE_DIR}/${folder}/*.cpp)
  foreach(excluded IN LISTS ARGN)
    list(FILTER sources EXCLUDE REGEX "^${indigo_SOURCE_DIR}/${folder}/${excluded}(/|$)")
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(indigo_executable name)
  cmake_parse_arguments(arg "SYSTEM_ALLOCATOR" "PRECOMPILED" "SOURCES;LINK" ${ARGN})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED base)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_precompile_headers(${name} REUSE_FROM indigo_precompiled_${arg_PRECOMPILED})
  set(allocator)
  if(INDIGO_JEMALLOC AND NOT arg_SYSTEM_ALLOCATOR)
    set(allocator indigo::jemalloc)
  endif()
  target_link_libraries(${name} PRIVATE ${allocator} ${arg_LINK})
endfunction()

function(indigo_gtest name folder)
  cmake_parse_arguments(arg "" "LIBRARY;LABEL" "EXCLUDE" ${ARGN})
  indigo_sources(sources ${folder} ${arg_EXCLUDE})
  if(NOT sources OR NOT INDIGO_TESTS)
    return()
  endif()
  indigo_unity(compiled ${name} ${sources})
  indigo_executable(${name} SOURCES ${compiled} LINK ${arg_LIBRARY} GTest::gtest_main PRECOMPILED test)
  if(INDIGO_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-subobject-linkage) # it takes a source within a group for a header
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(${name} PRIVATE -Wl,-z,muldefs) # tests that bring their own operator new, beside a sanitizer's
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${indigo_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${INDIGO_TEST_SECONDS} WORKING_DIRECTORY ${indigo_SOURCE_DIR})
endfunction()

function(indigo_library name)
  cmake_parse_arguments(arg "" "FOLDER;PRECOMPILED" "SELDOM;EXCLUDE;DEPENDS;EXTERNAL" ${ARGN})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED base)
  endif()
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND indigo_)
  list(TRANSFORM arg_EXTERNAL PREPEND indigo::)

  indigo_sources(sources ${arg_FOLDER} ${arg_EXCLUDE})
  if(sources)
    indigo_unity(compiled indigo_${name} ${sources})
    foreach(path IN LISTS arg_SELDOM)
      set(seldom ${compiled})
      list(FILTER seldom INCLUDE REGEX "/${arg_FOLDER}/${path}/")
      set_source_files_properties(${seldom} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
    endforeach()
    add_library(indigo_${name} STATIC ${compiled})
    target_precompile_headers(indigo_${name} REUSE_FROM indigo_precompiled_${arg_PRECOMPILED})
    set(scope PUBLIC)
    add_executable(link_${name} EXCLUDE_FROM_ALL)
    target_link_libraries(link_${name} PRIVATE indigo_precompiled_base $<LINK_LIBRARY:WHOLE_ARCHIVE,indigo_${name}>)
    set_target_properties(link_${name} PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${indigo_BINARY_DIR}/tests)
    add_dependencies(link_tests link_${name})
  else()
    add_library(indigo_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(indigo_${name} ${scope} ${indigo_SOURCE_DIR})
  target_link_libraries(indigo_${name} ${scope} ${arg_DEPENDS} ${arg_EXTERNAL} Threads::Threads)

  indigo_gtest(unit_${name} tests/unit/${arg_FOLDER} LIBRARY indigo_${name} LABEL unit EXCLUDE ${arg_EXCLUDE})
  indigo_gtest(stress_${name} tests/stress/${arg_FOLDER} LIBRARY indigo_${name} LABEL stress EXCLUDE ${arg_EXCLUDE})
endfunction()
