# Debian's packages as targets indigo::NAME. Static archives wherever Debian has them: the shared ones cost a server
# several milliseconds at start. docs/dependencies.md says why each is there.
find_package(Threads REQUIRED)
if(INDIGO_TESTS)
  find_package(GTest REQUIRED)
endif()

# indigo_external(NAME HEADER header ARCHIVES lib...)
# An interface target of static archives, in a group because several of them refer to each other.
function(indigo_external name)
  cmake_parse_arguments(arg "" "HEADER" "ARCHIVES" ${ARGN})
  find_path(INDIGO_${name}_INCLUDE ${arg_HEADER} REQUIRED)
  mark_as_advanced(INDIGO_${name}_INCLUDE)
  set(archives)
  foreach(archive IN LISTS arg_ARCHIVES)
    find_library(INDIGO_${name}_${archive} lib${archive}.a REQUIRED)
    mark_as_advanced(INDIGO_${name}_${archive})
    list(APPEND archives ${INDIGO_${name}_${archive}})
  endforeach()
  add_library(external_${name} INTERFACE)
  if(archives)
    list(JOIN archives "," group)
    target_link_libraries(external_${name} INTERFACE "$<LINK_GROUP:RESCAN,${group}>" Threads::Threads)
  endif()
  add_library(indigo::${name} ALIAS external_${name})
endfunction()

indigo_external(boost_context HEADER boost/context/fiber.hpp ARCHIVES boost_context)
indigo_external(
  absl
  HEADER absl/container/flat_hash_map.h
  ARCHIVES
  absl_raw_hash_set absl_hash absl_city absl_low_level_hash absl_hashtablez_sampler absl_exponential_biased
  absl_cord absl_cord_internal absl_cordz_functions absl_cordz_handle absl_cordz_info
  absl_synchronization absl_graphcycles_internal absl_stacktrace absl_symbolize absl_debugging_internal
  absl_demangle_internal absl_malloc_internal absl_time absl_time_zone absl_civil_time absl_strings
  absl_strings_internal absl_str_format_internal absl_int128 absl_throw_delegate absl_raw_logging_internal
  absl_spinlock_wait absl_base absl_log_severity absl_strerror absl_bad_optional_access absl_bad_variant_access)
indigo_external(re2 HEADER re2/re2.h ARCHIVES re2)
# Its machines run for as long as the text and the pattern want, and look at nothing. The functions that they call for each byte
# are made weak, with another name beside their own: types/text/regex_steps.cpp has those that count the work and go on there.
set(re2_archive ${indigo_BINARY_DIR}/libre2_counted.a)
configure_file(${INDIGO_re2_re2} ${re2_archive} COPYONLY)
function(indigo_count_calls object symbol name)
  execute_process(
    COMMAND ${CMAKE_AR} x ${re2_archive} ${object}
    WORKING_DIRECTORY ${indigo_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_NM} ${object}
    WORKING_DIRECTORY ${indigo_BINARY_DIR} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "([0-9a-f]+) T (_ZN3re2${symbol}[A-Za-z0-9_]*)\n")
    message(FATAL_ERROR "${INDIGO_re2_re2}: ${object} has no function ${symbol}")
  endif()
  execute_process(
    COMMAND ${CMAKE_OBJCOPY} --weaken-symbol=${CMAKE_MATCH_2} --add-symbol
            ${name}=.text:0x${CMAKE_MATCH_1},global,function ${object}
    WORKING_DIRECTORY ${indigo_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_AR} r ${re2_archive} ${object}
    WORKING_DIRECTORY ${indigo_BINARY_DIR} ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
indigo_count_calls(nfa.o 3NFA4StepE indigo_re2_nfa_step)
indigo_count_calls(dfa.o 3DFA14RunStateOnByteE indigo_re2_dfa_state)
set_target_properties(external_re2 PROPERTIES INTERFACE_LINK_LIBRARIES "${re2_archive};Threads::Threads")
indigo_external(icu HEADER unicode/ucol.h ARCHIVES icui18n icuuc icudata)
indigo_external(openssl HEADER openssl/ssl.h ARCHIVES ssl crypto)
indigo_external(crypt HEADER crypt.h ARCHIVES crypt)
indigo_external(stemmer HEADER libstemmer.h ARCHIVES stemmer)
# XML; its headers lie in a folder of their own. ICU, zlib and liblzma are what the archive refers to.
indigo_external(xml2 HEADER libxml2/libxml/tree.h ARCHIVES xml2 z lzma icuuc icudata)
target_include_directories(external_xml2 SYSTEM INTERFACE "${INDIGO_xml2_INCLUDE}/libxml2")
# XSLT: headers alone; Debian has no archive, types/extension/xml2/libxslt.h loads the library when it is asked for.
indigo_external(xslt HEADER libxslt/xslt.h)
indigo_external(pg_query HEADER pg_query/pg_query.pb-c.h ARCHIVES pg_query)
# Its allocations are renamed to functions of sql/parse/grammar_call.cpp, where running out of memory is an error.
set(pg_query_archive ${indigo_BINARY_DIR}/libpg_query_renamed.a)
execute_process(
  COMMAND ${CMAKE_OBJCOPY} --redefine-sym malloc=indigo_grammar_malloc --redefine-sym realloc=indigo_grammar_realloc
          --redefine-sym strdup=indigo_grammar_strdup ${INDIGO_pg_query_pg_query} ${pg_query_archive}
  COMMAND_ERROR_IS_FATAL ANY)
# What writes its parse trees makes them in our memory and packs nothing (sql/parse/grammar_tree.cpp).
set(pg_query_writer ${indigo_BINARY_DIR}/pg_query_outfuncs_protobuf.o)
execute_process(
  COMMAND ${CMAKE_AR} x ${pg_query_archive} pg_query_outfuncs_protobuf.o
  WORKING_DIRECTORY ${indigo_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${CMAKE_OBJCOPY} --redefine-sym palloc=indigo_tree_palloc --redefine-sym pstrdup=indigo_tree_pstrdup
          --redefine-sym pg_query__string__init=indigo_tree_string_init
          --redefine-sym pg_query__float__init=indigo_tree_float_init
          --redefine-sym pg_query__bit_string__init=indigo_tree_bit_string_init
          --redefine-sym pg_query__parse_result__get_packed_size=indigo_tree_packed_size
          --redefine-sym pg_query__parse_result__pack=indigo_tree_pack ${pg_query_writer}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_AR} r ${pg_query_archive} ${pg_query_writer} COMMAND_ERROR_IS_FATAL ANY)
set_target_properties(external_pg_query PROPERTIES INTERFACE_LINK_LIBRARIES "${pg_query_archive};Threads::Threads")
indigo_external(cli11 HEADER CLI/CLI.hpp)
if(INDIGO_JEMALLOC)
  indigo_external(jemalloc HEADER jemalloc/jemalloc.h ARCHIVES jemalloc_pic)
endif()

# Its parse tree's header includes protobuf-c's; the library carries its own copy of the code, so nothing links it.
find_path(INDIGO_protobuf_c_INCLUDE protobuf-c/protobuf-c.h REQUIRED)
mark_as_advanced(INDIGO_protobuf_c_INCLUDE)

# Header-only, so that no shared library is loaded; one source in base/ includes it.
indigo_external(spdlog HEADER spdlog/spdlog.h)
target_compile_definitions(external_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
