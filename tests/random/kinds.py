"""The kinds of random statements: how one is made, sent to both servers and compared."""
import random
import re
from dataclasses import dataclass
from typing import Any

import calls
import changes
import comparing
import functions
import partitions
import policies
import records
import schema
import selects
import triggers
from coverage import values as edges
from server import DATABASE

SETUP = [*edges.SETUP, f"ALTER DATABASE {DATABASE} SET search_path = public, coverage", "SET search_path = public, coverage"]
# XX000 that PostgreSQL answers too: internal functions called by hand.
POSTGRES_SAYS_SO = re.compile(
    r"(unrecognized|invalid) interval typmod|.*expected \d-element|invalid XPath expression|could not (create XPath object|register XML namespace)"
)


@dataclass
class Sample:
    """A statement, or several in turn, and how their answers compare."""

    node: Any
    options: dict


class CallKind:
    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        self.calls = calls.load(theirs)

    def sample(self, rng):
        made = None
        while made is None:  # some rows have arguments that cannot be written
            made = self.calls.statement(rng)
        node, own_value = made
        return Sample(node, {"only_types": own_value})

    def statements(self, node):
        return [str(node)]

    def check(self, sample, node=None):
        (sql,) = self.statements(sample.node if node is None else node)
        ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
        options = dict(sample.options, single="VALUES" not in sql and sql.count("(") < 2, ordered="ORDER BY" in sql or "VALUES" not in sql)
        return comparing.compare(sql, ours, theirs, self.theirs.ask, **options), ours, theirs


def is_ordered(sql):
    """Whether a random query has an ORDER BY of its own, which names every column (selects.py)."""
    depth, outside = 0, []
    for c in re.sub("'[^']*'", "", sql):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            outside.append(c)
    return " ORDER BY " in "".join(outside)


class QueryKind:
    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        for server in {id(s): s for s in (ours, theirs)}.values():  # they may be one
            for sql in [*schema.SCHEMA, *schema.rows(random.Random(seed))]:
                server.must(sql)

    def sample(self, rng):
        return Sample(selects.Selects(rng).query(), {})

    def statements(self, node):
        return [str(node)]

    def check(self, sample, node=None):
        (sql,) = self.statements(sample.node if node is None else node)
        ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
        ordered = is_ordered(sql)
        return comparing.compare(sql, ours, theirs, self.theirs.ask, message=False, ordered=ordered, single=False, plans=True), ours, theirs


class PlanKind(QueryKind):
    """Queries that our planner answers in some other way than it would: its settings are drawn, too."""

    SETTINGS = ["hashjoin", "mergejoin", "nestloop", "hashagg", "sort", "incremental_sort", "indexscan", "seqscan"]

    def sample(self, rng):
        off = rng.sample(self.SETTINGS, rng.choice([1, 1, 2, 2, 3, 4]))
        return Sample(selects.Selects(rng).query(), {"off": off})

    def check(self, sample, node=None):
        for name in self.SETTINGS:
            self.ours.must(f"SET enable_{name} = {'off' if name in sample.options['off'] else 'on'}")
        return super().check(sample, node)


def without_numbers(answer):
    return (answer.state, answer.tags, sorted(row[1:] for row in answer.rows))


class ChangeKind:
    """Scripts: the first answer that differs counts, else the tables' contents."""

    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        for server in {id(s): s for s in (ours, theirs)}.values():  # they may be one
            for sql in [*schema.SCHEMA, *schema.rows(random.Random(seed)), *changes.SCHEMA]:
                server.must(sql)

    def sample(self, rng):
        return Sample(changes.Changes(rng).script(), {})

    def statements(self, node):
        return [text for text in str(node).split(";\n") if text] + ["COMMIT"]

    def check(self, sample, node=None):
        for server in (self.ours, self.theirs):
            for sql in changes.RESET:
                server.must(sql)
        explained, failed = "", False
        for sql in [*self.statements(sample.node if node is None else node), *changes.CONTENTS]:
            ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
            verdict = comparing.compare(sql, ours, theirs, self.theirs.ask, message=False, ordered=False, single=False, constraints=True)
            failed = failed or bool(theirs.state)
            if not verdict and failed and " ce" in sql and without_numbers(ours) == without_numbers(theirs):
                verdict = comparing.Verdict(True, "numbers that a failed statement took from a sequence", True)
            explained = explained or verdict.rule
            if not verdict or verdict.ends:
                ours.message, theirs.message = f"{sql}: {ours.message}", f"{sql}: {theirs.message}"
                break
        for server in (self.ours, self.theirs):
            server.ask("ROLLBACK")
        return (verdict if not verdict else comparing.Verdict(True, explained)), ours, theirs


class RecordKind:
    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        for server in {id(s): s for s in (ours, theirs)}.values():  # they may be one
            for sql in records.SETUP:
                server.must(sql)

    def sample(self, rng):
        return Sample(records.Records(rng).statement(), {})

    def statements(self, node):
        return [str(node)]

    def check(self, sample, node=None):
        (sql,) = self.statements(sample.node if node is None else node)
        ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
        return comparing.compare(sql, ours, theirs, self.theirs.ask, message=False, ordered="order by" in sql, single=False), ours, theirs


class PolicyKind:
    """One statement under policies: its answer, and the rows that it leaves."""

    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        for server in {id(s): s for s in (ours, theirs)}.values():  # they may be one
            for sql in policies.SETUP:
                server.must(sql)

    def sample(self, rng):
        return Sample(policies.Policies(rng).script(), {})

    def statements(self, node):
        return [text for text in str(node).split(";\n") if text] + ["ROLLBACK"]

    def check(self, sample, node=None):
        *texts, end = self.statements(sample.node if node is None else node)
        for sql in [*texts, "RESET ROLE", "SET LOCAL row_security = on", policies.CONTENTS]:
            ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
            verdict = comparing.compare(sql, ours, theirs, message=True, ordered=False, single=False)
            if not verdict or theirs.state:
                break
        for server in (self.ours, self.theirs):
            server.ask(end)
        return verdict, ours, theirs


class ProgramKind:
    """Scripts that define what runs inside the server, each in a schema of its own: every answer with its notices and the
    contexts of both, then the tables' contents. A statement that is marked LAX visits rows in an order that is the plan's."""

    module, maker = None, None

    def __init__(self, ours, theirs, seed):
        self.ours, self.theirs = ours, theirs
        for server in {id(s): s for s in (ours, theirs)}.values():  # they may be one
            server.settings = [*server.settings, f"SET search_path = {self.path}, public, coverage", "SET client_min_messages = notice"]
            for sql in [*schema.SCHEMA, *schema.rows(random.Random(seed)), *server.settings]:
                server.must(sql)

    def sample(self, rng):
        return Sample(self.maker(rng).script(), {})

    def statements(self, node):
        return ["ROLLBACK", *self.module.RESET, *(text for text in str(node).split(";\n") if text), "ROLLBACK", *self.module.CONTENTS]

    def check(self, sample, node=None):
        verdict, before = comparing.Verdict(True), 1 + len(self.module.RESET)
        texts = self.statements(sample.node if node is None else node)
        for sql in texts[:before]:
            for server in (self.ours, self.theirs):
                server.must(sql)
        for sql in texts[before:]:
            ours, theirs = self.ours.ask(sql), self.theirs.ask(sql)
            verdict = comparing.compare_program(sql, ours, theirs, self.theirs.ask)
            if not verdict or verdict.ends:
                ours.message, theirs.message = f"{sql}: {ours.message}", f"{sql}: {theirs.message}"
                break
        return verdict, ours, theirs


class FunctionKind(ProgramKind):
    module, maker, path = functions, functions.Functions, "rf"


class TriggerKind(ProgramKind):
    module, maker, path = triggers, triggers.Triggers, "rt"


class PartitionKind(ProgramKind):
    module, maker, path = partitions, partitions.Partitions, "rq"


KINDS = {"functions": FunctionKind, "triggers": TriggerKind, "partitions": PartitionKind, "calls": CallKind, "queries": QueryKind, "plans": PlanKind, "changes": ChangeKind, "records": RecordKind, "policies": PolicyKind}
