// Views of pg_catalog over its tables. Every name is qualified: a view does not depend on anybody's search_path.
#include "catalog/views/system_views.h"

namespace indigo::catalog {
namespace {

constexpr SystemView kPgCatalogViews[] = {
    {"pg_tables", R"sql(
select n.nspname as schemaname, c.relname as tablename, pg_catalog.pg_get_userbyid(c.relowner) as tableowner,
       t.spcname as tablespace, c.relhasindex as hasindexes, c.relhasrules as hasrules, c.relhastriggers as hastriggers,
       c.relrowsecurity as rowsecurity
from pg_catalog.pg_class c
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     left join pg_catalog.pg_tablespace t on t.oid = c.reltablespace
where c.relkind in ('r', 'p'))sql"},
    {"pg_views", R"sql(
select n.nspname as schemaname, c.relname as viewname, pg_catalog.pg_get_userbyid(c.relowner) as viewowner,
       pg_catalog.pg_get_viewdef(c.oid) as definition
from pg_catalog.pg_class c left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'v')sql"},
    {"pg_matviews", R"sql(
select n.nspname as schemaname, c.relname as matviewname, pg_catalog.pg_get_userbyid(c.relowner) as matviewowner,
       t.spcname as tablespace, c.relhasindex as hasindexes, c.relispopulated as ispopulated,
       pg_catalog.pg_get_viewdef(c.oid) as definition
from pg_catalog.pg_class c
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     left join pg_catalog.pg_tablespace t on t.oid = c.reltablespace
where c.relkind = 'm')sql"},
    {"pg_indexes", R"sql(
select n.nspname as schemaname, c.relname as tablename, i.relname as indexname, t.spcname as tablespace,
       pg_catalog.pg_get_indexdef(i.oid) as indexdef
from pg_catalog.pg_index x
     join pg_catalog.pg_class c on c.oid = x.indrelid
     join pg_catalog.pg_class i on i.oid = x.indexrelid
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     left join pg_catalog.pg_tablespace t on t.oid = i.reltablespace
where c.relkind in ('r', 'm', 'p') and i.relkind in ('i', 'I'))sql"},
    {"pg_sequences", R"sql(
select n.nspname as schemaname, c.relname as sequencename, pg_catalog.pg_get_userbyid(c.relowner) as sequenceowner,
       s.seqtypid::pg_catalog.regtype as data_type, s.seqstart as start_value, s.seqmin as min_value, s.seqmax as max_value,
       s.seqincrement as increment_by, s.seqcycle as cycle, s.seqcache as cache_size,
       case when pg_catalog.has_sequence_privilege(c.oid, 'SELECT,USAGE')
            then pg_catalog.pg_sequence_last_value(c.oid::pg_catalog.regclass) end as last_value
from pg_catalog.pg_sequence s
     join pg_catalog.pg_class c on c.oid = s.seqrelid
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'S')sql"},
    {"pg_rules", R"sql(
select n.nspname as schemaname, c.relname as tablename, r.rulename as rulename,
       pg_catalog.pg_get_ruledef(r.oid) as definition
from pg_catalog.pg_rewrite r
     join pg_catalog.pg_class c on c.oid = r.ev_class
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where r.rulename <> '_RETURN')sql"},
    {"pg_policies", R"sql(
select n.nspname as schemaname, c.relname as tablename, p.polname as policyname,
       case when p.polpermissive then 'PERMISSIVE' else 'RESTRICTIVE' end as permissive,
       case when p.polroles = '{0}'::pg_catalog.oid[] then array['public'::pg_catalog.name]
            else array(select r.rolname from pg_catalog.pg_authid r where r.oid = any (p.polroles) order by r.rolname) end
         as roles,
       case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE'
                     when '*' then 'ALL' end as cmd,
       pg_catalog.pg_get_expr(p.polqual, p.polrelid) as qual,
       pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as with_check
from pg_catalog.pg_policy p
     join pg_catalog.pg_class c on c.oid = p.polrelid
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace)sql"},
    {"pg_roles", R"sql(
select a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication,
       a.rolconnlimit, '********'::pg_catalog.text as rolpassword, a.rolvaliduntil, a.rolbypassrls,
       s.setconfig as rolconfig, a.oid
from pg_catalog.pg_authid a
     left join pg_catalog.pg_db_role_setting s on s.setrole = a.oid and s.setdatabase = 0)sql"},
    {"pg_shadow", R"sql(
select a.rolname as usename, a.oid as usesysid, a.rolcreatedb as usecreatedb, a.rolsuper as usesuper,
       a.rolreplication as userepl, a.rolbypassrls as usebypassrls, a.rolpassword as passwd, a.rolvaliduntil as valuntil,
       s.setconfig as useconfig
from pg_catalog.pg_authid a
     left join pg_catalog.pg_db_role_setting s on s.setrole = a.oid and s.setdatabase = 0
where a.rolcanlogin)sql"},
    {"pg_user", R"sql(
select a.rolname as usename, a.oid as usesysid, a.rolcreatedb as usecreatedb, a.rolsuper as usesuper,
       a.rolreplication as userepl, a.rolbypassrls as usebypassrls, '********'::pg_catalog.text as passwd,
       a.rolvaliduntil as valuntil, s.setconfig as useconfig
from pg_catalog.pg_authid a
     left join pg_catalog.pg_db_role_setting s on s.setrole = a.oid and s.setdatabase = 0
where a.rolcanlogin)sql"},
    {"pg_group", R"sql(
select a.rolname as groname, a.oid as grosysid,
       array(select m.member from pg_catalog.pg_auth_members m where m.roleid = a.oid) as grolist
from pg_catalog.pg_authid a
where not a.rolcanlogin)sql"},
    {"pg_settings", R"sql(
select s.name, s.setting, s.unit, s.category, s.short_desc, s.extra_desc, s.context, s.vartype, s.source, s.min_val,
       s.max_val, s.enumvals, s.boot_val, s.reset_val, s.sourcefile, s.sourceline, s.pending_restart
from pg_catalog.pg_show_all_settings() s)sql"},
    {"pg_locks", R"sql(
select l.locktype, l.database, l.relation, l.page, l.tuple, l.virtualxid, l.transactionid, l.classid, l.objid, l.objsubid,
       l.virtualtransaction, l.pid, l.mode, l.granted, l.fastpath, l.waitstart
from pg_catalog.pg_lock_status() l)sql"},
    {"pg_cursors", R"sql(
select c.name, c.statement, c.is_holdable, c.is_binary, c.is_scrollable, c.creation_time from pg_catalog.pg_cursor() c)sql"},
    {"pg_prepared_statements", R"sql(
select p.name, p.statement, p.prepare_time, p.parameter_types, p.from_sql, p.generic_plans, p.custom_plans
from pg_catalog.pg_prepared_statement() p)sql"},
    {"pg_timezone_names", R"sql(
select t.name, t.abbrev, t.utc_offset, t.is_dst from pg_catalog.pg_timezone_names() t)sql"},
    {"pg_timezone_abbrevs", R"sql(
select t.abbrev, t.utc_offset, t.is_dst from pg_catalog.pg_timezone_abbrevs() t)sql"},
    {"pg_available_extensions", R"sql(
select e.name, e.default_version, x.extversion as installed_version, e.comment
from pg_catalog.pg_available_extensions() e(name, default_version, comment)
     left join pg_catalog.pg_extension x on e.name = x.extname)sql"},
    {"pg_available_extension_versions", R"sql(
select e.name, e.version, (x.extname is not null) as installed, e.superuser, e.trusted, e.relocatable, e.schema, e.requires,
       e.comment
from pg_catalog.pg_available_extension_versions() e(name, version, superuser, trusted, relocatable, schema, requires, comment)
     left join pg_catalog.pg_extension x on e.name = x.extname and e.version = x.extversion)sql"},
    {"pg_stats", R"sql(
select n.nspname as schemaname, c.relname as tablename, a.attname, s.stainherit as inherited, s.stanullfrac as null_frac,
       s.stawidth as avg_width, s.stadistinct as n_distinct,
       case when s.stakind1 = 1 then s.stavalues1 when s.stakind2 = 1 then s.stavalues2 end as most_common_vals,
       case when s.stakind1 = 1 then s.stanumbers1 when s.stakind2 = 1 then s.stanumbers2 end as most_common_freqs,
       case when s.stakind1 = 2 then s.stavalues1 when s.stakind2 = 2 then s.stavalues2 end as histogram_bounds,
       case when s.stakind1 = 3 then s.stanumbers1[1] when s.stakind2 = 3 then s.stanumbers2[1]
            when s.stakind3 = 3 then s.stanumbers3[1] end as correlation,
       case when s.stakind1 = 4 then s.stavalues1 end as most_common_elems,
       case when s.stakind1 = 4 then s.stanumbers1 end as most_common_elem_freqs,
       case when s.stakind1 = 5 then s.stanumbers1 end as elem_count_histogram
from pg_catalog.pg_statistic s
     join pg_catalog.pg_class c on c.oid = s.starelid
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = s.staattnum
     left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not a.attisdropped and pg_catalog.has_column_privilege(c.oid, a.attnum, 'select')
  and (not c.relrowsecurity or not pg_catalog.row_security_active(c.oid)))sql"},
    {"pg_stats_ext", R"sql(
select cn.nspname as schemaname, c.relname as tablename, sn.nspname as statistics_schemaname, s.stxname as statistics_name,
       pg_catalog.pg_get_userbyid(s.stxowner) as statistics_owner,
       (select pg_catalog.array_agg(a.attname order by a.attnum)
        from pg_catalog.unnest(s.stxkeys) k(k)
             join pg_catalog.pg_attribute a on a.attrelid = s.stxrelid and a.attnum = k.k) as attnames,
       pg_catalog.pg_get_statisticsobjdef_expressions(s.oid) as exprs, s.stxkind as kinds, sd.stxdinherit as inherited,
       sd.stxdndistinct as n_distinct, sd.stxddependencies as dependencies, m.most_common_vals, m.most_common_val_nulls,
       m.most_common_freqs, m.most_common_base_freqs
from pg_catalog.pg_statistic_ext s
     join pg_catalog.pg_class c on c.oid = s.stxrelid
     join pg_catalog.pg_statistic_ext_data sd on s.oid = sd.stxoid
     left join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
     left join pg_catalog.pg_namespace sn on sn.oid = s.stxnamespace
     left join lateral (select pg_catalog.array_agg(i."values") as most_common_vals,
                               pg_catalog.array_agg(i.nulls) as most_common_val_nulls,
                               pg_catalog.array_agg(i.frequency) as most_common_freqs,
                               pg_catalog.array_agg(i.base_frequency) as most_common_base_freqs
                        from pg_catalog.pg_mcv_list_items(sd.stxdmcv) i) m on sd.stxdmcv is not null
where pg_catalog.pg_has_role(c.relowner, 'USAGE')
  and (not c.relrowsecurity or not pg_catalog.row_security_active(c.oid)))sql"},
    {"pg_stats_ext_exprs", R"sql(
select cn.nspname as schemaname, c.relname as tablename, sn.nspname as statistics_schemaname, s.stxname as statistics_name,
       pg_catalog.pg_get_userbyid(s.stxowner) as statistics_owner, x.expr, sd.stxdinherit as inherited,
       (x.a).stanullfrac as null_frac, (x.a).stawidth as avg_width, (x.a).stadistinct as n_distinct,
       case when (x.a).stakind1 = 1 then (x.a).stavalues1 when (x.a).stakind2 = 1 then (x.a).stavalues2 end as most_common_vals,
       case when (x.a).stakind1 = 1 then (x.a).stanumbers1 when (x.a).stakind2 = 1 then (x.a).stanumbers2 end as most_common_freqs,
       case when (x.a).stakind1 = 2 then (x.a).stavalues1 when (x.a).stakind2 = 2 then (x.a).stavalues2 end as histogram_bounds,
       case when (x.a).stakind1 = 3 then (x.a).stanumbers1[1] when (x.a).stakind2 = 3 then (x.a).stanumbers2[1] when (x.a).stakind3 = 3 then (x.a).stanumbers3[1] end as correlation,
       case when (x.a).stakind1 = 4 then (x.a).stavalues1 end as most_common_elems,
       case when (x.a).stakind1 = 4 then (x.a).stanumbers1 end as most_common_elem_freqs,
       case when (x.a).stakind1 = 5 then (x.a).stanumbers1 end as elem_count_histogram
from pg_catalog.pg_statistic_ext s
     join pg_catalog.pg_class c on c.oid = s.stxrelid
     left join pg_catalog.pg_statistic_ext_data sd on s.oid = sd.stxoid
     left join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
     left join pg_catalog.pg_namespace sn on sn.oid = s.stxnamespace
     join lateral (select pg_catalog.unnest(pg_catalog.pg_get_statisticsobjdef_expressions(s.oid)) as expr,
                          pg_catalog.unnest(sd.stxdexpr) as a) x on x.expr is not null
where pg_catalog.pg_has_role(c.relowner, 'USAGE')
  and (not c.relrowsecurity or not pg_catalog.row_security_active(c.oid)))sql"},
    {"pg_prepared_xacts", R"sql(
select p.transaction, p.gid, p.prepared, u.rolname as owner, d.datname as database
from pg_catalog.pg_prepared_xact() p
     left join pg_catalog.pg_authid u on u.oid = p.ownerid
     left join pg_catalog.pg_database d on d.oid = p.dbid)sql"},
    {"pg_user_mappings", R"sql(
select u.oid as umid, s.oid as srvid, s.srvname, u.umuser,
       case when u.umuser = 0 then 'public'::pg_catalog.name else a.rolname end as usename,
       case when u.umuser <> 0 and a.rolname = current_user
                 and (pg_catalog.pg_has_role(s.srvowner, 'USAGE') or pg_catalog.has_server_privilege(s.oid, 'USAGE'))
              or u.umuser = 0 and pg_catalog.pg_has_role(s.srvowner, 'USAGE')
              or (select r.rolsuper from pg_catalog.pg_authid r where r.rolname = current_user)
            then u.umoptions end as umoptions
from pg_catalog.pg_user_mapping u
     join pg_catalog.pg_foreign_server s on s.oid = u.umserver
     left join pg_catalog.pg_authid a on a.oid = u.umuser)sql"},
};

}  // namespace

std::span<const SystemView> pg_catalog_views() { return kPgCatalogViews; }

}  // namespace indigo::catalog
