#!/usr/bin/env python3
"""Checks the rules of the house that no compiler knows. Prints each finding; exits with 1 if there is an error.

  layers    an #include points to the same layer or below
  fences    libpg_query is included only in sql/parse/, spdlog by one source in base/
  length    sources over 400 lines are warned of, over 700 refused; generated tables are exempt; comments, which
            the formatter leaves alone, end at column 132
  script    a program without an ending in its name says at its head what it is for; `length` counts it, too
  readme    each source folder has a README.md, and the paths that READMEs and docs name exist

--self-test builds small trees that break one rule each, and fails unless each is found.
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

# From the bottom up: each may include itself and those before it.
LAYERS = ["base", "types", "log", "storage", "catalog", "sql", "engine", "embedded", "wire"]
# Layers that stand beside each other: values know no storage, storage knows no values; the library has no sockets.
APART = [{"types", "log"}, {"types", "storage"}, {"embedded", "wire"}]
FOLDERS = LAYERS + ["tests", "bench", "docker"]
SOURCE = {".h", ".cpp", ".c", ".py"}
LENGTH_WARNED, LENGTH_REFUSED = 400, 700
COMMENT_COLUMNS = 132

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
CODE_SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*/?")
FILE_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.(h|cpp|py|md|txt|cmake|json|sh|inc|proto|sql|yml)")


class House:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.warnings = []

    def error(self, path, rule, text):
        self.errors.append((rule, f"{path.relative_to(self.root)}: {rule}: {text}"))

    def files(self, *suffixes):
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            hidden = any(part.startswith(".") or part in ("build", "__pycache__") for part in parts)
            if path.suffix in suffixes and not hidden and path.is_file():
                yield path

    def check(self):
        for path in self.files(".h", ".cpp"):
            text = path.read_text(errors="replace")
            self.check_layers(path, text)
            self.check_fences(path, text)
        for path in self.files(*SOURCE):
            self.check_length(path)
        for path in self.files(""):
            self.check_script(path)
        for path in self.files(".md"):
            if path.name == "README.md" or (path.suffix == ".md" and path.parent.name == "docs"):
                self.check_readme(path)
        for folder in FOLDERS:
            folder = self.root / folder
            has_sources = folder.is_dir() and any(p.is_file() and p.name != "CMakeLists.txt" for p in folder.rglob("*"))
            if has_sources and not (folder / "README.md").exists():
                self.error(folder, "readme", "no README.md")
        spdlog = [p for p in self.files(".h", ".cpp") if "#include <spdlog" in p.read_text(errors="replace")]
        for path in spdlog[1:]:
            self.error(path, "fences", f"a second source includes spdlog, beside {spdlog[0].relative_to(self.root)}")

    def layer_of(self, relative):
        """The layer that a path belongs to (tests/unit mirrors the tree), or None."""
        parts = Path(relative).parts
        if parts[:2] in (("tests", "unit"), ("tests", "stress")):
            parts = parts[2:]
        inside = [layer for layer in LAYERS if parts[: layer.count("/") + 1] == tuple(layer.split("/"))]
        return max(inside, key=len, default=None)

    def check_layers(self, path, text):
        mine = self.layer_of(path.relative_to(self.root))
        for bracket, header in INCLUDE.findall(text):
            if bracket != '"':
                continue
            theirs = self.layer_of(header)
            if mine and theirs and LAYERS.index(theirs) > LAYERS.index(mine):
                self.error(path, "layers", f"{mine} includes {header} from above")
            elif {mine, theirs} in APART:
                self.error(path, "layers", f"{mine} includes {header}, which stands beside it")
            elif mine and not header.startswith("tests/") and header.startswith(("tests", "bench")):
                self.error(path, "layers", f"includes {header}")
            if header.startswith(".") or (path.parent / header).exists() > (self.root / header).exists():
                self.error(path, "layers", f'"{header}" is not a path from the root')

    def check_fences(self, path, text):
        relative = path.relative_to(self.root).as_posix()
        for _, header in INCLUDE.findall(text):
            if header.startswith("pg_query") and not relative.startswith(("sql/parse/", "tests/unit/sql/parse/", "cmake/")):
                self.error(path, "fences", f"includes {header} outside sql/parse/")
            if header.startswith("spdlog/") and not (relative.startswith("base/") and path.suffix == ".cpp"):
                self.error(path, "fences", f"includes {header} outside base/*.cpp")
        if "std::call_once(" in text:
            self.error(path, "fences", "std::call_once, where base/once.h is needed: exceptions do not pass through the C library")

    def check_script(self, path):
        lines = path.read_text(errors="replace").split("\n", 2)
        if not lines[0].startswith("#!"):
            return
        self.check_length(path)
        if len(lines) < 2 or not lines[1].startswith(('"""', "# ")):
            self.error(path, "script", "its second line does not say what it is for")

    def check_length(self, path):
        if "generated" in path.parts or path.stem.endswith("_data"):
            return
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COMMENT_COLUMNS and line.lstrip().startswith("//"):
                self.error(path, "length", f"line {number} has {len(line)} columns")
        lines = text.count("\n")
        if lines > LENGTH_REFUSED:
            self.error(path, "length", f"{lines} lines, more than {LENGTH_REFUSED}: which second concept does it hold?")
        elif lines > LENGTH_WARNED:
            self.warnings.append(f"{path.relative_to(self.root)}: length: {lines} lines")

    def check_readme(self, path):
        text = FENCED.sub("", path.read_text())
        for name in CODE_SPAN.findall(text):
            if self.names_path(path.parent, name) and not self.exists(path.parent, name):
                self.error(path, "readme", f"`{name}` does not exist")
        for name in LINK.findall(text):
            if "://" not in name and not name.startswith("mailto:") and not (path.parent / name).exists():
                self.error(path, "readme", f"link to {name}, which does not exist")

    def names_path(self, folder, name):
        """Is this text in backticks meant as a path of the repository?"""
        if name.startswith("build/") or not PATH.fullmatch(name):
            return False
        if "/" not in name:
            return bool(FILE_NAME.fullmatch(name))
        first = name.split("/")[0]
        return (self.root / first).is_dir() or (folder / first).is_dir() or bool(FILE_NAME.fullmatch(name.split("/")[-1]))

    def exists(self, folder, name):
        return (folder / name).exists() or (self.root / name).exists()


# A sound tree, and for each rule changes that break it: file -> text.
SOUND = {
    "base/README.md": "Reading order: `clock.h`, then `base/clock.cpp`. Values like `and/or`, `/tmp`, `build/x.h` are no paths.",
    "base/clock.h": "#pragma once\n#include <string>\n",
    "base/clock.cpp": '#include "base/clock.h"\n#include <spdlog/spdlog.h>\n',
    "sql/README.md": "See [the parser](parse/parser.cpp).",
    "types/README.md": "Functions.",
    "types/abs.cpp": '#include "base/clock.h"\n',
    "types/abs.h": "#pragma once\n",
    "sql/parse/parser.cpp": '#include <pg_query.h>\n#include "types/abs.h"\n',
    "sql/generated/keywords.cpp": "// one\n" * 800,
}
CANARIES = [
    ("layers", {"base/clock.h": '#include "sql/parse/tree.h"\n', "sql/parse/tree.h": ""}),
    ("layers", {"types/abs.cpp": '#include "sql/parse/tree.h"\n', "sql/parse/tree.h": ""}),
    ("layers", {"storage/table.cpp": '#include "types/abs.h"\n', "storage/README.md": "Tables."}),
    ("layers", {"types/abs.cpp": '#include "storage/table.h"\n', "storage/table.h": "", "storage/README.md": "Tables."}),
    ("layers", {"tests/unit/base/clock_test.cpp": '#include "types/abs.h"\n', "tests/README.md": "Tests."}),
    ("layers", {"base/clock.cpp": '#include "clock.h"\n'}),
    ("fences", {"types/abs.h": "#include <pg_query/pg_query.pb-c.h>\n"}),
    ("fences", {"types/abs.h": "  # include <spdlog/spdlog.h>\n"}),
    ("fences", {"base/second.cpp": "#include <spdlog/spdlog.h>\n"}),
    ("length", {"base/long.cpp": "// one\n" * 701}),
    ("length", {"base/clock.h": "#pragma once\n  // " + "x" * COMMENT_COLUMNS + "\n"}),
    ("length", {"scripts/long": "#!/bin/sh\n# Sleeps.\n" + "sleep 1\n" * 700}),
    ("script", {"scripts/short": "#!/bin/sh\nsleep 1\n"}),
    ("readme", {"base/README.md": "Read `gone.h` first.\n"}),
    ("readme", {"docs/way.md": "See `base/gone.h`.\n"}),
    ("readme", {"base/README.md": "Read `sql/gone.h` first.\n"}),
    ("readme", {"base/README.md": "Read [this](gone.md) first.\n"}),
    ("readme", {"log/log.cpp": "\n"}),
]


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        for name, text in files.items():
            (house.root / name).parent.mkdir(parents=True, exist_ok=True)
            (house.root / name).write_text(text)
        house.check()
        return house.errors


def self_test():
    wrong = [f"the sound tree: {text}" for _, text in findings(SOUND)]
    for rule, change in CANARIES:
        found = [found_rule for found_rule, _ in findings(SOUND | change)]
        if found != [rule]:
            wrong.append(f"{change}: expected one finding of {rule}, found {found}")
    for line in wrong:
        print(line)
    print(f"house check's canaries: {len(CANARIES) + 1 - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true")
    if parser.parse_args().self_test:
        return self_test()
    house = House(Path(__file__).resolve().parent.parent)
    house.check()
    for line in house.warnings:
        print(f"warning: {line}")
    for _, line in house.errors:
        print(f"error: {line}")
    print(f"house check: {len(house.errors)} errors, {len(house.warnings)} warnings")
    return 1 if house.errors else 0


if __name__ == "__main__":
    sys.exit(main())
