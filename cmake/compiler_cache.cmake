# ccache where present. Paths are hashed relative to the source root, so that every checkout shares one cache. A header that has
# changed since the compiler began makes the result void: what was read is not known then. Comments count: a precompiled header knows
# its sources by their bytes, and one of another text would be read beside them.
find_program(INDIGO_CCACHE ccache)
if(INDIGO_CCACHE)
  set(launcher
      env
      CCACHE_BASEDIR=${indigo_SOURCE_DIR}
      CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_COMMENTS=true
      ${INDIGO_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_compile_options(-ffile-prefix-map=${indigo_SOURCE_DIR}/=)

# What ccache needs to store compilations that use a precompiled header.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
else()
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
