// information_schema: who may do what. A missing access list stands for the default one.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

constexpr SystemView kInformationSchemaPrivilegesViews[] = {
    {"table_privileges",
     "select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name as "
     "grantee, pg_catalog.current_database()::pg_catalog.name as table_catalog, n.nspname as table_schema, "
     "c.relname as table_name, x.privilege_type::pg_catalog.varchar as privilege_type, (case when x.is_grantable "
     "or g.oid is not null and pg_catalog.pg_has_role(g.oid, c.relowner, 'USAGE') then 'YES' else 'NO' "
     "end)::pg_catalog.varchar as is_grantable, (case when x.privilege_type = 'SELECT' then 'YES' else 'NO' "
     "end)::pg_catalog.varchar as with_hierarchy from pg_catalog.pg_class c join pg_catalog.pg_namespace n on "
     "n.oid = c.relnamespace cross join lateral pg_catalog.aclexplode(coalesce(c.relacl, "
     "pg_catalog.acldefault('r', c.relowner))) x join pg_catalog.pg_authid u on u.oid = x.grantor left join "
     "pg_catalog.pg_authid g on g.oid = x.grantee where c.relkind in ('r', 'v', 'f', 'p') and (x.grantee = 0 or "
     "g.oid is not null) and (pg_catalog.pg_has_role(u.oid, 'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or "
     "x.grantee = 0)"},
    {"role_table_grants",
     "select grantor, grantee, table_catalog, table_schema, table_name, privilege_type, is_grantable, with_hierarchy "
     "from information_schema.table_privileges where grantor in (select role_name from "
     "information_schema.enabled_roles) or "
     "grantee in (select role_name from information_schema.enabled_roles)"},
    {"column_privileges",
     "select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name as "
     "grantee, pg_catalog.current_database()::pg_catalog.name as table_catalog, n.nspname as table_schema, "
     "c.relname as table_name, x.attname as column_name, x.privilege_type::pg_catalog.varchar as privilege_type, "
     "(case when pg_catalog.bool_or(x.is_grantable or g.oid is not null and pg_catalog.pg_has_role(g.oid, "
     "c.relowner, 'USAGE')) then 'YES' else 'NO' end)::pg_catalog.varchar as is_grantable from pg_catalog.pg_class "
     "c join pg_catalog.pg_namespace n on n.oid = c.relnamespace cross join lateral (select a.attname, e.grantor, "
     "e.grantee, e.privilege_type, e.is_grantable from pg_catalog.pg_attribute a, lateral "
     "pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) e where a.attrelid = c.oid "
     "and a.attnum > 0 and not a.attisdropped union select a.attname, e.grantor, e.grantee, e.privilege_type, "
     "e.is_grantable from pg_catalog.pg_attribute a, lateral pg_catalog.aclexplode(coalesce(a.attacl, "
     "pg_catalog.acldefault('c', c.relowner))) e where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) "
     "x join pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee "
     "where c.relkind in ('r', 'v', 'f', 'p') and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') "
     "and (x.grantee = 0 or g.oid is not null) and (pg_catalog.pg_has_role(u.oid, 'USAGE') or "
     "pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0) group by u.rolname, x.grantee, g.rolname, "
     "n.nspname, c.relname, x.attname, x.privilege_type"},
    {"role_column_grants",
     "select grantor, grantee, table_catalog, table_schema, table_name, column_name, privilege_type, is_grantable "
     "from information_schema.column_privileges where grantor in (select role_name from "
     "information_schema.enabled_roles) or "
     "grantee in (select role_name from information_schema.enabled_roles)"},
    {"usage_privileges",
     "select u.rolname as grantor, 'PUBLIC'::pg_catalog.name as grantee, "
     "pg_catalog.current_database()::pg_catalog.name as object_catalog, n.nspname as object_schema, c.collname as "
     "object_name, 'COLLATION'::pg_catalog.varchar as object_type, 'USAGE'::pg_catalog.varchar as privilege_type, "
     "'NO'::pg_catalog.varchar as is_grantable from pg_catalog.pg_authid u join pg_catalog.pg_collation c on "
     "c.collowner = u.oid join pg_catalog.pg_namespace n on n.oid = c.collnamespace where c.collencoding in (-1, "
     "(select d.encoding from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())) union all "
     "select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name as "
     "grantee, pg_catalog.current_database()::pg_catalog.name as object_catalog, n.nspname as object_schema, "
     "t.typname as object_name, 'DOMAIN'::pg_catalog.varchar as object_type, 'USAGE'::pg_catalog.varchar as "
     "privilege_type, (case when x.is_grantable or g.oid is not null and pg_catalog.pg_has_role(g.oid, t.typowner, "
     "'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as is_grantable from pg_catalog.pg_type t join "
     "pg_catalog.pg_namespace n on n.oid = t.typnamespace cross join lateral "
     "pg_catalog.aclexplode(coalesce(t.typacl, pg_catalog.acldefault('T', t.typowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "t.typtype = 'd' and x.privilege_type = 'USAGE' and (x.grantee = 0 or g.oid is not null) and "
     "(pg_catalog.pg_has_role(u.oid, 'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0) union "
     "all select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name "
     "as grantee, pg_catalog.current_database()::pg_catalog.name as object_catalog, n.nspname as object_schema, "
     "c.relname as object_name, 'SEQUENCE'::pg_catalog.varchar as object_type, 'USAGE'::pg_catalog.varchar as "
     "privilege_type, (case when x.is_grantable or g.oid is not null and pg_catalog.pg_has_role(g.oid, c.relowner, "
     "'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as is_grantable from pg_catalog.pg_class c join "
     "pg_catalog.pg_namespace n on n.oid = c.relnamespace cross join lateral "
     "pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "c.relkind = 'S' and x.privilege_type = 'USAGE' and (x.grantee = 0 or g.oid is not null) and "
     "(pg_catalog.pg_has_role(u.oid, 'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0) "
     "union all select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname "
     "end)::pg_catalog.name "
     "as grantee, pg_catalog.current_database()::pg_catalog.name as object_catalog, ''::pg_catalog.name as "
     "object_schema, o.fdwname as object_name, 'FOREIGN DATA WRAPPER'::pg_catalog.varchar as object_type, "
     "'USAGE'::pg_catalog.varchar as privilege_type, (case when x.is_grantable or g.oid is not null and "
     "pg_catalog.pg_has_role(g.oid, o.fdwowner, 'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as "
     "is_grantable from pg_catalog.pg_foreign_data_wrapper o cross join lateral "
     "pg_catalog.aclexplode(coalesce(o.fdwacl, pg_catalog.acldefault('F', o.fdwowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "x.privilege_type = 'USAGE' and (x.grantee = 0 or g.oid is not null) and (pg_catalog.pg_has_role(u.oid, "
     "'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0) "
     "union all select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname "
     "end)::pg_catalog.name "
     "as grantee, pg_catalog.current_database()::pg_catalog.name as object_catalog, ''::pg_catalog.name as "
     "object_schema, o.srvname as object_name, 'FOREIGN SERVER'::pg_catalog.varchar as object_type, "
     "'USAGE'::pg_catalog.varchar as privilege_type, (case when x.is_grantable or g.oid is not null and "
     "pg_catalog.pg_has_role(g.oid, o.srvowner, 'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as "
     "is_grantable from pg_catalog.pg_foreign_server o cross join lateral "
     "pg_catalog.aclexplode(coalesce(o.srvacl, pg_catalog.acldefault('S', o.srvowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "x.privilege_type = 'USAGE' and (x.grantee = 0 or g.oid is not null) and (pg_catalog.pg_has_role(u.oid, "
     "'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0)"},
    {"udt_privileges",
     "select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name as "
     "grantee, pg_catalog.current_database()::pg_catalog.name as udt_catalog, n.nspname as udt_schema, t.typname "
     "as udt_name, 'TYPE USAGE'::pg_catalog.varchar as privilege_type, (case when x.is_grantable or g.oid is not "
     "null and pg_catalog.pg_has_role(g.oid, t.typowner, 'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as "
     "is_grantable from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace cross join "
     "lateral pg_catalog.aclexplode(coalesce(t.typacl, pg_catalog.acldefault('T', t.typowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "t.typtype = 'c' and x.privilege_type = 'USAGE' and (x.grantee = 0 or g.oid is not null) and "
     "(pg_catalog.pg_has_role(u.oid, 'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0)"},
    {"routine_privileges",
     "select u.rolname as grantor, (case when x.grantee = 0 then 'PUBLIC' else g.rolname end)::pg_catalog.name as "
     "grantee, pg_catalog.current_database()::pg_catalog.name as specific_catalog, n.nspname as specific_schema, "
     "(p.proname::pg_catalog.text || '_' || p.oid::pg_catalog.text)::pg_catalog.name as specific_name, "
     "pg_catalog.current_database()::pg_catalog.name as routine_catalog, n.nspname as routine_schema, p.proname as "
     "routine_name, 'EXECUTE'::pg_catalog.varchar as privilege_type, (case when x.is_grantable or g.oid is not "
     "null and pg_catalog.pg_has_role(g.oid, p.proowner, 'USAGE') then 'YES' else 'NO' end)::pg_catalog.varchar as "
     "is_grantable from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace cross join "
     "lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x join "
     "pg_catalog.pg_authid u on u.oid = x.grantor left join pg_catalog.pg_authid g on g.oid = x.grantee where "
     "x.privilege_type = 'EXECUTE' and (x.grantee = 0 or g.oid is not null) and (pg_catalog.pg_has_role(u.oid, "
     "'USAGE') or pg_catalog.pg_has_role(g.oid, 'USAGE') or x.grantee = 0)"},
};

}  // namespace

std::span<const SystemView> information_schema_privilege_views() { return kInformationSchemaPrivilegesViews; }

}  // namespace indigo::catalog
