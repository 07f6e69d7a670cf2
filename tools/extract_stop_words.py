#!/usr/bin/env python3
"""Writes types/generated/stop_words.cpp: the stop words of PostgreSQL 15's snowball dictionaries, so that a server without
PostgreSQL's package has them.

    tools/extract_stop_words.py [directory]        by default where Debian's package has them
"""
import os, sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DIRECTORY = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/postgresql/15/tsearch_data"


def words(path):
    with open(path, encoding="utf-8") as file:
        return [line.split()[0] for line in file if line.split()]


def main():
    out = ["// Written by tools/extract_stop_words.py.", '#include "types/textsearch/dictionary/stop_words.h"', "",
           "namespace indigo::types {", "", "std::span<const BuiltinStopWords> builtin_stop_words() {",
           "  static constexpr BuiltinStopWords kLists[] = {"]
    for name in sorted(f[:-5] for f in os.listdir(DIRECTORY) if f.endswith(".stop")):
        out.append(f'      {{"{name}",')
        line = ""
        for word in words(os.path.join(DIRECTORY, name + ".stop")):
            if len(line) + len(word) > 90:
                out.append(f'       "{line}"')
                line = ""
            line += word + "\\n"
        out.append(f'       "{line}"}},')
    out += ["  };", "  return kLists;", "}", "", "}  // namespace indigo::types", ""]
    with open(os.path.join(ROOT, "types/generated/stop_words.cpp"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))


main()
