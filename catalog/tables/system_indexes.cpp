#include "catalog/tables/system_indexes.h"

namespace indigo::catalog {
namespace {

constexpr SystemIndex kIndexes[] = {
    {pg_class::kOid, {pg_class::c_relname, pg_class::c_relnamespace}, 2, true, "pg_class_relname_nsp_index"},
    {pg_attrdef::kOid, {pg_attrdef::c_adrelid, pg_attrdef::c_adnum}, 2, true, "pg_attrdef_adrelid_adnum_index"},
    {pg_index::kOid, {pg_index::c_indrelid}, 1, false, "pg_index_indrelid_index"},
    {pg_constraint::kOid,
     {pg_constraint::c_conrelid, pg_constraint::c_contypid, pg_constraint::c_conname},
     3,
     true,
     "pg_constraint_conrelid_contypid_conname_index"},
    {pg_constraint::kOid, {pg_constraint::c_confrelid}, 1, false, "pg_constraint_confrelid_index"},
    {pg_constraint::kOid, {pg_constraint::c_contypid}, 1, false, "pg_constraint_contypid_index"},
    {pg_type::kOid, {pg_type::c_typname, pg_type::c_typnamespace}, 2, true, "pg_type_typname_nsp_index"},
    {pg_namespace::kOid, {pg_namespace::c_nspname}, 1, true, "pg_namespace_nspname_index"},
    {pg_authid::kOid, {pg_authid::c_rolname}, 1, true, "pg_authid_rolname_index"},
    {pg_database::kOid, {pg_database::c_datname}, 1, true, "pg_database_datname_index"},
    {pg_depend::kOid,
     {pg_depend::c_refclassid, pg_depend::c_refobjid, pg_depend::c_refobjsubid},
     3,
     false,
     "pg_depend_reference_index"},
    {pg_shdepend::kOid, {pg_shdepend::c_refclassid, pg_shdepend::c_refobjid}, 2, false, "pg_shdepend_reference_index"},
    {pg_enum::kOid, {pg_enum::c_enumtypid, pg_enum::c_enumsortorder}, 2, true, "pg_enum_typid_sortorder_index"},
    {pg_rewrite::kOid, {pg_rewrite::c_ev_class}, 1, false, "pg_rewrite_rel_rulename_index"},
    {pg_trigger::kOid, {pg_trigger::c_tgrelid, pg_trigger::c_tgname}, 2, true, "pg_trigger_tgrelid_tgname_index"},
    {pg_trigger::kOid, {pg_trigger::c_tgconstraint}, 1, false, "pg_trigger_tgconstraint_index"},
    {pg_proc::kOid, {pg_proc::c_proname, pg_proc::c_pronamespace}, 2, false, "pg_proc_proname_args_nsp_index"},
    {pg_collation::kOid,
     {pg_collation::c_collname, pg_collation::c_collnamespace},
     2,
     false,
     "pg_collation_name_enc_nsp_index"},
    {pg_inherits::kOid, {pg_inherits::c_inhparent}, 1, false, "pg_inherits_parent_index"},
    {pg_policy::kOid, {pg_policy::c_polrelid, pg_policy::c_polname}, 2, true, "pg_policy_polrelid_polname_index"},
    {pg_auth_members::kOid, {pg_auth_members::c_member}, 1, false, "pg_auth_members_member_role_index"},
};

}  // namespace

std::span<const SystemIndex> system_indexes() { return kIndexes; }

}  // namespace indigo::catalog
