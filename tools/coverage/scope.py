"""The rows that count: pg_proc, pg_operator, pg_cast, pg_aggregate and pg_type over built types, and what is left for later."""
import re
from dataclasses import dataclass

# Types that Indigo does not have yet, with their arrays: whatever takes or gives one is not counted.
LATER_TYPES = """tsvector tsquery gtsvector regconfig regdictionary
 int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange nummultirange tsmultirange
 tstzmultirange datemultirange anyrange anymultirange anycompatiblerange anycompatiblemultirange
 pg_snapshot txid_snapshot pg_brin_bloom_summary pg_brin_minmax_multi_summary pg_dependencies pg_mcv_list pg_ndistinct""".split()

# Types of which no value can be written in SQL.
INTERNAL_TYPES = """internal cstring trigger event_trigger fdw_handler index_am_handler language_handler table_am_handler
 tsm_handler pg_ddl_command pg_node_tree""".split()

# Subjects of their own, or of other parts: what the server's files, log, replication and statistics collector show.
LATER_FUNCTIONS = re.compile(
    r"""^(binary_upgrade_|lo_|lo(read|write)$|pg_ls_|pg_read_|pg_stat_|pg_replication|pg_logical|pg_wal|pg_walfile
    |pg_create_|pg_drop_|pg_copy_|pg_switch_|pg_last_|pg_backup|pg_control_|pg_current_wal|pg_current_logfile|pg_import_
    |pg_promote|pg_rotate|pg_reload|pg_log_backend|pg_get_wal|pg_hba|pg_ident_file|pg_show_all_file|pg_get_shmem
    |pg_get_backend_mem|pg_get_multixact|pg_get_replic|pg_get_publication|pg_nextoid|pg_stop_making|pg_file|brin_|gin_|amvalidate
    |plpgsql_|fmgr_|RI_|ts_|pg_ts_|get_current_ts|has_(foreign|server|language)|pg_xact_commit|pg_isolation|pg_safe_
    |pg_terminate|pg_cancel|pg_sleep|currtid|pg_jit|pg_partition|pg_statistics_obj|pg_mcv|pg_event_trigger|pg_get_object_address
    |pg_extension|pg_export_snapshot|pg_show_repl|query_to_xml|table_to_xml|cursor_to_xml|database_to_xml|schema_to_xml
    |pg_tablespace_|pg_available_ext|pg_notif|pg_listening|pg_snapshot
    |pg_visible_in|pg_xact_status|pg_timezone|pg_collation_actual|pg_database_collation|pg_conversion|pg_prepared|pg_cursor|pg_lock
    |pg_blocking|unique_key|suppress_red|row_security|pg_trigger|pg_describe|pg_identify|pg_options_to|postgresql_fdw
    |pg_index(am|_column|_has)|pg_get_catalog_for|pg_config$|pg_show_all
    |satisfies_hash_part|dist_|.*range_subdiff$|pg_get_ruledef|pg_get_triggerdef|ts_match)""",
    re.VERBOSE,
)

# Values that are the server's, the session's or the moment's own: only the types are compared.
OWN_VALUE = re.compile(
    r"^(random|now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|version|pg_backend_pid|current_"
    r"|pg_my_temp|pg_current_xact|pg_current_snapshot|pg_char_to|pg_size_bytes$|pg_get_keywords|pg_column_size"
    r"|pg_column_compression|pg_relation_|mxid_age|nextval|currval|lastval|setval|txid_|pg_.*_size$|gen_random|pg_conf_load|pg_postmaster"
    r"|inet_(client|server)|hashenum|pg_sequence_last|pg_is_wal)"
)


@dataclass
class Row:
    kind: str
    name: str
    arguments: list  # type names, pg_catalog's
    result: str = ""
    set: bool = False
    variadic: str = ""
    direct: int = 0
    aggregate_kind: str = "n"

    @property
    def signature(self):
        if self.kind == "cast":
            return f"{self.arguments[0]} AS {self.result}"
        if self.kind == "type":
            return self.name
        if self.kind == "operator":
            return " ".join([*self.arguments[:-1], self.name, self.arguments[-1]])
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def own_value(self):
        of_today = ("age(xid)", "age(timestamp)", "age(timestamptz)")  # answers count from the day or the transaction of the call
        return self.signature in of_today or (self.kind == "function" and OWN_VALUE.match(self.name) is not None)


def later(type_name):
    base = type_name.removeprefix("_")
    return base in LATER_TYPES or base in INTERNAL_TYPES


NAMES = "coalesce((SELECT string_agg(t.typname, ' ' ORDER BY n) FROM unnest(%s) WITH ORDINALITY a(o, n) JOIN pg_type t ON t.oid = o), '')"


def rows(ask):
    out = []
    for name, arguments, result, returns_set, kind, variadic, direct, aggregate_kind in ask(
        f"SELECT p.proname, {NAMES % 'p.proargtypes'}, r.typname, p.proretset, p.prokind, coalesce(v.typname, ''),"
        " coalesce(g.aggnumdirectargs, 0), coalesce(g.aggkind, 'n') FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype"
        " LEFT JOIN pg_type v ON v.oid = p.provariadic LEFT JOIN pg_aggregate g ON g.aggfnoid = p.oid"
        " WHERE p.oid < 16384 AND p.pronamespace = 11 ORDER BY 1, 2"
    ):
        if LATER_FUNCTIONS.match(name) or any(map(later, arguments.split() + [result])):
            continue
        out.append(
            Row({"f": "function", "p": "function", "a": "aggregate", "w": "window"}[kind], name, arguments.split(), result,
                returns_set == "t", variadic, int(direct), aggregate_kind)
        )
    for name, left, right, result in ask(
        "SELECT o.oprname, coalesce(l.typname, ''), r.typname, t.typname FROM pg_operator o LEFT JOIN pg_type l ON l.oid ="
        " oprleft JOIN pg_type r ON r.oid = oprright JOIN pg_type t ON t.oid = oprresult WHERE o.oid < 16384 ORDER BY 1, 2, 3"
    ):
        if name != "@@" and not any(map(later, [left, right, result])) or right == "jsonpath":
            out.append(Row("operator", name, [t for t in (left, right) if t], result))
    for source, target in ask(
        "SELECT s.typname, t.typname FROM pg_cast c JOIN pg_type s ON s.oid = castsource JOIN pg_type t ON t.oid = casttarget"
        " WHERE c.oid < 16384 ORDER BY 1, 2"
    ):
        if not later(source) and not later(target):
            out.append(Row("cast", source, [source], target))
    for (name,) in ask(
        "SELECT typname FROM pg_type t WHERE oid < 16384 AND typtype = 'b' AND typnamespace = 11 AND typname NOT LIKE 'pg\\_%' AND (typelem = 0 OR typlen <> -1 OR (SELECT typtype FROM pg_type e WHERE e.oid = t.typelem) = 'b')"
        " ORDER BY typname LIKE '\\_%', typname"
    ):
        if not later(name):
            out.append(Row("type", name, [], name))
    return out
