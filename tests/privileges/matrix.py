"""Who may do what: every statement of a kind of object, as everybody who could try it.

A cell is (who, statement). It runs in a transaction of its own that is rolled back: the superuser makes the grants of `who`,
becomes that role, and the statement answers a SQLSTATE, 00000 when it works. Contexts (matrix_setup.py) and statements
(matrix_relations.py, matrix_objects.py, matrix_rows.py, matrix_definitions.py, matrix_schemas.py and the catalogs here) are lists, so that a new statement is tried
by everybody at once.
"""

import matrix_definitions
import matrix_objects
import matrix_relations
import matrix_routines
import matrix_rows
import matrix_schemas
from matrix_setup import EVERYBODY, grants

CATALOGS = ("pg_authid", "pg_auth_members", "pg_class", "pg_proc", "pg_attribute", "pg_database", "pg_statistic",
            "pg_db_role_setting", "pg_namespace", "pg_type", "pg_default_acl", "pg_policy", "pg_rewrite", "pg_shdepend",
            "pg_subscription", "pg_tablespace", "pg_largeobject", "pg_user_mapping", "pg_statistic_ext_data", "pg_parameter_acl")
VIEWS = ("pg_shadow", "pg_user", "pg_roles", "pg_group", "pg_stats", "pg_settings", "pg_stat_activity", "pg_locks", "pg_views",
         "pg_tables", "pg_hba_file_rules", "pg_file_settings", "pg_config", "pg_shmem_allocations", "pg_user_mappings",
         "pg_backend_memory_contexts", "pg_replication_slots", "pg_stats_ext", "information_schema.tables",
         "information_schema.role_table_grants", "information_schema.sql_features")


def catalog_statements():
    for name in CATALOGS:
        yield f"select 1 from {name} limit 1"
        yield f"delete from {name} where false"
        yield f"insert into {name} select * from {name} where false"
        yield f"lock table {name} in access share mode"
        yield f"lock table {name}"
    for name in ("pg_authid", "pg_class", "pg_auth_members"):
        column = {"pg_authid": "rolsuper", "pg_class": "relname", "pg_auth_members": "admin_option"}[name]
        yield f"update {name} set {column} = {column} where false"
        yield f"select 1 from {name} for update limit 1"
        yield f"truncate {name}"
        yield f"copy {name} to stdout"
        yield f"alter table {name} add column x int"
        yield f"alter table {name} owner to m_other"
        yield f"create index on {name} ({column})"
        yield f"drop table {name}"
        yield f"comment on table {name} is 'x'"
        yield f"grant select on {name} to m_other"
        yield f"alter table {name} rename to x"
        yield f"create trigger n before insert on {name} execute function missing()"
    yield "merge into pg_auth_members using (select 1) x on false when not matched then do nothing"
    yield "with x as (delete from pg_auth_members where false returning 1) select * from x"
    yield "copy pg_authid (rolname) to stdout"
    yield "create table pg_catalog.n (a int)"
    yield "create view pg_catalog.n as select 1"
    yield "drop view pg_shadow"
    yield "alter view pg_shadow owner to m_other"
    yield "create or replace view pg_catalog.pg_user as select 1"
    yield "drop schema pg_catalog"
    yield "alter schema pg_catalog owner to m_other"
    yield "alter type int4 owner to m_other"
    yield "drop type int4"
    for name in VIEWS:
        yield f"select 1 from {name} limit 1"


KINDS = {**matrix_relations.KINDS, **matrix_objects.KINDS, **matrix_routines.KINDS, **matrix_rows.kinds(grants, EVERYBODY),
         **matrix_definitions.KINDS, **matrix_schemas.KINDS}
KINDS["catalog"] = (EVERYBODY + [("m_grantee", "grant all on pg_auth_members, pg_authid, pg_class to m_grantee"),
                                 ("m_grantee", "grant select (rolname) on pg_authid to m_grantee")],
                    "\n".join(catalog_statements()))


def contexts(kind):
    return KINDS[kind][0]


def statements(kind):
    return [line for line in KINDS[kind][1].split("\n") if line]


def cells(database):
    """(kind, statement, [(who, preparation)])."""
    for kind in KINDS:
        for statement in statements(kind):
            yield kind, statement, [(who, prepare.replace("{db}", database)) for who, prepare in contexts(kind)]
