"""What makes a function's argument sensible beyond its type: formats, units, patterns, names, and counts that stay small."""
import re

import values
from values import chosen


def one_of(pool):
    return lambda rng: rng.choice(pool)


def parts(pool, least=1, most=5):
    return lambda rng: chosen(rng, pool, least, most)


def small(low=-3, high=40):
    return lambda rng: str(rng.choice([rng.randint(low, high), rng.randint(low, high), 200, 2000]))


REGEX, LIKE, FLAGS = parts(values.REGEX_PARTS), parts(values.LIKE_PARTS), one_of(values.FLAGS)
DATES, NUMBERS = parts(values.DATE_PARTS, 1, 7), parts(values.NUMBER_PARTS, 1, 9)
UNITS, ZONES, ENCODINGS = one_of(values.UNITS), one_of(values.ZONES), one_of(values.ENCODINGS)
SUBJECT = parts(["a", "b", "ab", "c", "A", "ä", "ß", "Σ", "1", " ", "_", "\n", "x"], 0, 9)
BYTES = one_of(["hex", "base64", "escape", "HEX", "b64"])
DIGESTS = lambda rng: values.value_text(rng, "bytea")  # noqa: E731
DATE_TEXT = lambda rng: rng.choice([values.moment(rng), values.day(rng)[0], values.clock(rng), "12 Feb 2020", "20200131", "1/2/99", "2020 5 44 BC"])  # noqa: E731
NUMBER_TEXT = lambda rng: rng.choice([values.decimal(rng), "1,234.50", "$12", "<5>", "5-", " 7", "XIV", "+3.1e4", "0001"])  # noqa: E731
STEP_PAIRS = {"int4": small(), "int8": small(), "numeric": small()}

# (name, argument types that must be there, {argument: maker of its text})
HINTS = [
    (r"regexp_|^textregex|^textic(regex)|^(name|bpchar)?(ic)?regex|^similar", "", {0: SUBJECT, 1: REGEX}),
    (r"regexp_replace$", "text text text text", {2: parts(["x", "\\1", "\\&", "\\\\", "ä", ""], 0, 3), 3: FLAGS}),
    (r"regexp_(match|matches|split_to_array|split_to_table)$", "text text text", {2: FLAGS}),
    (r"regexp_(instr|count|substr|replace|like)$", "int4", {2: small(0, 6), 3: small(0, 4), 4: small(0, 3), 5: FLAGS}),
    (r"^(text|name|bpchar)?(ic)?n?like$|^like$|^notlike$|like_escape", "", {0: SUBJECT, 1: LIKE}),
    (r"^substring$", "text text", {0: SUBJECT, 1: REGEX, 2: one_of(["\\", "#", "", "ab"])}),
    (r"^to_(date|timestamp)$", "text text", {0: DATE_TEXT, 1: DATES}),
    (r"^to_number$", "", {0: NUMBER_TEXT, 1: NUMBERS}),
    (r"^to_char$", "time", {1: DATES}),
    (r"^to_char$", "interval", {1: DATES}),
    (r"^to_char$", "int|numeric|float", {1: NUMBERS}),
    (r"^(date_part|date_trunc|extract)$", "", {0: UNITS, 2: ZONES}),
    (r"^timezone$", "text", {0: ZONES}),
    (r"^(convert|convert_from|convert_to|length|pg_char_to_encoding)$", "name", {1: ENCODINGS, 2: ENCODINGS}),
    (r"^(encode|decode)$", "", {1: BYTES}),
    (r"^decode$", "", {0: one_of(["", "00ff", "ZGFz", "0", "a\\\\b", "zz", " 0 a"])}),
    (r"^format$", "", {0: parts(values.FORMAT_PARTS)}),
    (r"^(repeat|lpad|rpad|left|right)$", "", {1: small()}),
    (r"^(substr|substring|overlay|bpchar|varchar)$", "int4", {1: small(), 2: small(), 3: small()}),
    (r"^generate_series$", "", {0: small(), 1: small(), 2: small()}),
    (r"^generate_subscripts$|^array_(lower|upper|length)$", "", {1: one_of(["0", "1", "2", "-1"])}),
    (r"^(split_part|string_to_array|string_to_table|strpos|position|replace|translate|btrim|ltrim|rtrim)$", "text",
     {0: SUBJECT, 1: parts(["a", "b", " ", "ä", "", "x"], 0, 2)}),
    (r"^(factorial|numeric_fac)$", "", {0: small(-2, 60)}),
    (r"^(pow|power|numeric_power|dpow)$", "numeric", {0: one_of(["0", "1", "-1", "2.5", "10", "-0.1", "1.0001"]), 1: one_of(["0", "2", "-3", "0.5", "40", "17.25"])}),
    (r"^(round|trunc)$", "numeric int4", {1: small(-40, 40)}),
    (r"^(scale|div|mod|exp|ln|log|sqrt)$|^numeric_(exp|ln|log|sqrt)$", "numeric", {0: lambda rng: values.decimal(rng)[:24], 1: lambda rng: values.decimal(rng)[:24]}),
    (r"^(set_masklen|bit|varbit)$|^bitshift", "int4", {1: small()}),
    (r"json.*_path|jsonb_set|jsonb_insert|jsonb_delete_path", "_text", {1: one_of(["{a}", "{a,b}", "{0}", "{b,0}", "{-1}", "{}", "{a,NULL}", "{a,b,c}", "{ä}", "{x,1}"])}),
    (r"^json", "text", {1: one_of(["a", "b", "ä", "", "0", "c"])}),
    (r"^make_(date|time|timestamp|timestamptz|interval)$", "", {i: small(-2, 59) for i in range(6)}),
    (r"^width_bucket$", "", {3: small(-1, 50)}),
    (r"^pg_get_(viewdef|indexdef|constraintdef|functiondef|expr)", "", {}),
    (r"^current_setting$", "", {0: one_of(["DateStyle", "work_mem", "nothing", "a.b", "", "search_path"])}),
    (r"^(has_\w+_privilege|pg_has_role)$", "", {}),
    (r"^to_reg", "", {0: one_of(["int4", "pg_class", "pg_catalog.lower", "+", "nothing", "a b", "\"x", "", "pg_catalog", "postgres", "now()", "C", "text[]", "varchar(3)"])}),
    (r"^(unistr)$", "", {0: parts(["a", "\\0061", "\\+01F600", "\\u00e4", "\\\\", "\\", "\\d83d", "z"])}),
    (r"^(parse_ident)$", "", {0: parts(["a", ".", '"B c"', " ", "1", "ä", '"'])}),
    (r"^(setseed)$", "", {0: one_of(["0.5", "2", "-1", "NaN"])}),
    (r"^pg_size_bytes$", "", {0: one_of(["1", "1 kB", "-2MB", "1.5 GB", "x", "1e3 b", "3 pb", ""])}),
]
COMPILED = [(re.compile(name), words, makers) for name, words, makers in HINTS]


def fits(words, types):
    have = " ".join(types)
    return any(part in have for part in words.split("|"))


def for_call(name, types, rng):
    """{argument index: text} for a call of that function; mostly all of them, so that calls get past their checks."""
    out = {}
    for pattern, words, makers in COMPILED:
        if pattern.search(name) and fits(words, types):
            for i, maker in makers.items():
                if i < len(types) and rng.random() < 0.85:
                    out[i] = maker(rng)
    return out
