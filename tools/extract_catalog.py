#!/usr/bin/env python3
"""Writes types/generated/ and catalog/generated/ from a PostgreSQL 15 server: the built-in rows of the system tables, as
constant C++ arrays. The tables of types, functions and operators are types/', all others are catalog/'s.

    tools/extract_catalog.py [psql option...]        e.g. tools/extract_catalog.py -h /tmp -p 5432 -U postgres

The server must be freshly initialised (initdb --locale=C -E UTF8): every row below OID 16384 counts as built in.
tools/own_catalog.py adds Indigo's own.
The format is described in types/builtin/static_table.h.
"""
import json, os, struct, subprocess, sys

from own_catalog import add_own

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TYPE_TABLES = {"pg_aggregate", "pg_amop", "pg_amproc", "pg_cast", "pg_opclass", "pg_operator", "pg_opfamily", "pg_proc",
               "pg_range", "pg_type"}
PSQL = ["psql", "-X", "-At", "-d", "template1"] + sys.argv[1:]

# Tables whose rows are not taken over (they describe PostgreSQL's own files, or are filled by the server itself).
EMPTY = {"pg_rewrite", "pg_depend", "pg_shdepend", "pg_statistic", "pg_database",
         "pg_constraint", "pg_shdescription"}
WHERE = {
    "pg_proc": "oid < 16384",
    "pg_collation": "oid < 12000 or collname = 'ucs_basic' or collprovider = 'i'",
    "pg_class": "oid < 16384 and relnamespace <> 99",
    "pg_type": "oid < 16384 and typnamespace <> 99",
    "pg_attribute": "attrelid in (select oid from pg_class where oid < 16384 and relnamespace <> 99)",
    "pg_index": "indrelid in (select oid from pg_class where oid < 16384 and relnamespace <> 99)",
    "pg_authid": "oid < 16384",
    "pg_init_privs": "classoid = 'pg_proc'::regclass or (classoid = 'pg_class'::regclass and objoid in"
                     " (select oid from pg_class where relnamespace = 11)) or objoid = 11",
    "pg_description": "not (classoid = 'pg_collation'::regclass and objoid > 12000) and objoid < 16384",
}
ALL_COLUMNS_KEY = {
    "pg_depend": ["classid", "objid", "objsubid", "refclassid", "refobjid", "refobjsubid", "deptype"],
    "pg_shdepend": ["dbid", "classid", "objid", "objsubid", "refclassid", "refobjid", "deptype"],
}
# Values that describe PostgreSQL's files or statistics.
OVERRIDE = {
    ("pg_class", "reltoastrelid"): "0", ("pg_class", "relpages"): "0", ("pg_class", "reltuples"): "-1::real",
    ("pg_class", "relallvisible"): "0", ("pg_class", "relfrozenxid"): "case when relkind = 'r' then 3 else 0 end",
    ("pg_class", "relminmxid"): "case when relkind = 'r' then 1 else 0 end",
    ("pg_authid", "rolpassword"): "null::text",
}
PHYS = {"bool": ("kBool", 1), "int2": ("kI16", 2), "int4": ("kI32", 4), "oid": ("kI32", 4), "regproc": ("kI32", 4),
        "xid": ("kI32", 4), "float4": ("kF32", 4), "int8": ("kI64", 8), "timestamptz": ("kI64", 8), "pg_lsn": ("kI64", 8)}
PHYS_CODE = {"kBool": 0, "kI16": 1, "kI32": 2, "kI64": 3, "kF32": 4, "kF64": 5, "kB16": 6, "kStr": 7}


def query(sql):
    out = subprocess.run(PSQL + ["-c", f"select coalesce(json_agg(t), '[]') from ({sql}) t"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def array_bytes(elem_oid, phys, values, lower):
    """types/value/array_format.h's format."""
    code = PHYS_CODE[phys]
    if not values:
        return struct.pack("<BBBBI", 0, 0, code, 0, elem_oid)
    out = struct.pack("<BBBBIii", 1, 0, code, 0, elem_oid, len(values), lower)
    if phys == "kStr":
        raw = [v if isinstance(v, bytes) else v.encode() for v in values]
        end = 0
        for r in raw:
            end += len(r)
            out += struct.pack("<I", end)
        return out + b"".join(raw)
    fmt = {"kI16": "<h", "kI32": "<I", "kF32": "<f"}[phys]
    return out + b"".join(struct.pack(fmt, v) for v in values)


class Pool:
    def __init__(self):
        self.data, self.at = bytearray(), {}

    def add(self, b):
        if b not in self.at:
            self.at[b] = len(self.data)
            n = len(b)
            self.data += bytes([n]) if n < 255 else b"\xff" + struct.pack("<I", n)
            self.data += b
        return self.at[b]


ROLES = {r["rolname"]: r["oid"] for r in query("select rolname, oid::int8 from pg_authid")}
PRIVILEGES = "arwdDxtXUCTcsA"


def acl_bytes(text):
    """types/value/acl.h's format of one aclitem: grantee, grantor, privileges (low half), grant options (high half)."""
    who, rest = text.split("=", 1)
    privs, grantor = rest.split("/", 1)
    bits, i = 0, 0
    while i < len(privs):
        b = PRIVILEGES.index(privs[i])
        bits |= 1 << b
        if privs[i + 1:i + 2] == "*":
            bits |= 1 << (b + 16)
            i += 1
        i += 1
    return struct.pack("<III", ROLES[who] if who else 0, ROLES[grantor], bits)


def select_item(table, col):
    name, typ = col["name"], col["typname"]
    expr = OVERRIDE.get((table, name), f'"{name}"')
    if typ in ("oid", "regproc", "xid"):
        return f'({expr}::oid::int8) as "{name}"' if typ != "xid" else f'({expr}::text::int8) as "{name}"'
    if typ in ("oidvector",):
        return f'({expr}::oid[]::int8[]) as "{name}"'
    if typ == "int2vector":
        return f'({expr}::int2[]) as "{name}"'
    if typ == "_oid":
        return f'({expr}::int8[]) as "{name}"'
    if typ == "_aclitem":
        return f'({expr}::text[]) as "{name}"'
    if typ == "pg_node_tree":
        rel = {"pg_proc": "0", "pg_index": "indrelid", "pg_attrdef": "adrelid"}.get(table)
        return f'(pg_get_expr({expr}, {rel})) as "{name}"' if rel and name != "prosqlbody" else f'(null::text) as "{name}"'
    if typ == "anyarray":
        return f'(null::text) as "{name}"'
    return f'({expr}) as "{name}"'


def cell(col, v, pool):
    """(kind, integer)"""
    typ = col["typname"]
    if v is None:
        return None
    if typ == "bool":
        return int(v)
    if typ == "float4":
        return struct.unpack("<I", struct.pack("<f", v))[0]
    if typ in PHYS:
        return v & 0xFFFFFFFF if typ != "int2" else v & 0xFFFF
    if typ == "char":
        return pool.add(v.encode() if v else b"\0")
    if typ in ("name", "text"):
        return pool.add(v.encode())
    if typ == "oidvector":
        return pool.add(array_bytes(26, "kI32", v, 0))
    if typ == "int2vector":
        return pool.add(array_bytes(21, "kI16", v, 0))
    if typ == "_oid":
        return pool.add(array_bytes(26, "kI32", v, 1))
    if typ == "_int2":
        return pool.add(array_bytes(21, "kI16", v, 1))
    if typ == "_text":
        return pool.add(array_bytes(25, "kStr", v, 1))
    if typ == "_char":
        return pool.add(array_bytes(18, "kStr", v, 1))
    if typ == "_float4":
        return pool.add(array_bytes(700, "kF32", v, 1))
    if typ == "_aclitem":
        return pool.add(array_bytes(1033, "kStr", [acl_bytes(x) for x in v], 1))
    if typ == "pg_node_tree":
        return pool.add(v.encode())
    raise SystemExit(f"no cell form for {typ}")


def c_string(b):
    out, line = [], []
    for i in range(0, len(b), 96):
        s = ""
        for ch in b[i:i + 96]:
            s += chr(ch) if 32 <= ch < 127 and ch not in (34, 92, 63) else "\\%03o" % ch
        out.append(f'    "{s}"')
    return "\n".join(out) if out else '    ""'


def ints(values):
    out, line = [], ""
    for v in values:
        s = f"{v},"
        if len(line) + len(s) > 116:
            out.append("    " + line)
            line = ""
        line += s
    out.append("    " + line)
    return "\n".join(out)


HEADER = "// Generated by tools/extract_catalog.py from a PostgreSQL 15 server. Do not edit.\n"


BIG = {"pg_proc", "pg_attribute", "pg_description"}  # a source of their own


class Room:
    """What lies in one folder's generated/: some tables, their strings, their columns' numbers."""

    def __init__(self, name):
        self.name, self.pool = name, Pool()
        self.pool.add(b"")
        self.tables, self.entries, self.enums, self.orders = [], [], [], {}
        self.out = os.path.join(ROOT, name, "generated")

    def open(self, name):
        os.makedirs(self.out, exist_ok=True)
        return open(os.path.join(self.out, name), "w")

    def write(self):
        space = f"indigo::{self.name}"
        begin, end = f"namespace {space}::generated {{\n", f"}}  // namespace {space}::generated\n"
        include = f'#include "{self.name}/generated/static_tables.h"\n\n' + begin
        for name, code in self.tables:
            if name in BIG:
                arrays, columns = code.split("const StaticColumn", 1)
                columns = columns.replace("const uint8_t kKey_", f"extern const uint8_t kKey_{name}[];\nconst uint8_t kKey_", 1)
                with self.open(name + ".cpp") as f:
                    f.write(HEADER + include + "namespace {\n" + arrays + "}  // namespace\n"
                            + f"extern const StaticColumn kColumns_{name}[];\nconst StaticColumn" + columns + end)
        shared = {name for name, _ in self.tables if name in TYPE_TABLES}
        with self.open("static_tables.cpp") as f:
            f.write(HEADER + include)
            for name, _ in self.tables:
                if name in BIG and name not in shared:
                    f.write(f"extern const StaticColumn kColumns_{name}[];\nextern const uint8_t kKey_{name}[];\n")
            small = [(name, code) for name, code in self.tables if name not in BIG]
            for name, code in small:
                if name in shared:
                    arrays, columns = code.split("const StaticColumn", 1)
                    f.write("namespace {\n" + arrays + "}  // namespace\nconst StaticColumn" + columns)
                else:
                    f.write("namespace {\n" + code + "}  // namespace\n")
            self.entries.sort(key=lambda entry: entry.split('"')[1])
            f.write("\nconst StaticTable kTables[] = {\n" + "\n".join(self.entries)
                    + f"\n}};\nconst uint32_t kTableCount = {len(self.entries)};\n")
            for name, rows in self.orders.items():
                f.write(f"const uint16_t {name}[] = {{\n{ints(rows)}\n}};\nconst uint32_t {name}Count = {len(rows)};\n")
            f.write(end)
        with self.open("pool.cpp") as f:
            f.write(HEADER + include + "const char kPool[] =\n" + c_string(bytes(self.pool.data)) + ";\n" + end)
        with self.open("static_tables.h") as f:
            f.write(HEADER + "// The arrays behind types/builtin/static_table.h, which explains them.\n#pragma once\n\n"
                    "#include <cstdint>\n\n#include \"types/builtin/static_table.h\"\n"
                    + ("" if shared else '#include "types/generated/static_tables.h"\n') + "\n" + begin)
            f.write(("" if shared else "using types::StaticColumn;\nusing types::StaticTable;\n") + "extern const char kPool[];\n"
                    "extern const StaticTable kTables[];  // by name\nextern const uint32_t kTableCount;\n")
            for name in sorted(shared):
                f.write(f"extern const StaticColumn kColumns_{name}[];\nextern const uint8_t kKey_{name}[];\n")
            if self.orders:
                f.write("// Row numbers of a table in another order.\n")
            for name in self.orders:
                f.write(f"extern const uint16_t {name}[];\nextern const uint32_t {name}Count;\n")
            f.write(end)
        with self.open("columns.h") as f:
            f.write(HEADER + "// Column ordinals (attnum - 1) and OIDs of the system tables.\n#pragma once\n\n#include <cstdint>\n\n"
                    "#include \"base/ids.h\"\n" + ("" if shared else '#include "types/generated/columns.h"\n')
                    + f"\nnamespace {space} {{\n\n" + "\n\n".join(self.enums) + "\n\n")
            if not shared:
                f.write("// The tables of types/.\n"
                        + "".join(f"namespace {name} = types::{name};\n" for name in sorted(TYPE_TABLES)) + "\n")
            f.write(f"}}  // namespace {space}\n")


def main():
    tables = query("select oid::int8, relname as name, relisshared as shared, reltype::int8 as row_type from pg_class"
                   " where relnamespace = 11 and relkind = 'r' order by relname")
    columns = query("select attrelid::int8 as rel, attname as name, atttypid::int8 as type, typname, attnotnull as nn,"
                    " attcollation::int8 as coll from pg_attribute a join pg_type t on t.oid = atttypid"
                    " where attnum > 0 and attrelid < 16384 order by attrelid, attnum")
    keys = query("select indrelid::int8 as rel, indkey::int2[] as cols, indexrelid::int8 as index, c.relname as name"
                 " from pg_index join pg_class c on c.oid = indexrelid where indisprimary")
    rooms = {name: Room(name) for name in ("types", "catalog")}
    by_rows = {}
    types = query("select oid::int8, typlen, typbyval, typalign, typstorage, typcollation::int8 from pg_type")
    for t in tables:
        name = t["name"]
        cols = [c for c in columns if c["rel"] == t["oid"]]
        primary = next((k for k in keys if k["rel"] == t["oid"]), None)
        if name in ALL_COLUMNS_KEY:
            key = [next(i for i, c in enumerate(cols) if c["name"] == n) for n in ALL_COLUMNS_KEY[name]]
        else:
            key = [n - 1 for n in primary["cols"]]
        rows = []
        if name not in EMPTY:
            sel = ", ".join(select_item(name, c) for c in cols)
            rows = query(f"select {sel} from pg_catalog.{name} where {WHERE.get(name, 'true')}")
            rows = add_own(name, rows, types)

        def key_of(r):
            out = []
            for k in key:
                v = r[cols[k]["name"]]
                out.append(v.encode() if isinstance(v, str) else v)
            return out
        rows.sort(key=key_of)
        by_rows[name] = (cols, rows)
        room = rooms["types" if name in TYPE_TABLES else "catalog"]
        body, desc = [], []
        for i, c in enumerate(cols):
            phys, _ = PHYS.get(c["typname"], ("kStr", 4))
            cells = [cell(c, r[c["name"]], room.pool) for r in rows]
            pooled = phys == "kStr"
            has_null = any(v is None for v in cells)
            if has_null and not pooled and any(v is not None for v in cells):
                raise SystemExit(f"{name}.{c['name']}: nulls among fixed values")
            values = [0xFFFFFFFF if v is None else v for v in cells]
            if not rows or all(v == values[0] for v in values):
                const = values[0] if rows else 0
                data, width = "nullptr", 0
            else:
                const, lo = 0, 0
                if pooled and has_null:
                    width = 4
                else:
                    width = 1 if max(values) < 256 else 2 if max(values) < 65536 else 4
                ident = f"k_{name}_{c['name']}"
                body.append(f"const uint{8 * width}_t {ident}[] = {{\n{ints(values)}\n}};")
                data = ident
            null_const = has_null and width == 0
            desc.append(f'    {{"{c["name"]}", {c["type"]}, {c["coll"]}, Phys::{phys}, {str(c["nn"]).lower()}, {width}, '
                        f'{str(null_const).lower()}, {const}u, {data}, kPool}},')
        code = "\n".join(body)
        code += f"\nconst StaticColumn kColumns_{name}[] = {{\n" + "\n".join(desc) + "\n};\n"
        code += f"const uint8_t kKey_{name}[] = {{{', '.join(map(str, key))}}};\n"
        room.tables.append((name, code))
        entry = (f'    {{{t["oid"]}, "{name}", {t["row_type"]}, {primary["index"] if primary and name not in ALL_COLUMNS_KEY else 0}, '
                       f'"{primary["name"] if primary and name not in ALL_COLUMNS_KEY else ""}", '
                       f'{str(t["shared"]).lower()}, {len(cols)}, {len(key)}, {len(rows)}, ')
        room.entries.append(f"{entry}kColumns_{name}, kKey_{name}}},")
        if room is not rooms["catalog"]:
            there = "types::generated::"
            rooms["catalog"].entries.append(f"{entry}{there}kColumns_{name}, {there}kKey_{name}}},")
        room.enums.append(f"namespace {name} {{\ninline constexpr Oid kOid = {t['oid']};\nenum Column : uint8_t {{ "
                     + ", ".join("c_" + c["name"] for c in cols) + f", column_count }};\n}}  // namespace {name}")

    def order(name, keyf):
        cols, rows = by_rows[name]
        return sorted(range(len(rows)), key=lambda i: keyf(rows[i]) + [i])
    rooms["types"].orders = {
        "kProcByName": order("pg_proc", lambda r: [r["proname"].encode()]),
        "kOperatorByName": order("pg_operator", lambda r: [r["oprname"].encode()]),
        "kTypeByName": order("pg_type", lambda r: [r["typname"].encode()]),
        "kCastByPair": order("pg_cast", lambda r: [r["castsource"], r["casttarget"]]),
    }
    for room in rooms.values():
        room.write()
    print({n: len(r) for n, (c, r) in by_rows.items() if r}, {room.name: len(room.pool.data) for room in rooms.values()})


main()
