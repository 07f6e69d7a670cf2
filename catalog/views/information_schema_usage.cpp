// information_schema: what uses what, and element types.
#include "catalog/views/system_views.h"

namespace indigo::catalog {

namespace {

constexpr SystemView kViews[] = {
    {"administrable_role_authorizations",
     "select grantee, role_name, is_grantable from information_schema.applicable_roles where is_grantable = 'YES'"},
    {"check_constraint_routine_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as constraint_catalog, cn.nspname as "
     "constraint_schema, c.conname as constraint_name, pg_catalog.current_database()::pg_catalog.name as "
     "specific_catalog, n.nspname as specific_schema, pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name from "
     "pg_catalog.pg_constraint c join pg_catalog.pg_namespace cn on cn.oid = c.connamespace join pg_catalog.pg_depend "
     "d "
     "on d.classid = 2606 and d.objid = c.oid and d.refclassid = 1255 join pg_catalog.pg_proc p on p.oid = d.refobjid "
     "join pg_catalog.pg_namespace n on n.oid = p.pronamespace where c.contype = 'c' and "
     "pg_catalog.pg_has_role(p.proowner, 'USAGE')"},
    {"collation_character_set_applicability",
     "select pg_catalog.current_database()::pg_catalog.name as collation_catalog, n.nspname as collation_schema, "
     "c.collname as collation_name, null::pg_catalog.name as character_set_catalog, null::pg_catalog.name as "
     "character_set_schema, pg_catalog.getdatabaseencoding()::pg_catalog.name as character_set_name from "
     "pg_catalog.pg_collation c join pg_catalog.pg_namespace n on n.oid = c.collnamespace where c.collencoding in (-1, "
     "(select encoding from pg_catalog.pg_database where datname = pg_catalog.current_database()))"},
    {"column_column_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as table_catalog, n.nspname as table_schema, "
     "c.relname as table_name, a.attname as column_name, g.attname as dependent_column from pg_catalog.pg_class c join "
     "pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_attribute g on g.attrelid = c.oid and "
     "g.attgenerated <> '' join pg_catalog.pg_attrdef e on e.adrelid = c.oid and e.adnum = g.attnum join "
     "pg_catalog.pg_depend d on d.classid = 2604 and d.objid = e.oid and d.refclassid = 1259 and d.refobjid = c.oid "
     "and "
     "d.refobjsubid <> g.attnum join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid "
     "where "
     "pg_catalog.pg_has_role(c.relowner, 'USAGE')"},
    {"data_type_privileges",
     "select pg_catalog.current_database()::pg_catalog.name as object_catalog, x.s as object_schema, x.n as "
     "object_name, x.t::pg_catalog.varchar as object_type, x.i as dtd_identifier from (select udt_schema, udt_name, "
     "'USER-DEFINED TYPE', dtd_identifier from information_schema.attributes union all select table_schema, "
     "table_name, 'TABLE', dtd_identifier from information_schema.columns union all select domain_schema, domain_name, "
     "'DOMAIN', dtd_identifier from information_schema.domains union all select specific_schema, specific_name, "
     "'ROUTINE', dtd_identifier from information_schema.parameters union all select specific_schema, specific_name, "
     "'ROUTINE', dtd_identifier from information_schema.routines) x (s, n, t, i)"},
    {"element_types",
     "select pg_catalog.current_database()::pg_catalog.name as object_catalog, n.nspname as object_schema, x.name as "
     "object_name, x.kind::pg_catalog.varchar as object_type, x.number::pg_catalog.text::pg_catalog.name as "
     "collection_type_identifier, (case when en.nspname = 'pg_catalog' then pg_catalog.format_type(e.oid, null) else "
     "'USER-DEFINED' end)::pg_catalog.varchar as data_type, null::pg_catalog.int4 as character_maximum_length, "
     "null::pg_catalog.int4 as character_octet_length, null::pg_catalog.name as character_set_catalog, "
     "null::pg_catalog.name as character_set_schema, null::pg_catalog.name as character_set_name, (case when "
     "cn.nspname is not null then pg_catalog.current_database() end)::pg_catalog.name as collation_catalog, cn.nspname "
     "as collation_schema, co.collname as collation_name, null::pg_catalog.int4 as numeric_precision, "
     "null::pg_catalog.int4 as numeric_precision_radix, null::pg_catalog.int4 as numeric_scale, null::pg_catalog.int4 "
     "as datetime_precision, null::pg_catalog.varchar as interval_type, null::pg_catalog.int4 as interval_precision, "
     "null::pg_catalog.varchar as domain_default, pg_catalog.current_database()::pg_catalog.name as udt_catalog, "
     "en.nspname as udt_schema, e.typname as udt_name, null::pg_catalog.name as scope_catalog, null::pg_catalog.name "
     "as "
     "scope_schema, null::pg_catalog.name as scope_name, null::pg_catalog.int4 as maximum_cardinality, ('a' || "
     "x.number::pg_catalog.text)::pg_catalog.name as dtd_identifier from (select c.relnamespace, c.relname, case when "
     "c.relkind = 'c' then 'USER-DEFINED TYPE' else 'TABLE' end, a.attnum, a.atttypid, a.attcollation from "
     "pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid where c.relkind in ('r', 'v', 'f', "
     "'c', 'p') and a.attnum > 0 and not a.attisdropped union all select typnamespace, typname, 'DOMAIN', 1, "
     "typbasetype, typcollation from pg_catalog.pg_type where typtype = 'd' union all select p.pronamespace, "
     "pg_catalog.nameconcatoid(p.proname, p.oid), 'ROUTINE', a.n, a.x, 0 from pg_catalog.pg_proc p, lateral "
     "information_schema._pg_expandarray(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[])) a union all "
     "select p.pronamespace, pg_catalog.nameconcatoid(p.proname, p.oid), 'ROUTINE', 0, p.prorettype, 0 from "
     "pg_catalog.pg_proc p) x (schema, name, kind, number, type, coll) join pg_catalog.pg_namespace n on n.oid = "
     "x.schema join pg_catalog.pg_type t on t.oid = x.type and t.typelem <> 0 and t.typlen = -1 join "
     "pg_catalog.pg_type e on e.oid = t.typelem join pg_catalog.pg_namespace en on en.oid = e.typnamespace left join "
     "(pg_catalog.pg_collation co join pg_catalog.pg_namespace cn on cn.oid = co.collnamespace) on co.oid = x.coll "
     "and (cn.nspname <> 'pg_catalog' or co.collname <> 'default') where (n.nspname, x.name, x.kind, "
     "x.number::pg_catalog.text) in (select object_schema, object_name, object_type, dtd_identifier from "
     "information_schema.data_type_privileges)"},
    {"role_routine_grants",
     "select grantor, grantee, specific_catalog, specific_schema, specific_name, routine_catalog, routine_schema, "
     "routine_name, privilege_type, is_grantable from information_schema.routine_privileges where grantor in (select "
     "role_name from information_schema.enabled_roles) or grantee in (select role_name from "
     "information_schema.enabled_roles)"},
    {"role_udt_grants",
     "select grantor, grantee, udt_catalog, udt_schema, udt_name, privilege_type, is_grantable from "
     "information_schema.udt_privileges where grantor in (select role_name from information_schema.enabled_roles) or "
     "grantee in (select role_name from information_schema.enabled_roles)"},
    {"role_usage_grants",
     "select grantor, grantee, object_catalog, object_schema, object_name, object_type, privilege_type, is_grantable "
     "from information_schema.usage_privileges where grantor in (select role_name from "
     "information_schema.enabled_roles) or grantee in (select role_name from information_schema.enabled_roles)"},
    {"routine_column_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as "
     "specific_schema, "
     "pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name, "
     "pg_catalog.current_database()::pg_catalog.name as routine_catalog, n.nspname as routine_schema, p.proname as "
     "routine_name, pg_catalog.current_database()::pg_catalog.name as table_catalog, tn.nspname as table_schema, "
     "t.relname as table_name, a.attname as column_name from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on "
     "n.oid = p.pronamespace join pg_catalog.pg_depend d on d.classid = 1255 and d.objid = p.oid and d.refclassid = "
     "1259 join pg_catalog.pg_class t on t.oid = d.refobjid and t.relkind in ('r', 'v', 'f', 'p') join "
     "pg_catalog.pg_namespace tn on tn.oid = t.relnamespace join pg_catalog.pg_attribute a on a.attrelid = t.oid and "
     "a.attnum = d.refobjsubid where pg_catalog.pg_has_role(t.relowner, 'USAGE')"},
    {"routine_routine_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as "
     "specific_schema, "
     "pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name, "
     "pg_catalog.current_database()::pg_catalog.name as routine_catalog, un.nspname as routine_schema, "
     "pg_catalog.nameconcatoid(u.proname, u.oid) as routine_name from pg_catalog.pg_proc p join "
     "pg_catalog.pg_namespace n on n.oid = p.pronamespace join pg_catalog.pg_depend d on d.classid = 1255 and d.objid "
     "= "
     "p.oid and d.refclassid = 1255 join pg_catalog.pg_proc u on u.oid = d.refobjid join pg_catalog.pg_namespace un on "
     "un.oid = u.pronamespace where p.prokind in ('f', 'p') and u.prokind in ('f', 'p') and "
     "pg_catalog.pg_has_role(u.proowner, 'USAGE')"},
    {"routine_sequence_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as "
     "specific_schema, "
     "pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name, "
     "pg_catalog.current_database()::pg_catalog.name as routine_catalog, n.nspname as routine_schema, p.proname as "
     "routine_name, pg_catalog.current_database()::pg_catalog.name as sequence_catalog, sn.nspname as sequence_schema, "
     "s.relname as sequence_name from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace "
     "join pg_catalog.pg_depend d on d.classid = 1255 and d.objid = p.oid and d.refclassid = 1259 join "
     "pg_catalog.pg_class s on s.oid = d.refobjid and s.relkind = 'S' join pg_catalog.pg_namespace sn on sn.oid = "
     "s.relnamespace where pg_catalog.pg_has_role(s.relowner, 'USAGE')"},
    {"routine_table_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as "
     "specific_schema, "
     "pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name, "
     "pg_catalog.current_database()::pg_catalog.name as routine_catalog, n.nspname as routine_schema, p.proname as "
     "routine_name, pg_catalog.current_database()::pg_catalog.name as table_catalog, tn.nspname as table_schema, "
     "t.relname as table_name from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace join "
     "pg_catalog.pg_depend d on d.classid = 1255 and d.objid = p.oid and d.refclassid = 1259 join pg_catalog.pg_class "
     "t "
     "on t.oid = d.refobjid and t.relkind in ('r', 'v', 'f', 'p') join pg_catalog.pg_namespace tn on tn.oid = "
     "t.relnamespace where pg_catalog.pg_has_role(t.relowner, 'USAGE')"},
    {"transforms",
     "select pg_catalog.current_database()::pg_catalog.name as udt_catalog, tn.nspname as udt_schema, t.typname as "
     "udt_name, pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as specific_schema, "
     "pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name, l.lanname as group_name, "
     "f.direction::pg_catalog.varchar as transform_type from pg_catalog.pg_transform x join pg_catalog.pg_type t on "
     "t.oid = x.trftype join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace join pg_catalog.pg_language l on "
     "l.oid = x.trflang, lateral (values ('FROM SQL', x.trffromsql::pg_catalog.oid), ('TO SQL', "
     "x.trftosql::pg_catalog.oid)) f (direction, function) join pg_catalog.pg_proc p on p.oid = f.function join "
     "pg_catalog.pg_namespace n on n.oid = p.pronamespace order by 1, 2, 3, 7, 8"},
    {"triggered_update_columns",
     "select pg_catalog.current_database()::pg_catalog.name as trigger_catalog, n.nspname as trigger_schema, t.tgname "
     "as trigger_name, pg_catalog.current_database()::pg_catalog.name as event_object_catalog, n.nspname as "
     "event_object_schema, c.relname as event_object_table, a.attname as event_object_column from "
     "pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid "
     "= "
     "c.relnamespace join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any "
     "(t.tgattr::pg_catalog.int2[]) where not t.tgisinternal and not pg_catalog.pg_is_other_temp_schema(n.oid) and "
     "(pg_catalog.pg_has_role(c.relowner, 'USAGE') or pg_catalog.has_column_privilege(c.oid, a.attnum, 'INSERT, "
     "UPDATE, "
     "REFERENCES'))"},
    {"view_routine_usage",
     "select distinct pg_catalog.current_database()::pg_catalog.name as table_catalog, vn.nspname as table_schema, "
     "v.relname as table_name, pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as "
     "specific_schema, pg_catalog.nameconcatoid(p.proname, p.oid) as specific_name from pg_catalog.pg_class v join "
     "pg_catalog.pg_namespace vn on vn.oid = v.relnamespace join pg_catalog.pg_rewrite r on r.ev_class = v.oid join "
     "pg_catalog.pg_depend d on d.classid = 2618 and d.objid = r.oid and d.refclassid = 1255 join pg_catalog.pg_proc p "
     "on p.oid = d.refobjid join pg_catalog.pg_namespace n on n.oid = p.pronamespace where v.relkind = 'v' and "
     "pg_catalog.pg_has_role(p.proowner, 'USAGE')"},
};

}  // namespace

std::span<const SystemView> information_schema_usage_views() { return kViews; }

}  // namespace indigo::catalog
