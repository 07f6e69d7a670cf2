// Linked with one whole library and its declared dependencies: a symbol from a layer above would be missing.
int main() {}
