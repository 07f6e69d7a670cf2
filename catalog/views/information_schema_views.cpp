// information_schema over pg_catalog. Columns have the base types of PostgreSQL's domains (name, varchar, int4), which is
// what clients are told of a domain's column anyway.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

// A table's columns are visible to its owner, and to roles with some privilege on them.
#define INDIGO_VISIBLE_TABLE                                          \
  " (pg_catalog.pg_has_role(c.relowner, 'USAGE')"                     \
  " or pg_catalog.has_table_privilege(c.oid,"                         \
  " 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')" \
  " or pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))"

#define INDIGO_DATABASE "pg_catalog.current_database()::pg_catalog.name"
#define INDIGO_YES(condition) "(case when " condition " then 'YES' else 'NO' end)::pg_catalog.varchar"
#define INDIGO_NULL_NAME "null::pg_catalog.name"
#define INDIGO_NULL_TEXT "null::pg_catalog.varchar"
#define INDIGO_NULL_INT "null::pg_catalog.int4"

// Facts of a type `t` with modifier `m` (domains: of the base type b with modifier bm).
#define INDIGO_TYPE_NAME(t, b)                                                                           \
  "(case when " b ".typelem <> 0 and " b ".typlen = -1 and " b ".typcategory = 'A' then 'ARRAY' when " b \
  ".typnamespace = 'pg_catalog'::pg_catalog.regnamespace then pg_catalog.format_type(" b                 \
  ".oid, null) else 'USER-DEFINED' end)::pg_catalog.varchar"
#define INDIGO_CHAR_LENGTH(b, m)                                                          \
  "(case when " m " = -1 then null when " b ".oid in (1042, 1043) then " m " - 4 when " b \
  ".oid in (1560, 1562) then " m " end)::pg_catalog.int4"
#define INDIGO_OCTET_LENGTH(b, m)                                                               \
  "(case when " b ".oid in (25, 1042, 1043) then case when " m " = -1 then 1073741824 else (" m \
  " - 4) * 4 end end)::pg_catalog.int4"
#define INDIGO_PRECISION(b, m)                                                                                 \
  "(case " b                                                                                                   \
  ".oid when 21 then 16 when 23 then 32 when 20 then 64 when 700 then 24 when 701 then 53 when 1700 then case" \
  " when " m " = -1 then null else ((" m " - 4) >> 16) & 65535 end end)::pg_catalog.int4"
#define INDIGO_RADIX(b) \
  "(case when " b ".oid in (20, 21, 23, 700, 701) then 2 when " b ".oid = 1700 then 10 end)::pg_catalog.int4"
#define INDIGO_SCALE(b, m)                                                                                         \
  "(case when " b ".oid in (20, 21, 23) then 0 when " b ".oid = 1700 then case when " m " = -1 then null else (" m \
  " - 4) & 2047 end end)::pg_catalog.int4"
#define INDIGO_DATETIME_PRECISION(b, m)                                                                               \
  "(case when " b ".oid = 1082 then 0 when " b ".oid in (1083, 1114, 1184, 1266) then case when " m                   \
  " < 0 then 6 else " m " end when " b ".oid = 1186 then case when " m " < 0 or " m " & 65535 = 65535 then 6 else " m \
  " & 65535 end end)::pg_catalog.int4"

// The formatter cannot lay out strings that macros join.
// clang-format off
constexpr SystemView kInformationSchemaViews[] =
    {
        {"information_schema_catalog_name", "select " INDIGO_DATABASE " as catalog_name"},
        {"enabled_roles",
         "select a.rolname as role_name from pg_catalog.pg_authid a where pg_catalog.pg_has_role(a.oid, 'USAGE')"},
        {"applicable_roles",
         "select a.rolname as grantee, b.rolname as role_name, " INDIGO_YES("m.admin_option") " as is_grantable"
         " from (select m.member, m.roleid, m.admin_option from pg_catalog.pg_auth_members m union select d.datdba, o.oid, "
         "false from pg_catalog.pg_database d, pg_catalog.pg_authid o where d.datname = pg_catalog.current_database() and "
         "o.rolname = 'pg_database_owner') m join pg_catalog.pg_authid a on m.member = a.oid join pg_catalog.pg_authid b on "
         "m.roleid = b.oid where pg_catalog.pg_has_role(a.oid, 'USAGE')"},
        {"schemata",
         "select " INDIGO_DATABASE
         " as catalog_name, n.nspname as schema_name, u.rolname as schema_owner, " INDIGO_NULL_NAME
         " as default_character_set_catalog, " INDIGO_NULL_NAME " as default_character_set_schema, " INDIGO_NULL_NAME
         " as default_character_set_name, " INDIGO_NULL_TEXT " as sql_path"
         " from pg_catalog.pg_namespace n join pg_catalog.pg_authid u on n.nspowner = u.oid"
         " where pg_catalog.pg_has_role(n.nspowner, 'USAGE') or pg_catalog.has_schema_privilege(n.oid, 'CREATE, "
         "USAGE')"},
        {"tables",
         "select " INDIGO_DATABASE " as table_catalog, n.nspname as table_schema, c.relname as table_name,"
         " (case when c.relpersistence = 't' then 'LOCAL TEMPORARY' when c.relkind in ('r', 'p') then 'BASE TABLE'"
         " when c.relkind = 'v' then 'VIEW' when c.relkind = 'f' then 'FOREIGN' end)::pg_catalog.varchar as "
         "table_type, " INDIGO_NULL_NAME " as self_referencing_column_name, " INDIGO_NULL_TEXT
         " as reference_generation, " INDIGO_NULL_NAME " as user_defined_type_catalog, " INDIGO_NULL_NAME
         " as user_defined_type_schema, " INDIGO_NULL_NAME " as user_defined_type_name, " INDIGO_YES(
             "c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_catalog.pg_relation_is_updatable(c.oid, false) & 8 = 8"
         ) " as is_insertable_into,"
                                        " 'NO'::pg_catalog.varchar as is_typed, " INDIGO_NULL_TEXT " as commit_action"
                                        " from pg_catalog.pg_namespace n join pg_catalog.pg_class c on n.oid = "
                                        "c.relnamespace"
                                        " where c.relkind in ('r', 'v', 'f', 'p') and not "
                                        "pg_catalog.pg_is_other_temp_schema(n.oid) and" INDIGO_VISIBLE_TABLE},
        {"columns", "select " INDIGO_DATABASE " as table_catalog, n.nspname as table_schema, c.relname as table_name,"
                    " a.attname as column_name, a.attnum::pg_catalog.int4 as ordinal_position,"
                    " (case when a.attgenerated = '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) "
                    "end)::pg_catalog.varchar as column_default, " INDIGO_YES(
                        "not (a.attnotnull or t.typtype = 'd' and t.typnotnull)") " as is_nullable, " INDIGO_TYPE_NAME("t",
                                                                                                                       "b") " as data_type, " INDIGO_CHAR_LENGTH("b",
                                                                                                                                                                 "m.typmod") " as character_maximum_length, " INDIGO_OCTET_LENGTH("b",
                                                                                                                                                                                                                                  "m.typmod") " as character_octet_length, " INDIGO_PRECISION("b",
                                                                                                                                                                                                                                                                                              "m.typmod") " as numeric_precision, " INDIGO_RADIX("b") " as numeric_precision_radix, " INDIGO_SCALE("b",
                                                                                                                                                                                                                                                                                                                                                                                                   "m.typmod") " as numeric_scale, " INDIGO_DATETIME_PRECISION("b",
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "m.typmod") " as datetime_precision, " INDIGO_NULL_TEXT " as interval_type, " INDIGO_NULL_INT
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as interval_precision, " INDIGO_NULL_NAME
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as character_set_catalog, " INDIGO_NULL_NAME
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as character_set_schema, " INDIGO_NULL_NAME
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as character_set_name,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " (case when co.collname is not null then pg_catalog.current_database() end)::pg_catalog.name as collation_catalog,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " nco.nspname as collation_schema, co.collname as collation_name,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " (case when t.typtype = 'd' then pg_catalog.current_database() end)::pg_catalog.name as domain_catalog,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " (case when t.typtype = 'd' then nt.nspname end)::pg_catalog.name as domain_schema,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " (case when t.typtype = 'd' then t.typname end)::pg_catalog.name as domain_name, " INDIGO_DATABASE
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as udt_catalog,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " nb.nspname as udt_schema, b.typname as udt_name, " INDIGO_NULL_NAME " as scope_catalog, " INDIGO_NULL_NAME " as scope_schema, " INDIGO_NULL_NAME
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as scope_name, " INDIGO_NULL_INT
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " as maximum_cardinality,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                           " a.attnum::pg_catalog.text::pg_catalog.name as dtd_identifier, 'NO'::pg_catalog.varchar as is_self_referencing, " INDIGO_YES("a.attidentity in ('a', 'd')") " as is_identity,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " (case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end)::pg_catalog.varchar as identity_generation,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " s.seqstart::pg_catalog.text::pg_catalog.varchar as identity_start,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " s.seqincrement::pg_catalog.text::pg_catalog.varchar as identity_increment,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " s.seqmax::pg_catalog.text::pg_catalog.varchar as identity_maximum,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " s.seqmin::pg_catalog.text::pg_catalog.varchar as identity_minimum, " INDIGO_YES("s.seqcycle") " as identity_cycle,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " (case when a.attgenerated <> '' then 'ALWAYS' else 'NEVER' end)::pg_catalog.varchar as is_generated,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " (case when a.attgenerated <> '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) end)::pg_catalog.varchar as"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        " generation_expression, " INDIGO_YES("c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_catalog.pg_column_is_updatable(c.oid, a.attnum, false)") " as is_updatable"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " from pg_catalog.pg_attribute a"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_class c on a.attrelid = c.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_namespace n on c.relnamespace = n.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_type t on a.atttypid = t.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_namespace nt on t.typnamespace = nt.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " join pg_catalog.pg_namespace nb on b.typnamespace = nb.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " cross join lateral (select case when t.typtype = 'd' then t.typtypmod else a.atttypmod end as typmod) m"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " left join pg_catalog.pg_attrdef d on a.attrelid = d.adrelid and a.attnum = d.adnum"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " left join pg_catalog.pg_collation co on a.attcollation = co.oid and (co.collname <> 'default' or co.collnamespace <> 11)"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " left join pg_catalog.pg_namespace nco on co.collnamespace = nco.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " left join pg_catalog.pg_depend dep on dep.classid = 1259 and dep.refclassid = 1259 and dep.refobjid = c.oid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " and dep.refobjsubid = a.attnum and dep.deptype = 'i'"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " left join pg_catalog.pg_sequence s on s.seqrelid = dep.objid"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " where not pg_catalog.pg_is_other_temp_schema(n.oid) and a.attnum > 0 and not a.attisdropped"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " and c.relkind in ('r', 'v', 'f', 'p') and (pg_catalog.pg_has_role(c.relowner, 'USAGE')"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         " or pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'))"},
        {"table_constraints",
         "select " INDIGO_DATABASE
         " as constraint_catalog, nc.nspname as constraint_schema, x.conname as constraint_name, " INDIGO_DATABASE
         " as table_catalog, n.nspname as table_schema, c.relname as table_name,"
         " (case x.contype when 'c' then 'CHECK' when 'f' then 'FOREIGN KEY' when 'p' then 'PRIMARY KEY' when 'u' then "
         "'UNIQUE' end)"
         "::pg_catalog.varchar as constraint_type, " INDIGO_YES("x.condeferrable") " as is_deferrable, " INDIGO_YES(
             "x.condeferred") " as initially_deferred, 'YES'::pg_catalog.varchar as enforced,"
                              " (case when x.contype = 'u' then case when (select i.indnullsnotdistinct from "
                              "pg_catalog.pg_index i"
                              " where i.indexrelid = x.conindid) then 'NO' else 'YES' end end)::pg_catalog.varchar as "
                              "nulls_distinct"
                              " from pg_catalog.pg_constraint x join pg_catalog.pg_class c on x.conrelid = c.oid"
                              " join pg_catalog.pg_namespace n on c.relnamespace = n.oid join pg_catalog.pg_namespace "
                              "nc on x.connamespace = nc.oid"
                              " where x.contype in ('c', 'f', 'p', 'u') and c.relkind in ('r', 'p') and not "
                              "pg_catalog.pg_is_other_temp_schema(n.oid) and" INDIGO_VISIBLE_TABLE
                              " union all select " INDIGO_DATABASE
                              ", n.nspname, (n.oid::pg_catalog.text || '_' || c.oid::pg_catalog.text || '_' ||"
                              " a.attnum::pg_catalog.text || '_not_null')::pg_catalog.name, " INDIGO_DATABASE
                              ", n.nspname, c.relname,"
                              " 'CHECK'::pg_catalog.varchar, 'NO'::pg_catalog.varchar, 'NO'::pg_catalog.varchar, "
                              "'YES'::pg_catalog.varchar, " INDIGO_NULL_TEXT
                              " from pg_catalog.pg_attribute a join pg_catalog.pg_class c on a.attrelid = c.oid"
                              " join pg_catalog.pg_namespace n on c.relnamespace = n.oid"
                              " where a.attnotnull and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p')"
                              " and not pg_catalog.pg_is_other_temp_schema(n.oid) and" INDIGO_VISIBLE_TABLE},
        {"key_column_usage",
         "select " INDIGO_DATABASE
         " as constraint_catalog, nc.nspname as constraint_schema, x.conname as constraint_name, " INDIGO_DATABASE
         " as table_catalog, n.nspname as table_schema, c.relname as table_name, a.attname as column_name,"
         " g.n::pg_catalog.int4 as ordinal_position,"
         " (case when x.contype = 'f' then (select p.n from pg_catalog.pg_index i, pg_catalog.generate_series(1, 32) "
         "p(n)"
         " where i.indexrelid = x.conindid and p.n <= i.indnkeyatts and i.indkey[p.n - 1] = x.confkey[g.n]) "
         "end)::pg_catalog.int4"
         " as position_in_unique_constraint"
         " from pg_catalog.pg_constraint x join pg_catalog.pg_class c on x.conrelid = c.oid"
         " join pg_catalog.pg_namespace n on c.relnamespace = n.oid join pg_catalog.pg_namespace nc on x.connamespace "
         "= nc.oid"
         " join pg_catalog.generate_series(1, 1600) g(n) on g.n <= pg_catalog.array_length(x.conkey, 1)"
         " join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = x.conkey[g.n]"
         " where x.contype in ('p', 'u', 'f') and c.relkind in ('r', 'p') and not a.attisdropped"
         " and not pg_catalog.pg_is_other_temp_schema(n.oid) and (pg_catalog.pg_has_role(c.relowner, 'USAGE')"
         " or pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'))"},
        {"referential_constraints",
         "select " INDIGO_DATABASE
         " as constraint_catalog, nc.nspname as constraint_schema, x.conname as constraint_name,"
         " (case when u.conname is not null then pg_catalog.current_database() end)::pg_catalog.name as "
         "unique_constraint_catalog,"
         " nu.nspname as unique_constraint_schema, u.conname as unique_constraint_name,"
         " (case x.confmatchtype when 'f' then 'FULL' when 'p' then 'PARTIAL' when 's' then 'NONE' "
         "end)::pg_catalog.varchar as"
         " match_option,"
         " (case x.confupdtype when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'd' then 'SET DEFAULT' when 'r' "
         "then 'RESTRICT'"
         " when 'a' then 'NO ACTION' end)::pg_catalog.varchar as update_rule,"
         " (case x.confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'd' then 'SET DEFAULT' when 'r' "
         "then 'RESTRICT'"
         " when 'a' then 'NO ACTION' end)::pg_catalog.varchar as delete_rule"
         " from pg_catalog.pg_constraint x join pg_catalog.pg_namespace nc on nc.oid = x.connamespace"
         " join pg_catalog.pg_class c on x.conrelid = c.oid"
         " left join pg_catalog.pg_constraint u on u.conindid = x.conindid and u.contype in ('p', 'u') and u.conrelid "
         "= x.confrelid"
         " left join pg_catalog.pg_namespace nu on nu.oid = u.connamespace"
         " where x.contype = 'f' and" INDIGO_VISIBLE_TABLE},
        {"constraint_column_usage",
         "select " INDIGO_DATABASE " as table_catalog, n.nspname as table_schema, c.relname as table_name,"
         " a.attname as column_name, " INDIGO_DATABASE " as constraint_catalog, nc.nspname as constraint_schema,"
         " x.conname as constraint_name"
         " from pg_catalog.pg_constraint x join pg_catalog.pg_namespace nc on nc.oid = x.connamespace"
         " join pg_catalog.pg_class c on c.oid = case when x.contype = 'f' then x.confrelid else x.conrelid end"
         " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
         " join pg_catalog.pg_attribute a on a.attrelid = c.oid and not a.attisdropped"
         " and a.attnum = any (case when x.contype = 'f' then x.confkey else x.conkey end)"
         " where x.contype in ('c', 'f', 'p', 'u') and c.relkind in ('r', 'p') and pg_catalog.pg_has_role(c.relowner, "
         "'USAGE')"},
        {"constraint_table_usage",
         "select " INDIGO_DATABASE
         " as table_catalog, n.nspname as table_schema, c.relname as table_name, " INDIGO_DATABASE
         " as constraint_catalog, nc.nspname as constraint_schema, x.conname as constraint_name"
         " from pg_catalog.pg_constraint x join pg_catalog.pg_namespace nc on nc.oid = x.connamespace"
         " join pg_catalog.pg_class c on c.oid = case when x.contype = 'f' then x.confrelid else x.conrelid end"
         " join pg_catalog.pg_namespace n on n.oid = c.relnamespace"
         " where x.contype in ('f', 'p', 'u') and c.relkind in ('r', 'p') and pg_catalog.pg_has_role(c.relowner, "
         "'USAGE')"},
        {"check_constraints",
         "select " INDIGO_DATABASE
         " as constraint_catalog, n.nspname as constraint_schema, x.conname as constraint_name,"
         " pg_catalog.substr(pg_catalog.pg_get_constraintdef(x.oid), 7)::pg_catalog.varchar as check_clause"
         " from pg_catalog.pg_constraint x join pg_catalog.pg_namespace n on n.oid = x.connamespace"
         " left join pg_catalog.pg_class c on c.oid = x.conrelid left join pg_catalog.pg_type t on t.oid = x.contypid"
         " where x.contype = 'c' and pg_catalog.pg_has_role(coalesce(c.relowner, t.typowner), 'USAGE')"
         " union all select " INDIGO_DATABASE
         ", n.nspname, (n.oid::pg_catalog.text || '_' || c.oid::pg_catalog.text || '_' ||"
         " a.attnum::pg_catalog.text || '_not_null')::pg_catalog.name, (a.attname::pg_catalog.text || ' IS NOT "
         "NULL')::pg_catalog.varchar"
         " from pg_catalog.pg_attribute a join pg_catalog.pg_class c on a.attrelid = c.oid"
         " join pg_catalog.pg_namespace n on c.relnamespace = n.oid"
         " where a.attnotnull and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p')"
         " and pg_catalog.pg_has_role(c.relowner, 'USAGE')"},
        {"views",
         "select " INDIGO_DATABASE " as table_catalog, n.nspname as table_schema, c.relname as table_name,"
         " (case when pg_catalog.pg_has_role(c.relowner, 'USAGE') then pg_catalog.pg_get_viewdef(c.oid) "
         "end)::pg_catalog.varchar as"
         " view_definition, (case when 'check_option=cascaded' = any (c.reloptions) then 'CASCADED' when 'check_option=local' ="
         " any (c.reloptions) then 'LOCAL' else 'NONE' end)::pg_catalog.varchar as check_option, " INDIGO_YES(
             "pg_catalog.pg_relation_is_updatable(c.oid, false) & 20 = 20") " as is_updatable, " INDIGO_YES(
             "pg_catalog.pg_relation_is_updatable(c.oid, false) & 8 = 8") " as is_insertable_into, " INDIGO_YES(
             "exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgtype & 81 = 81)") " as is_trigger_updatable, " INDIGO_YES(
             "exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgtype & 73 = 73)") " as is_trigger_deletable, " INDIGO_YES(
             "exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgtype & 69 = 69)") " as is_trigger_insertable_into"
         " from pg_catalog.pg_namespace n join pg_catalog.pg_class c on n.oid = c.relnamespace"
         " where c.relkind = 'v' and not pg_catalog.pg_is_other_temp_schema(n.oid) and" INDIGO_VISIBLE_TABLE},
        {"sequences",
         "select " INDIGO_DATABASE " as sequence_catalog, n.nspname as sequence_schema, c.relname as sequence_name,"
         " pg_catalog.format_type(s.seqtypid, null)::pg_catalog.varchar as data_type,"
         " (case s.seqtypid when 21 then 16 when 23 then 32 else 64 end)::pg_catalog.int4 as numeric_precision,"
         " 2 as numeric_precision_radix, 0 as numeric_scale, s.seqstart::pg_catalog.text::pg_catalog.varchar as "
         "start_value,"
         " s.seqmin::pg_catalog.text::pg_catalog.varchar as minimum_value,"
         " s.seqmax::pg_catalog.text::pg_catalog.varchar as maximum_value,"
         " s.seqincrement::pg_catalog.text::pg_catalog.varchar as increment, " INDIGO_YES(
             "s.seqcycle") " as cycle_option"
                           " from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid"
                           " join pg_catalog.pg_sequence s on s.seqrelid = c.oid"
                           " where c.relkind = 'S' and not exists (select 1 from pg_catalog.pg_depend d where "
                           "d.classid = 1259 and d.objid = c.oid"
                           " and d.deptype = 'i') and not pg_catalog.pg_is_other_temp_schema(n.oid) and "
                           "(pg_catalog.pg_has_role(c.relowner, 'USAGE')"
                           " or pg_catalog.has_sequence_privilege(c.oid, 'SELECT, UPDATE, USAGE'))"},
        {"domain_constraints",
         "select " INDIGO_DATABASE
         " as constraint_catalog, nc.nspname as constraint_schema, x.conname as constraint_name, " INDIGO_DATABASE
         " as domain_catalog, n.nspname as domain_schema, t.typname as domain_name, " INDIGO_YES(
             "x.condeferrable") " as is_deferrable, " INDIGO_YES("x.condeferred") " as initially_deferred"
                                                                                  " from pg_catalog.pg_constraint x "
                                                                                  "join pg_catalog.pg_namespace nc on "
                                                                                  "nc.oid = x.connamespace"
                                                                                  " join pg_catalog.pg_type t on t.oid "
                                                                                  "= x.contypid join "
                                                                                  "pg_catalog.pg_namespace n on n.oid "
                                                                                  "= t.typnamespace"
                                                                                  " where "
                                                                                  "pg_catalog.pg_has_role(t.typowner, "
                                                                                  "'USAGE') or "
                                                                                  "pg_catalog.has_type_privilege(t.oid,"
                                                                                  " 'USAGE')"},
};
// clang-format on

#undef INDIGO_VISIBLE_TABLE
#undef INDIGO_DATABASE
#undef INDIGO_YES
#undef INDIGO_NULL_NAME
#undef INDIGO_NULL_TEXT
#undef INDIGO_NULL_INT
#undef INDIGO_TYPE_NAME
#undef INDIGO_CHAR_LENGTH
#undef INDIGO_OCTET_LENGTH
#undef INDIGO_PRECISION
#undef INDIGO_RADIX
#undef INDIGO_SCALE
#undef INDIGO_DATETIME_PRECISION

}  // namespace

std::span<const SystemView> information_schema_views() { return kInformationSchemaViews; }

}  // namespace indigo::catalog
