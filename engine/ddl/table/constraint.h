// Table constraints: PRIMARY KEY, UNIQUE, CHECK (and engine/ddl/table/foreign_key.h), for CREATE TABLE and ALTER TABLE ... ADD.
#pragma once

#include "engine/ddl/expression.h"
#include "engine/ddl/table/index.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct NewConstraint {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid;
  char kind = 'c';
  bool deferrable = false, deferred = false, validated = true, no_inherit = false;
  bool is_local = true;
  int inherit_count = 0;
  Oid parent = kInvalidOid;
  Oid relation = kInvalidOid, type = kInvalidOid, index = kInvalidOid, foreign_relation = kInvalidOid;
  char on_update = ' ', on_delete = ' ', match = ' ';
  std::vector<int16_t> columns, foreign_columns, delete_set_columns;
  std::vector<Oid> equality;   // conpfeqop and the like
  std::vector<Oid> exclusion;  // conexclop
  std::optional<std::string> expression;
};
Status insert_constraint(DdlContext& c, const NewConstraint& n);
// 42710 when the relation has a constraint of this name.
Status check_constraint_name_free(const RelationInfo& relation, std::string_view name);

// How a constraint is added. `is_new`: CREATE TABLE, where the table is empty, its tree not made yet.
struct ConstraintTarget {
  Oid relation = kInvalidOid;
  bool is_new = false;
  // Filled while adding: a primary key was added, so the table must be rewritten (ALTER) or is keyed by it (CREATE).
  bool keyed = false;
};

// PRIMARY KEY or UNIQUE. The columns of a primary key become NOT NULL.
Status add_key_constraint(DdlContext& c, ConstraintTarget& target, const PgQuery__Constraint& k);
Status add_check_constraint(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k);

// A CHECK constraint, named as if the user had written it without a name, that the rows are known to keep.
Status add_valid_check(DdlContext& c, const RelationPtr& relation, std::string_view condition);
// Whether a condition, as SQL text, follows from the table's valid CHECK constraints and NOT NULLs.
Result<bool> follows_from_table(DdlContext& c, const RelationPtr& relation, std::string_view condition);

// Existing rows against a constraint (VALIDATE CONSTRAINT, ADD without NOT VALID).
Status validate_check(DdlContext& c, const RelationInfo& relation, std::string_view name, std::string_view expression);

// CREATE TABLE keys that copy an index of another table (LIKE INCLUDING INDEXES).
Status add_key_like(DdlContext& c, ConstraintTarget& target, const RelationInfo& source, const IndexInfo& index);

}  // namespace indigo::engine::ddl
