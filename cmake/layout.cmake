# INDIGO_LAYOUT: after its link the server's program is run under a training load and its code laid out by what was executed, by
# llvm-bolt (scripts/layout/README.md). The portable program has the same code and takes the same counts.
set(INDIGO_BOLT_PACKAGE bolt-16)
if(INDIGO_LAYOUT)
  find_program(INDIGO_BOLT llvm-bolt PATHS /usr/lib/llvm-16/bin NO_DEFAULT_PATH)
  find_package(Python3 COMPONENTS Interpreter)
  if(NOT INDIGO_BOLT OR NOT Python3_FOUND)
    message(FATAL_ERROR "INDIGO_LAYOUT takes llvm-bolt of LLVM 16 and Python 3: apt-get install ${INDIGO_BOLT_PACKAGE} python3 "
                        "(or use the preset release, without it)")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR NOT INDIGO_JEMALLOC)
    message(FATAL_ERROR "INDIGO_LAYOUT is for GCC on x86-64, without sanitizers: it has been tested with nothing else")
  endif()
  # Functions in two parts, a hot one and one for what is rare, are not understood by bolt, which makes such parts itself. Precompiled
  # headers need the option, too: where a header says `pop_options`, the compiler takes up theirs.
  add_compile_options(-fno-reorder-blocks-and-partition)
  # Unwinder and personality routines restore registers by hand, contexts are switched in assembler, cryptography is assembler with
  # tables among its instructions: what bolt knows of a function does not hold for them.
  set(INDIGO_LAYOUT_LEAVE ${INDIGO_boost_context_boost_context} ${INDIGO_openssl_crypto} ${INDIGO_openssl_ssl})
  foreach(archive libgcc.a libgcc_eh.a libsupc++.a)
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${archive}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND INDIGO_LAYOUT_LEAVE ${path})
  endforeach()
endif()

# indigo_lay_out(TARGET [TRAIN] [STRIP]): TARGET's program is laid out after each link; one that trains is built before those that do not.
function(indigo_lay_out target)
  if(NOT INDIGO_LAYOUT)
    return()
  endif()
  cmake_parse_arguments(arg "TRAIN;STRIP" "" "" ${ARGN})
  set(profile ${indigo_BINARY_DIR}/layout/counts.fdata)
  file(MAKE_DIRECTORY ${indigo_BINARY_DIR}/layout)
  set(options)
  if(arg_STRIP)
    list(APPEND options --strip)
  endif()
  if(arg_TRAIN)
    list(APPEND options --train)
    set_property(GLOBAL PROPERTY INDIGO_TRAINED ${target})
  else()
    get_property(trained GLOBAL PROPERTY INDIGO_TRAINED)
    add_dependencies(${target} ${trained})
  endif()
  target_link_options(${target} PRIVATE -Wl,--emit-relocs)
  add_custom_command(
    TARGET ${target} POST_BUILD
    COMMAND ${Python3_EXECUTABLE} ${indigo_SOURCE_DIR}/scripts/layout/lay_out $<TARGET_FILE:${target}> --bolt ${INDIGO_BOLT}
            --profile ${profile} ${options} --leave ${INDIGO_LAYOUT_LEAVE}
    COMMENT "Laying out ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS
    ${indigo_SOURCE_DIR}/scripts/layout/lay_out ${indigo_SOURCE_DIR}/scripts/layout/train)
endfunction()
