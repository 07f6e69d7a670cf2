// Linked with everything that libindigo.a consists of (embedded/CMakeLists.txt).
