# find_package(indigo): the target indigo::indigo, the database as a library (docs/embedded.md).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
if(NOT TARGET indigo::indigo)
  get_filename_component(indigo_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(indigo::indigo STATIC IMPORTED)
  set_target_properties(
    indigo::indigo
    PROPERTIES IMPORTED_LOCATION "${indigo_prefix}/lib/libindigo.a" IMPORTED_LINK_INTERFACE_LANGUAGES CXX
               INTERFACE_INCLUDE_DIRECTORIES "${indigo_prefix}/include/indigo" INTERFACE_LINK_LIBRARIES "m;Threads::Threads")
endif()
