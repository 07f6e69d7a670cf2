// information_schema: foreign-data wrappers, servers, user mappings and foreign tables.
#include "catalog/views/system_views.h"

namespace indigo::catalog {

namespace {

constexpr SystemView kForeignViews[] = {
    {"_pg_foreign_table_columns", R"sql(
select n.nspname, c.relname, a.attname, a.attfdwoptions
from pg_catalog.pg_foreign_table t
     join pg_catalog.pg_class c on c.oid = t.ftrelid and c.relkind = 'f'
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0
where pg_catalog.pg_has_role(c.relowner, 'USAGE')
      or pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'))sql"},
    {"column_options", R"sql(
select pg_catalog.current_database()::pg_catalog.name as table_catalog, c.nspname as table_schema,
       c.relname as table_name, c.attname as column_name, o.option_name::pg_catalog.name as option_name,
       o.option_value::pg_catalog.varchar as option_value
from information_schema._pg_foreign_table_columns c
     cross join lateral pg_catalog.pg_options_to_table(c.attfdwoptions) o)sql"},
    {"_pg_foreign_data_wrappers", R"sql(
select w.oid, w.fdwowner, w.fdwoptions,
       pg_catalog.current_database()::pg_catalog.name as foreign_data_wrapper_catalog,
       w.fdwname as foreign_data_wrapper_name, u.rolname as authorization_identifier,
       'c'::pg_catalog.varchar as foreign_data_wrapper_language
from pg_catalog.pg_foreign_data_wrapper w join pg_catalog.pg_authid u on u.oid = w.fdwowner
where pg_catalog.pg_has_role(w.fdwowner, 'USAGE')
      or pg_catalog.has_foreign_data_wrapper_privilege(w.oid, 'USAGE'))sql"},
    {"foreign_data_wrappers", R"sql(
select foreign_data_wrapper_catalog, foreign_data_wrapper_name, authorization_identifier,
       null::pg_catalog.varchar as library_name, foreign_data_wrapper_language
from information_schema._pg_foreign_data_wrappers)sql"},
    {"foreign_data_wrapper_options", R"sql(
select w.foreign_data_wrapper_catalog, w.foreign_data_wrapper_name, o.option_name::pg_catalog.name as option_name,
       o.option_value::pg_catalog.varchar as option_value
from information_schema._pg_foreign_data_wrappers w
     cross join lateral pg_catalog.pg_options_to_table(w.fdwoptions) o)sql"},
    {"_pg_foreign_servers", R"sql(
select s.oid, s.srvoptions, pg_catalog.current_database()::pg_catalog.name as foreign_server_catalog,
       s.srvname as foreign_server_name,
       pg_catalog.current_database()::pg_catalog.name as foreign_data_wrapper_catalog,
       w.fdwname as foreign_data_wrapper_name, s.srvtype::pg_catalog.varchar as foreign_server_type,
       s.srvversion::pg_catalog.varchar as foreign_server_version, u.rolname as authorization_identifier
from pg_catalog.pg_foreign_server s
     join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
     join pg_catalog.pg_authid u on u.oid = s.srvowner
where pg_catalog.pg_has_role(s.srvowner, 'USAGE') or pg_catalog.has_server_privilege(s.oid, 'USAGE'))sql"},
    {"foreign_servers", R"sql(
select foreign_server_catalog, foreign_server_name, foreign_data_wrapper_catalog, foreign_data_wrapper_name,
       foreign_server_type, foreign_server_version, authorization_identifier
from information_schema._pg_foreign_servers)sql"},
    {"foreign_server_options", R"sql(
select s.foreign_server_catalog, s.foreign_server_name, o.option_name::pg_catalog.name as option_name,
       o.option_value::pg_catalog.varchar as option_value
from information_schema._pg_foreign_servers s
     cross join lateral pg_catalog.pg_options_to_table(s.srvoptions) o)sql"},
    {"_pg_user_mappings", R"sql(
select m.oid, m.umoptions, m.umuser,
       coalesce(u.rolname, 'PUBLIC'::pg_catalog.name) as authorization_identifier, s.foreign_server_catalog,
       s.foreign_server_name, s.authorization_identifier as srvowner
from pg_catalog.pg_user_mapping m
     left join pg_catalog.pg_authid u on u.oid = m.umuser
     join information_schema._pg_foreign_servers s on s.oid = m.umserver)sql"},
    {"user_mappings", R"sql(
select authorization_identifier, foreign_server_catalog, foreign_server_name
from information_schema._pg_user_mappings)sql"},
    {"user_mapping_options", R"sql(
select m.authorization_identifier, m.foreign_server_catalog, m.foreign_server_name,
       o.option_name::pg_catalog.name as option_name,
       (case when m.umuser <> 0 and m.authorization_identifier::pg_catalog.name = current_user
                  or m.umuser = 0 and pg_catalog.pg_has_role(m.srvowner::pg_catalog.name, 'USAGE')
                  or (select r.rolsuper from pg_catalog.pg_authid r where r.rolname = current_user)
             then o.option_value end)::pg_catalog.varchar as option_value
from information_schema._pg_user_mappings m
     cross join lateral pg_catalog.pg_options_to_table(m.umoptions) o)sql"},
    {"_pg_foreign_tables", R"sql(
select pg_catalog.current_database()::pg_catalog.name as foreign_table_catalog, n.nspname as foreign_table_schema,
       c.relname as foreign_table_name, t.ftoptions,
       pg_catalog.current_database()::pg_catalog.name as foreign_server_catalog, s.srvname as foreign_server_name,
       u.rolname as authorization_identifier
from pg_catalog.pg_foreign_table t
     join pg_catalog.pg_foreign_server s on s.oid = t.ftserver
     join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
     join pg_catalog.pg_class c on c.oid = t.ftrelid and c.relkind = 'f'
     join pg_catalog.pg_authid u on u.oid = c.relowner
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where pg_catalog.pg_has_role(c.relowner, 'USAGE')
      or pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      or pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))sql"},
    {"foreign_tables", R"sql(
select foreign_table_catalog, foreign_table_schema, foreign_table_name, foreign_server_catalog, foreign_server_name
from information_schema._pg_foreign_tables)sql"},
    {"foreign_table_options", R"sql(
select t.foreign_table_catalog, t.foreign_table_schema, t.foreign_table_name,
       o.option_name::pg_catalog.name as option_name, o.option_value::pg_catalog.varchar as option_value
from information_schema._pg_foreign_tables t
     cross join lateral pg_catalog.pg_options_to_table(t.ftoptions) o)sql"},
};

}  // namespace

std::span<const SystemView> information_schema_foreign_views() { return kForeignViews; }

}  // namespace indigo::catalog
