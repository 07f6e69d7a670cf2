#!/usr/bin/env python3
"""Asks a PostgreSQL 15 server what the calls in tests/oracle/calls/ give, and writes tests/oracle/recorded/.

    tests/oracle/record.py [psql option...] [--only name]     e.g. tests/oracle/record.py -h /tmp -p 5432 -U postgres

A line of calls/NAME.txt is one of

    # comment
    expression with {type:value} arguments       lower({text:ABC}), {int4:1} + {int4:\\N}
    io TYPE: text                                the type's input, output and binary form; TYPE may have a modifier
    agg NAME(TYPE, ...): row ; row               an aggregate over rows of |-separated values
    set expression                               a set-returning function's rows

One function or operator per expression: its arguments are the marked ones, in order. \\N is null; \\t \\n \\\\ are escapes.
What is recorded (tab-separated, escaped alike):

    call  function OID  result type OID  argument type OIDs  arguments ...  = result | ! SQLSTATE message
    io    type OID  modifier  text  = output  hex of the binary form | ! SQLSTATE message
"""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETUP = r"""
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SET TimeZone = 'America/New_York';
SET bytea_output = 'hex';
SET plan_cache_mode = 'force_custom_plan';
DROP SCHEMA IF EXISTS recording CASCADE;
CREATE SCHEMA recording;
SET search_path = recording, public;
CREATE FUNCTION esc(t text) RETURNS text LANGUAGE sql AS
$$ SELECT replace(replace(replace(t, '\', '\\'), E'\n', '\n'), E'\t', '\t') $$;
CREATE FUNCTION record_call(e text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE tree text; r text; m text[];
BEGIN
  BEGIN
    EXECUTE 'CREATE TEMP VIEW recorded_view AS SELECT ' || e || ' AS x';
    SELECT ev_action::text INTO tree FROM pg_rewrite WHERE ev_class = 'recorded_view'::regclass;
    m := regexp_match(tree, ':targetList \(\{TARGETENTRY :expr \{(?:FUNCEXPR :funcid|OPEXPR :opno \d+ :opfuncid) (\d+) :(?:func|op)resulttype (\d+)');
    DROP VIEW recorded_view;
  EXCEPTION WHEN OTHERS THEN
    RETURN E'bad\t' || SQLSTATE || ' ' || SQLERRM;
  END;
  IF m IS NULL THEN RETURN E'bad\tno call'; END IF;
  BEGIN
    EXECUTE 'SELECT CASE WHEN x IS NULL THEN ''\N'' ELSE esc(format(''%s'', x)) END FROM (SELECT ' || e || ' AS x) s' INTO r;
    RETURN m[1] || E'\t' || m[2] || E'\t= ' || r;
  EXCEPTION WHEN OTHERS THEN
    RETURN m[1] || E'\t' || m[2] || E'\t! ' || SQLSTATE || ' ' || esc(SQLERRM);
  END;
END $$;
CREATE FUNCTION record_set(e text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE tree text; r text; m text[];
BEGIN
  BEGIN
    EXECUTE 'CREATE TEMP VIEW recorded_view AS SELECT ' || e || ' AS x';
    SELECT ev_action::text INTO tree FROM pg_rewrite WHERE ev_class = 'recorded_view'::regclass;
    m := regexp_match(tree, ':targetList \(\{TARGETENTRY :expr \{(?:FUNCEXPR :funcid|OPEXPR :opno \d+ :opfuncid) (\d+) :(?:func|op)resulttype (\d+)');
    DROP VIEW recorded_view;
  EXCEPTION WHEN OTHERS THEN
    RETURN E'bad\t' || SQLSTATE || ' ' || SQLERRM;
  END;
  BEGIN
    EXECUTE 'SELECT coalesce(string_agg(CASE WHEN x IS NULL THEN ''\N'' ELSE esc(format(''%s'', x)) END, E''\t''), '''') FROM (SELECT ' || e || ' AS x) s' INTO r;
    RETURN m[1] || E'\t' || m[2] || E'\t= ' || r;
  EXCEPTION WHEN OTHERS THEN
    RETURN m[1] || E'\t' || m[2] || E'\t! ' || SQLSTATE || ' ' || esc(SQLERRM);
  END;
END $$;
CREATE FUNCTION record_agg(signature text, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; f oid; t oid;
BEGIN
  BEGIN
    EXECUTE 'CREATE TEMP VIEW recorded_view AS ' || q;
    SELECT (regexp_match(ev_action::text, '\{AGGREF :aggfnoid (\d+) :aggtype (\d+)'))[1],
           (regexp_match(ev_action::text, '\{AGGREF :aggfnoid (\d+) :aggtype (\d+)'))[2]
      INTO f, t FROM pg_rewrite WHERE ev_class = 'recorded_view'::regclass;
    DROP VIEW recorded_view;
  EXCEPTION WHEN OTHERS THEN
    RETURN E'bad\t' || SQLSTATE || ' ' || SQLERRM;
  END;
  BEGIN
    EXECUTE 'SELECT CASE WHEN x IS NULL THEN ''\N'' ELSE esc(format(''%s'', x)) END FROM (' || q || ') s' INTO r;
    RETURN f || E'\t' || t || E'\t= ' || r;
  EXCEPTION WHEN OTHERS THEN
    RETURN f || E'\t' || t || E'\t! ' || SQLSTATE || ' ' || esc(SQLERRM);
  END;
END $$;
CREATE FUNCTION record_io(type text, input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t oid; m int; io pg_type; e text; o text; b text;
BEGIN
  EXECUTE format('CREATE TEMP TABLE recorded_table (x %s)', type);
  SELECT atttypid, atttypmod INTO t, m FROM pg_attribute WHERE attrelid = 'recorded_table'::regclass AND attnum = 1;
  DROP TABLE recorded_table;
  SELECT * INTO io FROM pg_type WHERE oid = t;
  e := io.typinput::regproc || '(' || quote_literal(input) || '::cstring'
       || CASE WHEN (SELECT pronargs FROM pg_proc WHERE oid = io.typinput) = 3
               THEN ', ' || CASE WHEN io.typelem <> 0 AND io.typcategory = 'A' THEN io.typelem ELSE io.oid END || ', ' || m ELSE '' END || ')';
  BEGIN
    EXECUTE 'SELECT ' || io.typoutput::regproc || '(' || e || ')' INTO o;
    IF io.typcategory = 'A' THEN EXECUTE 'SELECT ' || quote_literal(input) || '::' || type INTO o; END IF;
    BEGIN
      EXECUTE 'SELECT encode(' || io.typsend::regproc || '(' || CASE WHEN io.typcategory = 'A' THEN quote_literal(input) || '::' || type ELSE e END || '), ''hex'')' INTO b;
    EXCEPTION WHEN OTHERS THEN b := '-';
    END;
    RETURN t || E'\t' || m || E'\t' || esc(input) || E'\t= ' || esc(o) || E'\t' || b;
  EXCEPTION WHEN OTHERS THEN
    RETURN t || E'\t' || m || E'\t' || esc(input) || E'\t! ' || SQLSTATE || ' ' || esc(SQLERRM);
  END;
END $$;
"""
MARK = re.compile(r"\{([^:{}]+):((?:[^{}\\]|\\.|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*)\}")


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def quote(text):
    return "'" + text.replace("'", "''") + "'" if "\\" not in text else "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def literal(type_, value):
    return f"NULL::{type_}" if value == "\\N" else f"{quote(unescape(value))}::{type_}"


def dollar(text):
    return "$record$" + text + "$record$"


def main():
    arguments = sys.argv[1:]
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at : at + 2]
    for calls in sorted((HERE / "calls").glob("*.txt")):
        if only and calls.stem != only:
            continue
        script, prefixes = [SETUP], []
        for line in calls.read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("io "):
                type_, text = line[3:].split(":", 1)
                text = unescape(text[1:] if text.startswith(" ") else text)
                script.append(f"SELECT record_io({quote(type_)}, {quote(text)});")
                prefixes.append(("io", []))
            elif line.startswith("agg "):
                head, rows = line[4:].split(":", 1)
                name, types = head.rstrip(")").split("(", 1)
                types = [t.strip() for t in types.split(",")]
                values = [[v.strip() for v in row.split("|")] for row in rows.split(";")]
                listed = ", ".join("(" + ", ".join(literal(t, v) for t, v in zip(types, row)) + ")" for row in values)
                columns = ", ".join(f"c{i}" for i in range(len(types)))
                query = f"SELECT {name}({columns}) AS x FROM (VALUES {listed}) AS v({columns})"
                script.append(f"SELECT record_agg('', {dollar(query)});")
                prefixes.append(("agg", [("types", types)] + [(str(len(values)), v) for row in values for v in row]))
            else:
                kind = "set" if line.startswith("set ") else "call"
                expression = line[4:] if kind == "set" else line
                marks = [(m[1], m[2]) for m in MARK.finditer(expression)]
                expression = MARK.sub(lambda m: literal(m[1], m[2]), expression)
                script.append(f"SELECT record_{kind}({dollar(expression)});")
                prefixes.append((kind, marks))
        # The OIDs of the argument types, by name.
        names = sorted({t for _, marks in prefixes for t, _ in marks if t != "types" and not t.isdigit()}
                       | {t for kind, marks in prefixes if kind == "agg" for t in marks[0][1]})
        script.append("\\echo TYPES")
        for name in names:
            script.append(f"SELECT {quote(name)}::regtype::oid;")
        script.append("DROP SCHEMA recording CASCADE;")
        result = subprocess.run(["psql", "-X", "-q", *arguments], input="\n".join(script), text=True, capture_output=True, check=True)
        if result.stderr:
            print(result.stderr, file=sys.stderr)
        body, types = result.stdout.split("TYPES\n")
        type_oid = dict(zip(names, types.split()))
        lines = []
        for (kind, marks), answer in zip(prefixes, body.splitlines(), strict=True):
            if answer.startswith("bad"):
                print(f"{calls.name}: {marks}: {answer}", file=sys.stderr)
                continue
            if kind == "io":
                lines.append("io\t" + answer)
                continue
            function, result_type, outcome = answer.split("\t", 2)
            if kind == "agg":
                types_of = ",".join(type_oid[t] for t in marks[0][1])
                values = [v for _, v in marks[1:]]
                lines.append("\t".join(["agg", function, result_type, types_of, str(len(values)), *values, outcome]))
            else:
                types_of = ",".join(type_oid[t] for t, _ in marks)
                lines.append("\t".join([kind, function, result_type, types_of, *[v for _, v in marks], outcome]))
        (HERE / "recorded" / f"{calls.stem}.tsv").write_text("\n".join(lines) + "\n")
        print(f"{calls.stem}: {len(lines)} of {len(prefixes)}")


if __name__ == "__main__":
    main()
