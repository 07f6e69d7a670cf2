add_compile_options(
  -Wall -Wextra -Werror -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers # designated initializers leave the rest to its default
)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 raises these wrongly on inlined std::string, std::vector and std::variant.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
                      -Wno-stringop-overread)
endif()
