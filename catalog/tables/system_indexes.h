// The secondary indexes of system tables that the catalog's own look-ups use. Numbers are per table, in this order.
#pragma once

#include <cstdint>
#include <span>

#include "catalog/generated/columns.h"

namespace indigo::catalog {

struct SystemIndex {
  Oid table;
  uint8_t columns[4];
  uint8_t column_count;
  bool unique;
  const char* name;  // PostgreSQL's, for messages
};

// Numbers, as SystemTable::scan_index takes them.
namespace system_index {
inline constexpr int kClassName = 0;          // pg_class (relname, relnamespace)
inline constexpr int kAttrdefColumn = 0;      // pg_attrdef (adrelid, adnum)
inline constexpr int kIndexTable = 0;         // pg_index (indrelid)
inline constexpr int kConstraintTable = 0;    // pg_constraint (conrelid, contypid, conname)
inline constexpr int kConstraintForeign = 1;  // pg_constraint (confrelid)
inline constexpr int kConstraintType = 2;     // pg_constraint (contypid)
inline constexpr int kTypeName = 0;           // pg_type (typname, typnamespace)
inline constexpr int kNamespaceName = 0;      // pg_namespace (nspname)
inline constexpr int kAuthidName = 0;         // pg_authid (rolname)
inline constexpr int kDatabaseName = 0;       // pg_database (datname)
inline constexpr int kDependReference = 0;    // pg_depend (refclassid, refobjid, refobjsubid)
inline constexpr int kShdependReference = 0;  // pg_shdepend (refclassid, refobjid)
inline constexpr int kEnumType = 0;           // pg_enum (enumtypid, enumsortorder)
inline constexpr int kRewriteClass = 0;       // pg_rewrite (ev_class)
inline constexpr int kTriggerRelation = 0;    // pg_trigger (tgrelid, tgname)
inline constexpr int kTriggerConstraint = 1;  // pg_trigger (tgconstraint)
inline constexpr int kProcName = 0;           // pg_proc (proname, pronamespace)
inline constexpr int kCollationName = 0;      // pg_collation (collname, collnamespace)
inline constexpr int kAuthMembersMember = 0;  // pg_auth_members (member)
inline constexpr int kInheritsParent = 0;     // pg_inherits (inhparent)
inline constexpr int kPolicyTable = 0;        // pg_policy (polrelid, polname)
inline constexpr int kOperatorName = 0;       // pg_operator (oprname, oprleft, oprright, oprnamespace)
inline constexpr int kCastTypes = 0;          // pg_cast (castsource, casttarget)
inline constexpr int kOpclassName = 0;        // pg_opclass (opcmethod, opcname, opcnamespace)
inline constexpr int kOpfamilyName = 0;       // pg_opfamily (opfmethod, opfname, opfnamespace)
inline constexpr int kAmopFamily = 0;         // pg_amop (amopfamily, amoplefttype, amoprighttype)
inline constexpr int kAmopOperator = 1;       // pg_amop (amopopr)
inline constexpr int kAmprocFamily = 0;       // pg_amproc (amprocfamily, amproclefttype, amprocrighttype)
inline constexpr int kStatisticsTable = 0;    // pg_statistic_ext (stxrelid)
}  // namespace system_index

std::span<const SystemIndex> system_indexes();

}  // namespace indigo::catalog
