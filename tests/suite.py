"""What the suites' programs have in common: counts, and a line for each test when scripts/run_tests asks for them.

A suite makes a Suite, calls passed(name) or failed(name, why) for each of its tests, and ends with `return suite.end()`.
It prints why a test failed, and at the end "N passed, M failed". With INDIGO_TEST_LINES in the environment each test also
gets a line, `test NAME ok SECONDS` or `test NAME FAILED SECONDS`. What a thread of a test does not catch fails that test.
"""
import os
import threading
import time
import traceback


class Suite:
    def __init__(self):
        self.counts = {"ok": 0, "FAILED": 0}
        self.since = time.monotonic()
        self.lines = bool(os.environ.get("INDIGO_TEST_LINES"))
        self.of_threads = []  # what ended threads
        threading.excepthook = lambda failure: self.of_threads.append(
            "".join(traceback.format_exception(failure.exc_type, failure.exc_value, failure.exc_traceback)))

    def passed(self, name):
        if self.of_threads:
            self.failed(name, "a thread ended with\n" + self.of_threads[0])
        else:
            self.note(name, "ok")

    def failed(self, name, why):
        print(f"FAILED {name}\n{why}" if "\n" in why else f"FAILED {name}: {why}", flush=True)
        self.of_threads.clear()
        self.note(name, "FAILED")

    def note(self, name, outcome):
        now = time.monotonic()
        self.counts[outcome] += 1
        if self.lines:
            print(f"test {'_'.join(name.split())} {outcome} {now - self.since:.3f}", flush=True)
        self.since = now

    def end(self):
        """The exit code."""
        if self.of_threads:
            self.failed("threads", self.of_threads[0])
        print(f"{self.counts['ok']} passed, {self.counts['FAILED']} failed")
        return 1 if self.counts["FAILED"] else 0
