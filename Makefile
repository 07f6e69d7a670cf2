.PHONY: build test

build:
	cmake --preset release
	cmake --build --preset release -j2

test: build
	cmake --build --preset release -j2 --target link_tests
	ctest --preset release
