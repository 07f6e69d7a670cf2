"""Statements of tests/sql with some of their tokens exchanged, doubled, left out or taken from others: what an author of tests
does not write. Nothing is compared; the server must live, answer in time, and take the next statement."""
import pathlib
import random
import re
import time

from server import LOST, SILENT, Server

TESTS = pathlib.Path(__file__).resolve().parent.parent / "sql"
TOKEN = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|\$\$.*?\$\$|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|::|<>|<=|>=|!=|\|\||\S""", re.S)
SPICES = """null true '' '{}' '[]' 0 -1 2147483647 'NaN'::float8 array[]::int[] row() row(1,null) (select 1) (select null::int) *
count(*) generate_series(1,3) null::record '1'::json array[row(1,2)] ctid tableoid $1 excluded.a new old default 1e300
'2000-01-01'::date 'a'::tsvector '(1,2)'::point int4range(1,2) sum(1)over() any(array[1]) lateral distinct nulls not is in union
all with recursive as filter within group order by limit returning on conflict do nothing""".split()
# What ends or stops a server on purpose, or reaches beyond it.
UNTOUCHED = re.compile(r"pg_terminate|pg_cancel|pg_sleep|program|alter\s+system|pg_promote|subscription|dblink|foreign", re.I)
LONGEST = 150  # tokens
TIMEOUT_MS, PATIENCE_S = 300, 15


def statements_of(path):
    """The statements of a test as they are written, whoever's session they are."""
    out = []
    for block in path.read_text(errors="replace").split("\n\n"):
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if not lines or not re.match(r"(statement|query)\b", lines[0]):
            continue
        sql = "\n".join(lines[1:]).partition("\n----")[0].strip()
        if sql and not UNTOUCHED.search(sql):
            out.append(sql)
    return out


def brackets(tokens):
    """The places of brackets that belong together."""
    open_, out = [], []
    for i, token in enumerate(tokens):
        if token in ("(", "["):
            open_.append(i)
        elif token in (")", "]") and open_:
            out.append((open_.pop(), i))
    return out


def mutated(tokens, pool, rng):
    out = list(tokens)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        if not out:
            break
        i, other, how = rng.randrange(len(out)), rng.choice(pool), rng.randrange(8)
        mine, theirs = brackets(out), brackets(other)
        if how == 0:
            out[i] = rng.choice(SPICES)
        elif how == 1:
            out[i] = rng.choice(other)
        elif how == 2:
            del out[i]
        elif how == 3:
            out.insert(i, rng.choice(out))
        elif how == 4:
            begin = rng.randrange(len(other))
            out[i:i + rng.randrange(4)] = other[begin:begin + rng.randrange(1, 12)]
        elif how == 5:
            j = rng.randrange(len(out))
            out[i], out[j] = out[j], out[i]
        elif how == 6 and mine:
            begin, end = rng.choice(mine)
            out[begin:end + 1] = ["(", rng.choice(SPICES), ")"]
        elif mine and theirs:
            (begin, end), (first, last) = rng.choice(mine), rng.choice(theirs)
            out[begin:end + 1] = other[first:last + 1]
    return " ".join(out)


def run(suite, address, seed, files):
    """Goes through so many of the tests, three mutations after every third of their statements."""
    rng = random.Random(f"{seed} mutations")
    corpus = {path: statements_of(path) for path in sorted(TESTS.glob("*.test"))}
    tokens = {path: [t for t in map(TOKEN.findall, texts) if 2 < len(t) < LONGEST] for path, texts in corpus.items()}
    everything = [t for of_path in tokens.values() for t in of_path]
    for path in rng.sample(sorted(corpus), files):
        server = Server(address, ["DROP SCHEMA IF EXISTS mutations CASCADE; CREATE SCHEMA mutations"])
        server.must(f"SET search_path = mutations, public; SET statement_timeout = {TIMEOUT_MS}")
        own, last, bad = tokens[path] or everything, [], ""

        def send(sql):
            nonlocal bad
            if bad or UNTOUCHED.search(sql):
                return
            last.append(sql)
            begun = time.monotonic()
            answer = server.ask(sql)
            if answer.state in (LOST, SILENT) or time.monotonic() - begun > PATIENCE_S:
                bad = f"{answer.state} {answer.message} after\n  " + ";\n  ".join(last[-8:])

        for sql in corpus[path]:
            send(sql)
            for _ in range(3 if rng.random() < 0.35 else 0):
                text = mutated(rng.choice(own), own if rng.random() < 0.7 else everything, rng)
                if rng.random() < 0.5:
                    text = f"begin; {text}; rollback"
                send(text)
        server.connection.close()
        if bad:
            suite.failed(f"mutations_{path.stem}", f"seed {seed}: {bad}")
        else:
            suite.passed(f"mutations_{path.stem}")
