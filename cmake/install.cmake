# What `cmake --install` lays out, in two components: the server, and the embedded library.
include(CMakePackageConfigHelpers)
configure_file(cmake/indigo.pc.in ${indigo_BINARY_DIR}/indigo.pc @ONLY)
write_basic_package_version_file(${indigo_BINARY_DIR}/indigo-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS indigo DESTINATION bin COMPONENT server)
foreach(page "manual@indigo.1@share/man/man1" "completion bash@indigo@share/bash-completion/completions"
             "completion zsh@_indigo@share/zsh/site-functions" "completion fish@indigo.fish@share/fish/vendor_completions.d")
  string(REPLACE "@" ";" page ${page})
  list(GET page 0 command)
  list(GET page 1 file)
  list(GET page 2 folder)
  separate_arguments(command)
  set(made ${indigo_BINARY_DIR}/pages/${folder}/${file})
  cmake_path(GET made PARENT_PATH made_in)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made_in}
    COMMAND indigo ${command} > ${made}
    DEPENDS indigo)
  list(APPEND pages ${made})
  install(FILES ${made} DESTINATION ${folder} COMPONENT server)
endforeach()
add_custom_target(pages ALL DEPENDS ${pages})
install(FILES LICENSE CHANGELOG.md README.md DESTINATION share/doc/indigo COMPONENT server)

if(TARGET indigo_archive)
  install(FILES ${indigo_BINARY_DIR}/embedded/libindigo.a DESTINATION lib COMPONENT library)
  install(FILES ${indigo_BINARY_DIR}/indigo.pc DESTINATION lib/pkgconfig COMPONENT library)
  install(FILES embedded/indigo.h embedded/indigo.hpp DESTINATION include/indigo COMPONENT library)
  install(FILES cmake/indigo-config.cmake ${indigo_BINARY_DIR}/indigo-config-version.cmake
          DESTINATION lib/cmake/indigo COMPONENT library)
  install(FILES LICENSE DESTINATION share/doc/libindigo-dev COMPONENT library)
endif()

# The Debian packages indigo and libindigo-dev: cpack, in the build's folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME indigo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Indigo contributors <indigo@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES bin/indigo)
set(CPACK_COMPONENTS_ALL server library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
if(CMAKE_CROSSCOMPILING)
  string(REPLACE "aarch64" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF) # libc and libm are all that the server loads
set(CPACK_COMPONENT_SERVER_DESCRIPTION "PostgreSQL-compatible in-memory database
 A server that PostgreSQL's clients and drivers connect to. It starts in
 milliseconds, keeps everything in memory or, if asked to, in a folder, and
 clones whole databases for tests.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "PostgreSQL-compatible in-memory database, in process
 The database as a library: one archive, headers for C and C++.")
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME indigo)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "libpq5, libpmem2-1, libxslt1.1, tzdata, postgresql-client")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libindigo-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libc6-dev, libstdc++-12-dev")
set(CPACK_OUTPUT_FILE_PREFIX ${indigo_BINARY_DIR}/packages)
include(CPack)
