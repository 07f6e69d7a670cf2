"""What the Python clients' tests share: where the server is, and the running of a module's test_* functions.

Each case gets a schema of its own, first in its search_path, so that cases do not see each other.
"""
import os
import sys
import traceback

HOST = os.environ.get("PGHOST", "/tmp")
PORT = int(os.environ.get("PGPORT", "5432"))
USER = "postgres"
DATABASE = "postgres"


def raises(kind, call, *arguments, **named):
    """The error that the call raises."""
    try:
        call(*arguments, **named)
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


def run(module, names):
    cases = {name: case for name, case in vars(module).items() if name.startswith("test_")}
    failed = 0
    chosen = [name for name in cases if not names or any(word in name for word in names)]
    for name in chosen:
        try:
            cases[name]()
        except Exception:
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    sys.exit(run(sys.modules["__main__"], sys.argv[1:]))
