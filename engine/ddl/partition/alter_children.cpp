#include "engine/ddl/partition/alter_children.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/fiber/stack.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/partition/partition_key.h"
#include "engine/ddl/table/alter_table.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

namespace {

Error in_children_too(std::string what) {
  return Error(sqlstate::kInvalidTableDefinition, std::move(what) + " child tables too");
}
constexpr const char* kNoOnly = "Do not specify the ONLY keyword.";

int inherit_count(DdlContext& c, Oid relation, int16_t column, bool* local = nullptr) {
  std::string image;
  const SystemTable& t = table(c, pg_attribute::kOid);
  if (!t.find(c.txn, {Datum::of_oid(relation), Datum::of(column)}, image)) return 0;
  const RowReader row = t.reader(image);
  if (local != nullptr) *local = row.flag(pg_attribute::c_attislocal);
  return row.i32(pg_attribute::c_attinhcount);
}

class Alteration {
 public:
  Alteration(DdlContext& c, const PgQuery__AlterTableCmd& cmd, bool recurse, AlterOne run)
      : c_(c), cmd_(cmd), recurse_(recurse), run_(std::move(run)) {}

  Status on(const RelationPtr& relation, const RelationInfo* parent) {
    INDIGO_TRY(check_stack_depth());
    switch (cmd_.subtype) {
      case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return add_column(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn: return drop_column(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return change_type(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull: return drop_not_null(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
        if (parent == nullptr && !recurse_ && relation->is_partitioned() && !relation->children.empty()) {
          if (const ColumnInfo* column = relation->find_column(cmd_.name); column == nullptr || !column->not_null) {
            return Error(in_children_too("constraint must be added to")).with_hint(kNoOnly);
          }
        }
        return everywhere(relation);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault:
      case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics:
      case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStorage: return everywhere(relation);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression: return drop_expression(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: return add_constraint(relation);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: return drop_constraint(relation, parent);
      case PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint: return validate_constraint(relation);
      default: return run_(relation);
    }
  }

 private:
  template <class F>
  Status for_children(const RelationPtr& relation, const F& f) {
    if (!recurse_) return {};
    for (const Oid child : relation->children) {
      INDIGO_TRY(lock_object(c_, child, TableLockMode::kAccessExclusive));
      const RelationPtr now = current(c_, child);
      if (now == nullptr) continue;
      INDIGO_TRY(check_not_in_use(c_, *now, "ALTER TABLE"));
      INDIGO_TRY(f(now));
    }
    return {};
  }

  Status everywhere(const RelationPtr& relation) {
    INDIGO_TRY(run_(relation));
    return for_children(relation, [&](const RelationPtr& child) { return on(child, relation.get()); });
  }

  // A column is generated in all tables of a tree, or in none.
  Status drop_expression(const RelationPtr& relation, const RelationInfo* parent) {
    if (parent == nullptr) {
      if (!recurse_ && !relation->children.empty())
        return Error(sqlstate::kFeatureNotSupported,
                     "ALTER TABLE / DROP EXPRESSION must be applied to child tables too");
      const ColumnInfo* column = relation->find_column(cmd_.name);
      if (column != nullptr && inherit_count(c_, relation->oid, column->number) > 0) {
        return Error(sqlstate::kInvalidTableDefinition, "cannot drop generation expression from inherited column");
      }
    }
    return everywhere(relation);
  }

  Status add_column(const RelationPtr& relation, const RelationInfo* parent) {
    if (relation->children.empty() && !relation->is_partition) return run_(relation);
    if (relation->is_partition) return Error(sqlstate::kWrongObjectType, "cannot add column to a partition");
    if (!recurse_) return in_children_too("column must be added to");
    const bool existed = relation->find_column(truncated_name(cmd_.def->column_def->colname)) != nullptr;
    // The column everywhere first; then its constraints, which have one name in all tables.
    PgQuery__ColumnDef plain = *cmd_.def->column_def;
    std::vector<PgQuery__Node*> kept;
    for (size_t i = 0; i < plain.n_constraints; i++) {
      switch (plain.constraints[i]->constraint->contype) {
        case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: break;
        case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
          return Error(sqlstate::kInvalidTableDefinition,
                       "cannot recursively add identity column to table that has child tables");
        default: kept.push_back(plain.constraints[i]);
      }
    }
    plain.n_constraints = kept.size();
    plain.constraints = kept.data();
    PgQuery__Node node = *cmd_.def;
    node.column_def = &plain;
    PgQuery__AlterTableCmd cmd = cmd_;
    cmd.def = &node;
    INDIGO_TRY(add_plain_column(relation, parent, cmd));
    if (existed) return {};
    INDIGO_ASSIGN(ColumnSpec spec, column_spec(c_, *cmd_.def->column_def, relation->name));
    const RelationPtr before = current(c_, relation->oid);
    ConstraintTarget target;
    target.relation = relation->oid;
    INDIGO_TRY(add_column_constraints(c_, target, spec));
    return pass_on(*before);
  }

  Status add_plain_column(const RelationPtr& relation, const RelationInfo* parent, const PgQuery__AlterTableCmd& cmd) {
    const ColumnInfo* own = relation->find_column(truncated_name(cmd.def->column_def->colname));
    if (parent != nullptr && own != nullptr) {
      const ColumnInfo* above = current(c_, parent->oid)->find_column(own->name);
      if (above != nullptr && (above->type.oid != own->type.oid || above->type.typmod != own->type.typmod)) {
        return Error(sqlstate::kDatatypeMismatch,
                     "child table " + quoted(relation->name) + " has different type for column " + quoted(own->name));
      }
      notice(c_, "merging definition of column " + quoted(own->name) + " for child " + quoted(relation->name));
      return update_attribute(c_, relation->oid, own->number, [](RowValues& v) {
        v.i32(pg_attribute::c_attinhcount, v.get(pg_attribute::c_attinhcount).i32 + 1);
      });
    }
    INDIGO_TRY(ddl::add_column(c_, current(c_, relation->oid), cmd));
    if (own != nullptr) return {};
    if (parent != nullptr) {
      const RelationPtr now = current(c_, relation->oid);
      INDIGO_TRY(update_attribute(c_, relation->oid, now->columns.back().number, [](RowValues& v) {
        v.flag(pg_attribute::c_attislocal, false).i32(pg_attribute::c_attinhcount, 1);
      }));
    }
    return for_children(relation,
                        [&](const RelationPtr& child) { return add_plain_column(child, relation.get(), cmd); });
  }

  // The constraints and keys that the relation has now and had not before, for the tables below.
  Status pass_on(const RelationInfo& before) {
    const RelationPtr now = current(c_, before.oid);
    for (const ConstraintInfo& added : now->constraints) {
      const bool old = std::any_of(before.constraints.begin(), before.constraints.end(),
                                   [&](const ConstraintInfo& o) { return o.oid == added.oid; });
      if (!old && added.kind == 'c' && !added.no_inherit) INDIGO_TRY(add_check_below(now, added));
    }
    if (!now->is_partitioned()) return {};
    for (const IndexInfo& added : now->indexes) {
      const bool old = std::any_of(before.indexes.begin(), before.indexes.end(),
                                   [&](const IndexInfo& o) { return o.oid == added.oid; });
      if (old) continue;
      if (recurse_) {
        INDIGO_TRY(add_partition_indexes(c_, current(c_, before.oid), added.oid));
      } else if (!now->children.empty()) {
        c_.catalog.changed({before.oid, added.oid});
        INDIGO_TRY(update_row(c_, pg_index::kOid, {Datum::of_oid(added.oid)},
                              [](RowValues& v) { v.flag(pg_index::c_indisvalid, false); }));
      }
    }
    return {};
  }

  Status drop_column(const RelationPtr& relation, const RelationInfo* parent) {
    const ColumnInfo* column = relation->find_column(cmd_.name);
    if (column == nullptr) return parent != nullptr ? Status() : run_(relation);
    const int16_t number = column->number;
    bool local = true;
    const int count = inherit_count(c_, relation->oid, number, &local);
    if (parent == nullptr) {
      if (count > 0) {
        return Error(sqlstate::kInvalidTableDefinition, "cannot drop inherited column " + quoted(column->name));
      }
      INDIGO_TRY(check_not_in_partition_key(c_, *relation, number, "drop"));
      if (!recurse_ && relation->is_partitioned() && !relation->children.empty()) {
        return Error(sqlstate::kInvalidTableDefinition,
                     "cannot drop column from only the partitioned table when partitions exist")
            .with_hint(kNoOnly);
      }
    } else {
      if (count > 1 || local) {
        return update_attribute(c_, relation->oid, number,
                                [&](RowValues& v) { v.i32(pg_attribute::c_attinhcount, std::max(count - 1, 0)); });
      }
      INDIGO_TRY(check_not_in_partition_key(c_, *relation, number, "drop"));
    }
    if (recurse_) {
      INDIGO_TRY(for_children(relation, [&](const RelationPtr& child) { return on(child, relation.get()); }));
    } else {
      for (const Oid oid : relation->children) {
        const RelationPtr child = current(c_, oid);
        const ColumnInfo* below = child->find_column(cmd_.name);
        if (below == nullptr) continue;
        INDIGO_TRY(update_attribute(c_, oid, below->number, [](RowValues& v) {
          v.flag(pg_attribute::c_attislocal, true)
              .i32(pg_attribute::c_attinhcount, std::max(v.get(pg_attribute::c_attinhcount).i32 - 1, 0));
        }));
      }
    }
    // All of them go at once, so that what depends on them is told once.
    dropped_.push_back({pg_class::kOid, relation->oid, number});
    if (parent != nullptr) return {};
    return drop_objects(c_, dropped_, cmd_.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE);
  }

  Status change_type(const RelationPtr& relation, const RelationInfo* parent) {
    const ColumnInfo* column = relation->find_column(cmd_.name);
    if (column == nullptr) return run_(relation);
    if (parent == nullptr) {
      if (inherit_count(c_, relation->oid, column->number) > 0) {
        return Error(sqlstate::kInvalidTableDefinition, "cannot alter inherited column " + quoted(column->name));
      }
      if (!recurse_ && !relation->children.empty()) {
        return in_children_too("type of inherited column " + quoted(column->name) + " must be changed in");
      }
    } else if (!visited_.insert(relation->oid).second) {
      return {};
    } else if (inherit_count(c_, relation->oid, column->number) > parents_in_tree(*relation)) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot alter inherited column " + quoted(column->name) + " of relation " + quoted(relation->name));
    }
    INDIGO_TRY(check_not_in_partition_key(c_, *relation, column->number, "alter"));
    if (parent == nullptr) {
      INDIGO_ASSIGN(tree_, with_descendants(c_, relation->oid, TableLockMode::kAccessExclusive));
    }
    return everywhere(relation);
  }

  int parents_in_tree(const RelationInfo& relation) const {
    return static_cast<int>(std::count_if(relation.parents.begin(), relation.parents.end(), [&](Oid oid) {
      return std::find(tree_.begin(), tree_.end(), oid) != tree_.end();
    }));
  }

  Status drop_not_null(const RelationPtr& relation, const RelationInfo* parent) {
    const ColumnInfo* column = relation->find_column(cmd_.name);
    if (parent == nullptr && column != nullptr && column->not_null) {
      if (relation->is_partition && !relation->parents.empty()) {
        const ColumnInfo* above = current(c_, relation->parents[0])->find_column(column->name);
        if (above != nullptr && above->not_null) {
          return Error(sqlstate::kInvalidTableDefinition,
                       "column " + quoted(column->name) + " is marked NOT NULL in parent table");
        }
      }
      if (!recurse_ && relation->is_partitioned() && !relation->children.empty()) {
        return Error(sqlstate::kInvalidTableDefinition,
                     "cannot remove constraint from only the partitioned table when partitions exist")
            .with_hint(kNoOnly);
      }
    }
    return everywhere(relation);
  }

  Status add_constraint(const RelationPtr& relation) {
    const PgQuery__Constraint& k = *cmd_.def->constraint;
    const bool check = k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_CHECK;
    if (check && !k.is_no_inherit && !recurse_ && !relation->children.empty()) {
      return in_children_too("constraint must be added to");
    }
    if (!recurse_ && relation->is_partitioned() && k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN) {
      return Error(sqlstate::kWrongObjectType, "cannot use ONLY for foreign key on partitioned table " +
                                                   quoted(relation->name) + " referencing relation " +
                                                   quoted(k.pktable->relname));
    }
    if (!recurse_ && relation->is_partitioned() && k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY)
      INDIGO_TRY(check_children_not_null(*relation, k));
    INDIGO_TRY(run_(relation));
    if (k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY && !relation->is_partitioned()) {
      INDIGO_TRY(pass_on_not_null(*relation));
    }
    return pass_on(*relation);
  }

  // ONLY the table gets the key: its partitions' columns have to be NOT NULL already.
  Status check_children_not_null(const RelationInfo& relation, const PgQuery__Constraint& k) {
    for (const Oid child : relation.children) {
      const RelationPtr partition = current(c_, child);
      for (const PgQuery__Node* name : sql::nodes(k.n_keys, k.keys)) {
        const ColumnInfo* column = partition->find_column(sql::string_of(name));
        if (column == nullptr || column->not_null) continue;
        return Error(in_children_too("constraint must be added to"))
            .with_detail("Column " + quoted(column->name) + " of relation " + quoted(partition->name) +
                         " is not already NOT NULL.")
            .with_hint(kNoOnly);
      }
    }
    return {};
  }

  // The columns of a new primary key have no nulls in the tables below, either. `before`: without the key.
  Status pass_on_not_null(const RelationInfo& before) {
    const RelationPtr now = current(c_, before.oid);
    for (const ColumnInfo& column : before.columns) {
      if (column.dropped || column.not_null || !now->columns[static_cast<size_t>(column.number) - 1].not_null) continue;
      PgQuery__AlterTableCmd cmd = PG_QUERY__ALTER_TABLE_CMD__INIT;
      std::string name = column.name;
      cmd.name = name.data();
      INDIGO_TRY(set_not_null_below(now, cmd));
    }
    return {};
  }
  Status set_not_null_below(const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
    return for_children(relation, [&](const RelationPtr& child) -> Status {
      INDIGO_TRY(set_not_null(c_, child, cmd));
      return set_not_null_below(current(c_, child->oid), cmd);
    });
  }

  Status add_check_below(const RelationPtr& relation, const ConstraintInfo& k) {
    return for_children(relation, [&](const RelationPtr& child) -> Status {
      INDIGO_ASSIGN(const bool merged, merge_check(c_, *child, *relation, k));
      if (merged) {
        notice(c_, "merging constraint " + quoted(k.name) + " with inherited definition");
        return {};
      }
      INDIGO_TRY(inherit_check(c_, child->oid, *relation, k));
      const RelationPtr now = current(c_, child->oid);
      const auto added = std::find_if(now->constraints.begin(), now->constraints.end(),
                                      [&](const ConstraintInfo& o) { return o.kind == 'c' && o.name == k.name; });
      if (added == now->constraints.end()) return {};
      const ConstraintInfo& own = *added;
      if (k.validated) INDIGO_TRY(validate_check(c_, *now, own.name, own.expression));
      return add_check_below(now, own);
    });
  }

  Status drop_constraint(const RelationPtr& relation, const RelationInfo* parent) {
    const auto found = std::find_if(relation->constraints.begin(), relation->constraints.end(),
                                    [&](const ConstraintInfo& k) { return k.name == cmd_.name; });
    if (found == relation->constraints.end()) return parent != nullptr ? Status() : run_(relation);
    // The relation's descriptor may be dropped on the way.
    const auto kept = std::make_shared<const ConstraintInfo>(*found);
    const ConstraintInfo& k = *kept;
    if (parent == nullptr && k.inherit_count > 0) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot drop inherited constraint " + quoted(k.name) + " of relation " + quoted(relation->name));
    }
    if (parent == nullptr && !recurse_ && relation->is_partitioned() && k.kind == 'c' && !relation->children.empty()) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot remove constraint from only the partitioned table when partitions exist")
          .with_hint(kNoOnly);
    }
    if (parent != nullptr && (k.inherit_count > 1 || k.is_local)) {
      return update_row(c_, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                        [&](RowValues& v) { v.i32(pg_constraint::c_coninhcount, std::max(k.inherit_count - 1, 0)); });
    }
    if (k.kind == 'f') {  // the partitions' parts go with it
      INDIGO_TRY(for_children(relation, [](const RelationPtr&) { return Status(); }));
    }
    if (k.kind == 'c' && !k.no_inherit) {
      if (recurse_) {
        INDIGO_TRY(for_children(relation, [&](const RelationPtr& child) { return on(child, relation.get()); }));
      } else {
        for (const Oid oid : relation->children) {
          const RelationPtr child = current(c_, oid);
          for (const ConstraintInfo& below : child->constraints) {
            if (below.name != k.name || below.kind != 'c') continue;
            INDIGO_TRY(update_row(c_, pg_constraint::kOid, {Datum::of_oid(below.oid)}, [&](RowValues& v) {
              v.flag(pg_constraint::c_conislocal, true)
                  .i32(pg_constraint::c_coninhcount, std::max(below.inherit_count - 1, 0));
            }));
          }
        }
      }
    }
    return run_(current(c_, relation->oid));
  }

  Status validate_constraint(const RelationPtr& relation) {
    const auto found = std::find_if(relation->constraints.begin(), relation->constraints.end(),
                                    [&](const ConstraintInfo& k) { return k.name == cmd_.name; });
    const bool below = found != relation->constraints.end() && found->kind == 'c' && !found->no_inherit &&
                       !found->validated && !relation->children.empty();
    if (below && !recurse_) return in_children_too("constraint must be validated on");
    if (below) INDIGO_TRY(for_children(relation, [&](const RelationPtr& child) { return on(child, relation.get()); }));
    return run_(current(c_, relation->oid));
  }

  DdlContext& c_;
  const PgQuery__AlterTableCmd& cmd_;
  const bool recurse_;
  AlterOne run_;
  std::vector<Oid> tree_;  // ALTER TYPE: all tables that it reaches
  std::set<Oid> visited_;
  std::vector<Address> dropped_;  // columns, those of children first
};

}  // namespace

Status alter_with_children(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd, bool recurse,
                           const AlterOne& run) {
  return Alteration(c, cmd, recurse, run).on(relation, nullptr);
}

}  // namespace indigo::engine::ddl
