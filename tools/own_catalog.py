"""Indigo's own rows of the system tables, beside PostgreSQL's: functions, and views over them (catalog/views/).

Each is a copy of a PostgreSQL row of its sort with other names, types and OIDs. OIDs are from 8000 up, which PostgreSQL
leaves to development. A view's definition is SQL in catalog/views/storage_views.cpp, under its name.
"""

TYPES = {"oid": 26, "name": 19, "text": 25, "int4": 23, "int8": 20, "float8": 701, "timestamptz": 1184, "bool": 16,
         "xml": 142, "text[]": 1009, "any": 2276, "record": 2249}

# name -> OID, argument types, columns, description
FUNCTIONS = {
    "indigo_stat_get_storage": (8000, [], [
        ("commits", "int8"), ("rollbacks", "int8"), ("aborts_conflict", "int8"), ("aborts_serialization", "int8"),
        ("aborts_deadlock", "int8"), ("aborts_timeout", "int8"), ("aborts_canceled", "int8"), ("aborts_memory", "int8"),
        ("records_in_process", "int8"), ("versions", "int8"), ("retired_objects", "int8"), ("memory_bytes", "int8"),
        ("memory_limit_bytes", "int8")], "statistics: the storage engine"),
    "indigo_stat_get_memory": (8001, [], [("kind", "text"), ("bytes", "int8")],
                               "statistics: memory of the storage engine by kind"),
    "indigo_stat_get_table": (8002, ["oid"], [
        ("leaves", "int8"), ("leaf_bytes", "int8"), ("splits", "int8"), ("merges", "int8"), ("versions", "int8"),
        ("version_bytes", "int8"), ("chains", "int8"), ("chain_length_avg", "float8"), ("chain_length_max", "int8")],
        "statistics: how a table is stored"),
    "indigo_stat_get_log": (8003, [], [
        ("records", "int8"), ("bytes", "int8"), ("file_bytes", "int8"), ("appended_lsn", "int8"), ("durable_lsn", "int8"),
        ("flushes", "int8"), ("flush_time_avg", "float8"), ("flush_time_max", "float8"), ("records_per_flush", "float8"),
        ("checkpoints", "int8"), ("checkpoint_bytes", "int8"), ("checkpoint_time", "float8"), ("recovery_transactions", "int8"),
        ("recovery_bytes", "int8"), ("recovery_time", "float8")], "statistics: the log, checkpoints and recovery"),
    "indigo_stat_get_database_memory": (8005, [], [("datid", "oid"), ("kind", "text"), ("bytes", "int8")],
                                        "statistics: memory of each database by kind"),
    "indigo_stat_get_index_service": (8006, ["oid"], [
        ("backlog", "int8"), ("backlog_bytes", "int8"), ("age_ms", "float8"), ("batches", "int8"), ("merged", "int8"),
        ("stalls", "int8"), ("repairs", "int8")], "statistics: what an index does in the background"),
    "indigo_stat_get_workers": (8007, [], [
        ("worker", "int4"), ("state", "text"), ("pid", "int4"), ("query", "text"), ("piece_ms", "float8"), ("sessions", "int4"),
        ("pieces", "int8"), ("stalls", "int8")], "statistics: the threads that run sessions"),
    "indigo_backup": (8004, ["text"], [("bytes", "int8"), ("time", "float8")],
                      "copy everything that is kept, consistently, into a new data directory on the server"),
    "indigo_stat_get_snapshots": (8036, [], [("datid", "oid"), ("name", "name"), ("created", "timestamptz")],
                                  "what indigo_snapshot has put aside, of all databases"),
}
# Functions of one name that answer nothing: name -> OID, description
ACTIONS = {
    "indigo_snapshot": (8037, "put the whole database aside under a name"),
    "indigo_restore": (8038, "put the whole database back as it was put aside"),
    "indigo_drop_snapshot": (8039, "forget what was put aside under a name"),
}
MODEL_ACTION = "pg_replication_origin_drop"
# Arguments' names, where they are not "relation", and what only superusers may call.
ARGUMENTS = {"indigo_backup": ["directory"]}
PRIVILEGED = {"indigo_backup"}

# name -> OIDs of the view, its row type and that one's array type, columns
VIEWS = {
    "indigo_stat_storage": ((8010, 8011, 8012), FUNCTIONS["indigo_stat_get_storage"][2]),
    "indigo_stat_memory": ((8013, 8014, 8015), FUNCTIONS["indigo_stat_get_memory"][2]),
    "indigo_stat_tables": ((8016, 8017, 8018), [("relid", "oid"), ("schemaname", "name"), ("relname", "name")]
                           + FUNCTIONS["indigo_stat_get_table"][2]),
    "indigo_stat_log": ((8019, 8020, 8021), FUNCTIONS["indigo_stat_get_log"][2]),
    "indigo_stat_database_memory": ((8022, 8023, 8024), [("datid", "oid"), ("datname", "name"), ("kind", "text"),
                                                         ("bytes", "int8")]),
    "indigo_stat_index_service": ((8025, 8026, 8027), [("indexrelid", "oid"), ("schemaname", "name"),
                                                       ("indexrelname", "name"), ("method", "name")]
                                  + FUNCTIONS["indigo_stat_get_index_service"][2]),
    "indigo_snapshots": ((8041, 8042, 8043), [("datid", "oid"), ("datname", "name"), ("name", "name"),
                                              ("created", "timestamptz")]),
    "indigo_stat_workers": ((8033, 8034, 8035), FUNCTIONS["indigo_stat_get_workers"][2]),
}

# name -> OID and description of index access methods; their operator classes are btree's (catalog/access_method.cpp)
METHODS = {"griffin": (8030, "hash and b-tree index access method"),
           "indexlet": (8031, "b-tree index access method with writes in batches"),
           "hydralist": (8032, "radix tree and list index access method")}

# What the grammar's XML constructs are calls of (sql/analyze/expression/xml.cpp). name -> OID, arguments ("any": VARIADIC),
# result, strict, volatility
CONSTRUCTS = {
    "indigo_xmlelement": (8050, ["text", "text[]", "any"], "xml", False, "s"),
    "indigo_xmlforest": (8051, ["text[]", "any"], "xml", False, "s"),
    "indigo_xmlconcat": (8052, ["any"], "xml", False, "i"),
    "indigo_xmlparse": (8053, ["text", "bool", "bool"], "xml", True, "s"),
    "indigo_xmlpi": (8054, ["text", "any"], "xml", False, "i"),
    "indigo_xmlroot": (8055, ["xml", "text", "int4"], "xml", False, "i"),
    "indigo_xml_is_document": (8056, ["xml"], "bool", True, "i"),
    "indigo_xmlserialize": (8057, ["xml", "bool", "any"], "text", False, "i"),
    "indigo_xmltable": (8058, ["xml", "text", "text[]", "record", "text", "any"], "record", False, "s"),
}
SETS = {"indigo_xmltable": 100}  # and how many rows are expected
MODEL_CONSTRUCT, MODEL_VARIADIC = "xmlconcat2", "json_build_array"

# Collations of the C library that PostgreSQL's initdb finds on a machine with these locales, as its image is. name -> OID, locale
COLLATIONS = {"C.utf8": (12341, "C.utf8"), "en_US": (8044, "en_US.utf8"), "en_US.utf8": (8045, "en_US.utf8")}

MODEL_FUNCTION, MODEL_VIEW = "pg_stat_get_slru", "pg_stat_slru"


def _model(rows, column, value):
    return next(r for r in rows if r[column] == value)


def _functions(rows):
    for name, (oid, arguments, columns, _) in FUNCTIONS.items():
        yield dict(_model(rows, "proname", MODEL_FUNCTION), oid=oid, proname=name, prosrc=name,
                   proisstrict=True, pronargs=len(arguments), proargtypes=[TYPES[a] for a in arguments],
                   proallargtypes=[TYPES[t] for t in arguments + [t for _, t in columns]],
                   proargmodes=["i"] * len(arguments) + ["o"] * len(columns),
                   proargnames=ARGUMENTS.get(name, ["relation"] * len(arguments)) + [c for c, _ in columns],
                   prorows=100 if not arguments else 1,
                   **({"provolatile": "v", "proparallel": "u", "proacl": ["postgres=X/postgres"]} if name in PRIVILEGED else {}))
    for name, (oid, _) in ACTIONS.items():
        yield dict(_model(rows, "proname", MODEL_ACTION), oid=oid, proname=name, prosrc=name, proargnames=["name"], proacl=None)


def _constructs(rows):
    for name, (oid, arguments, result, strict, volatility) in CONSTRUCTS.items():
        variadic = arguments[-1] == "any"
        types = [TYPES[a] for a in arguments]
        model = next(r for r in rows if r["prosrc"] == (MODEL_VARIADIC if variadic else MODEL_CONSTRUCT))
        modes = ["i"] * (len(arguments) - 1) + ["v"] if variadic else None
        yield dict(model, oid=oid, proname=name, prosrc=name, proisstrict=strict, provolatile=volatility,
                   prorettype=TYPES[result], pronargs=len(arguments), proargtypes=types,
                   proallargtypes=types if variadic else None, proargmodes=modes, proargnames=None,
                   proretset=name in SETS, prorows=SETS.get(name, 0))


def _views(rows):
    for name, ((oid, row_type, _), columns) in VIEWS.items():
        yield dict(_model(rows, "relname", MODEL_VIEW), oid=oid, relname=name, reltype=row_type, relnatts=len(columns))


def _methods(rows):
    for name, (oid, _) in METHODS.items():
        yield dict(_model(rows, "amname", "btree"), oid=oid, amname=name)


def _types(rows):
    for name, ((oid, row_type, array_type), _) in VIEWS.items():
        yield dict(_model(rows, "typname", MODEL_VIEW), oid=row_type, typname=name, typrelid=oid, typarray=array_type)
        yield dict(_model(rows, "typname", "_" + MODEL_VIEW), oid=array_type, typname="_" + name, typelem=row_type)


def _columns(rows, types):
    model = _model(rows, "attname", "blks_zeroed")
    for (oid, _, _), columns in VIEWS.values():
        for number, (name, type_name) in enumerate(columns, 1):
            t = next(r for r in types if r["oid"] == TYPES[type_name])
            yield dict(model, attrelid=oid, attname=name, atttypid=t["oid"], attlen=t["typlen"], attnum=number,
                       attbyval=t["typbyval"], attalign=t["typalign"], attstorage=t["typstorage"],
                       attcollation=t["typcollation"])


def _descriptions(rows):
    for oid, text in ACTIONS.values():
        yield dict(_model(rows, "description", "statistics: information about SLRU caches"), objoid=oid, description=text)
    for oid, _, _, text in FUNCTIONS.values():
        yield dict(_model(rows, "description", "statistics: information about SLRU caches"), objoid=oid, description=text)
    for name, (oid, *_) in CONSTRUCTS.items():
        construct = name.removeprefix("indigo_").replace("xml_is_document", "is document").upper()
        yield dict(_model(rows, "description", "statistics: information about SLRU caches"), objoid=oid,
                   description="what " + construct + " is a call of")
    for oid, text in METHODS.values():
        yield dict(_model(rows, "description", "b-tree index access method"), objoid=oid, description=text)


def _collations(rows):
    for name, (oid, locale) in COLLATIONS.items():
        yield dict(_model(rows, "collname", "ucs_basic"), oid=oid, collname=name, collcollate=locale, collctype=locale)


def _initial_privileges(rows):
    model = next(r for r in rows if r["classoid"] == 1259 and r["initprivs"][-1].startswith("=r/"))
    for (oid, _, _), _ in VIEWS.values():
        yield dict(model, objoid=oid)
    # Without such a row pg_dump would restore grants that were never made.
    model = next(r for r in rows if r["classoid"] == 1255 and len(r["initprivs"]) == 1)
    for name in sorted(PRIVILEGED):
        yield dict(model, objoid=FUNCTIONS[name][0])


def add_own(table, rows, types):
    """`rows` of `table` with ours; `types` are pg_type's."""
    make = {"pg_proc": lambda r: [*_functions(r), *_constructs(r)], "pg_am": _methods, "pg_class": _views, "pg_collation": _collations,
            "pg_type": _types, "pg_description": _descriptions, "pg_init_privs": _initial_privileges,
            "pg_attribute": lambda r: _columns(r, types)}.get(table)
    return rows + list(make(rows)) if make else rows
