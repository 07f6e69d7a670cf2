"""Whether two answers are alike, and the rules that explain what may differ (docs/compatibility.md names each of them)."""
import math
import re
from dataclasses import dataclass

from server import LOST, SILENT, TOO_MANY

TRANSCENDENTAL = re.compile(r"\b(exp|ln|log|log10|power|pow|dpow|dexp|dlog\w*|sqrt|cbrt|a?(sin|cos|tan|cot)[dh]?|atan2d?|asinh|acosh|atanh|degrees|radians"
                            r"|corr|regr_\w+|covar_\w+|var\w*|stddev\w*|avg|sum|erf)\b|\^|\|/")
KEEPS_ONE = re.compile(r"\b(DISTINCT|GROUP BY|UNION|INTERSECT|EXCEPT|min|max|greatest|least|mode|GREATEST|LEAST)\b", re.IGNORECASE)
ODD_NUMBER_TEMPLATE = re.compile(r"'[^'9]*'::text|'[^']*(RN[^']*(RN|9|0)|(9|0)[^']*RN)[^']*'::text", re.IGNORECASE)
ROW_ERRORS = ("22003", "22008", "22012")
CANCELLED, DATA_ERRORS = "57014", ("22", "23", "21", "2F", "39", "42", "54", "55", "0A", "XX")


@dataclass
class Verdict:
    alike: bool
    rule: str = ""  # of what explains a difference
    ends: bool = False  # what follows in the same script does not compare

    def __bool__(self):
        return self.alike


def number(cell):
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def near(a, b):
    """The same up to the last digits of floats, also inside arrays and records."""
    if a is None or b is None:
        return a is b
    left, right = (re.split(r"([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?))", cell) for cell in (a, b))
    if len(left) != len(right):
        return False
    for x, y in zip(left, right):
        p, q = number(x), number(y)
        if x != y and (p is None or q is None or not math.isclose(p, q, rel_tol=1e-13, abs_tol=1e-300)):
            return False
    return True


def equal_values(a, b, types, ask):
    """Do the cells that differ hold values that PostgreSQL itself calls equal?"""
    for cells in zip(a, b):
        for i, (x, y) in enumerate(zip(*cells)):
            if x == y:
                continue
            if x is None or y is None:
                return False
            name = ask(f"SELECT {types[i]}::regtype").rows[0][0] if types[i] < 16384 else None
            quoted = [cell.replace("'", "''") for cell in (x, y)]
            if name is None or ask(f"SELECT '{quoted[0]}'::{name} = '{quoted[1]}'::{name}").rows != [("t",)]:
                return False
    return True


def known_difference(sql, ours, theirs):
    """The rules that go by what a statement calls."""
    if (ours.state, ours.message, ours.rows) == (theirs.state, theirs.message, theirs.rows):
        return ""
    if '"char"' in sql and ("\\\\2" in sql or "\ufffd" in str(theirs.rows)):
        return "a byte above 127 in \"char\" as text"
    if "precision must be between" in ours.message and not theirs.state:
        return "a precision below zero given to a length coercion by hand"
    if "reg" in sql and theirs.state in ("42601", "22P02", "42602") and (not ours.state or ours.state in ("42704", "42883", "42601", "42602")):
        return "malformed names of types and functions"
    if "percentile" in ours.message + theirs.message and "FILTER" in sql and bool(ours.state) != bool(theirs.state):
        return "percentiles of no rows"
    if re.search(r"(first|nth|last)_value.*EXCLUDE TIES", sql):
        return "EXCLUDE TIES of a frame without the current row"
    if theirs.state == "21000" and "WITH TIES" in sql and re.search(r"(min|max|bool_and|bool_or)\(", sql):
        return "min, max or bool_and with WITH TIES, which PostgreSQL 15 cannot run over an index"
    if re.search(r"to_(date|timestamp)\"\([^)]*, '[^']*[^\x00-\x7f]", sql):
        return "letters beyond ASCII in templates of to_date"
    if "make_interval" in sql and ours.state == "22008" and not theirs.state:
        return "make_interval beyond its range"
    if {ours.state, theirs.state} <= {"22007", "22008", "22009", "22015"}:
        return "which fault of a malformed date or time is told"
    if "could not determine row type" in theirs.message and (sql.count("to_record") > 1 or ours.state == "0A000"):
        return "json_to_record without a column definition list, of null"
    if ours.state == theirs.state == "22P02" and "malformed array literal" in ours.message and "malformed array literal" in theirs.message:
        return "what the message of a malformed array literal with bounds quotes"
    if "dissimilar column types" in theirs.message and not ours.state:
        return "records of different shapes that are sorted or told apart"
    if re.search("json.*record", sql) and ours.state == "0A000" and ("into domains" in ours.message or "anonymous composite" in ours.message):
        return "JSON into domains and into records without a shape"
    if "enum_" in sql and (ours.state, theirs.state) == ("42804", "42883"):
        return "enum functions of untyped text"
    if "mood" in sql and re.search("hash_(array|record)", sql):
        return "hashes of enums, which are of their OIDs"
    if re.search(r"\bage\b", sql) and "infinity" in sql:
        return "the difference of infinite timestamps"
    if ours.state and not theirs.state and sql.count("pg_catalog") > 1 and {c for row in theirs.rows for c in row} <= {None}:
        return "a call beside a null that PostgreSQL drops while it plans"
    if ours.state == theirs.state == "2201B":
        return "which fault of a faulty regular expression is told"
    if re.search("to_(char|number)", sql) and ODD_NUMBER_TEMPLATE.search(sql):
        return "templates of numbers without a place for a digit, or with RN beside other patterns"
    return ""


def compare(sql, ours, theirs, ask=None, only_types=False, message=True, ordered=True, single=True, plans=False, constraints=False):
    """ours, theirs: Answers to `sql`. ask: sends a question to PostgreSQL. single: one row, errors come in one order.
    constraints: several rows may violate several constraints. plans: which rows a condition or an output value is computed for is the plan's choice."""
    if ours.state in (LOST, SILENT) or ours.state.startswith("XX"):
        return Verdict(ours.state.startswith("XX") and ours.state == theirs.state)
    if theirs.state in (CANCELLED, LOST, SILENT, "53200") or ours.state == theirs.state == TOO_MANY:
        return Verdict(True, "too long or too much for PostgreSQL")
    if plans and any("FULL JOIN is only supported" in answer.message for answer in (ours, theirs)):
        return Verdict(True, "FULL JOIN without a condition to hash")
    if known := known_difference(str(sql), ours, theirs):
        return Verdict(True, known)
    if ours.state or theirs.state:
        if bool(ours.state) != bool(theirs.state):
            of_a_row = plans and (ours.state or theirs.state) in ROW_ERRORS
            return Verdict(of_a_row, "an error in a row that the plan need not look at" if of_a_row else "")
        if ours.state == theirs.state and (not message or ours.message == theirs.message):
            return Verdict(True)
        if not single and ours.state[:2] in DATA_ERRORS and ours.state not in ("0A000", "42883", "XX000"):
            return Verdict(True, "one of several possible errors")
        return Verdict(False)
    if ours.types != theirs.types or ours.tags != theirs.tags:
        return Verdict(False)
    if only_types:
        return Verdict(len(ours.rows) == len(theirs.rows))
    a, b = (ours.rows, theirs.rows) if ordered else (sorted(answer.rows, key=repr) for answer in (ours, theirs))
    if a == b:
        return Verdict(True)
    if len(a) != len(b):
        return Verdict(False)
    text = str(sql)
    if TRANSCENDENTAL.search(text) and all(near(x, y) for p, q in zip(a, b) for x, y in zip(p, q)):
        return Verdict(True, "last digit of a float")
    if ask is not None and (ordered or KEEPS_ONE.search(text)) and equal_values(a, b, theirs.types, ask):
        return Verdict(True, "which of equal values remains")
    return Verdict(False)


LAX = "/* lax */"  # in statements whose rows come in no order
ANY_ERROR = "/* any error */"  # in statements of which several rows may fail


def compare_program(sql, ours, theirs, ask):
    """As compare(), and the notices, and what an error tells beside its message."""
    for answer in (ours, theirs):  # how many portals a session has had
        answer.message = re.sub(r"<unnamed portal \d+>", "<unnamed portal>", answer.message)
    lax = LAX in sql
    ordered = ("ORDER BY" in sql or sql.startswith("INSERT")) and not lax
    verdict = compare(sql, ours, theirs, ask, ordered=ordered, single=not lax and ANY_ERROR not in sql)
    if not verdict or verdict.ends or verdict.rule:
        return Verdict(verdict.alike, verdict.rule, bool(verdict.rule))
    if theirs.state and (lax or ANY_ERROR in sql):
        return verdict
    if theirs.state and any(ours.told.get(letter) != theirs.told.get(letter) for letter in "DHW"):
        return Verdict(False)
    notices = [sorted(answer.notices) if lax else answer.notices for answer in (ours, theirs)]
    return Verdict(notices[0] == notices[1])
