#include "engine/session/required_privileges.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/object_privileges.h"
#include "sql/policy/target_reads.h"
#include "sql/query_walk.h"

namespace indigo::engine {

namespace {

using catalog::RelationKind;

void add_column(std::vector<int16_t>& columns, int column) {
  const auto number = static_cast<int16_t>(column + 1);
  if (std::find(columns.begin(), columns.end(), number) == columns.end()) columns.push_back(number);
}

// A row as a whole reads all of its columns.
const sql::WholeRowExpr* whole_row(const sql::Expr& e) {
  return e.kind == sql::ExprKind::kWholeRow ? &sql::as<sql::WholeRowExpr>(e) : nullptr;
}
void add_columns(std::vector<int16_t>& columns, const sql::Entry& entry) {
  if (entry.relation == nullptr) return;
  for (const types::ColumnInfo& c : entry.relation->columns) {
    if (!c.dropped) add_column(columns, c.number - 1);
  }
}

class Collector {
 public:
  explicit Collector(std::vector<RequiredPrivilege>& out) : out_(out) {}

  void visit(const sql::Query& q, Oid owner_view) {
    std::vector<int> at(q.entries.size(), -1);  // entry -> its place in out_
    for (size_t i = 0; i < q.entries.size(); i++) {
      const sql::Entry& e = q.entries[i];
      const bool excluded = q.on_conflict && q.on_conflict->excluded_entry == static_cast<int>(i);
      if (excluded && q.target >= 0) at[i] = at[static_cast<size_t>(q.target)];  // read like the target's own columns
      if (e.relation != nullptr && !excluded && !e.granted) {
        at[i] = static_cast<int>(out_.size());
        RequiredPrivilege r;
        r.relation = e.relation->oid;
        r.name = e.relation->name;
        r.kind = e.relation->kind;
        r.schema = e.relation->schema;
        r.owner_view = e.used_as != kInvalidOid ? e.used_as : owner_view;
        r.reads = static_cast<int>(i) != q.target;
        // FOR UPDATE of a view has become one of its tables.
        r.updates = e.kind == sql::EntryKind::kSubquery && e.subquery != nullptr && !e.subquery->row_locks.empty();
        out_.push_back(std::move(r));
      }
    }
    changes(q, at);
    columns(q, at, owner_view);
    if (q.instead_event == catalog::kTriggerUpdate || q.instead_event == catalog::kTriggerDelete) {
      RequiredPrivilege& rows = out_[static_cast<size_t>(at[1])];
      rows.reads = !rows.read.empty();
    }
    if (!q.target_views.empty() && at[static_cast<size_t>(q.target)] >= 0) {
      const Oid user = q.entries[static_cast<size_t>(q.target)].used_as;
      // The old rows that triggers get are those of the view with the triggers.
      const bool old_rows = q.instead_event == catalog::kTriggerUpdate || q.instead_event == catalog::kTriggerDelete;
      if (old_rows) out_[static_cast<size_t>(at[1])].owner_view = below(*q.target_views.back().relation);
      through_views(q, static_cast<size_t>(at[static_cast<size_t>(q.target)]), user != kInvalidOid ? user : owner_view);
    }
    for (const sql::Entry& e : q.entries) {
      if (e.subquery == nullptr || e.granted) continue;
      // What a rule has replaced (or a trigger takes) inserts into a view reads nothing of it.
      if (q.command == sql::CommandKind::kInsert && &e == &q.entries[static_cast<size_t>(q.target)]) continue;
      const Oid user = e.used_as != kInvalidOid ? e.used_as : owner_view;
      visit(*e.subquery, e.relation != nullptr ? below(*e.relation) : user);
    }
    for (const sql::CommonTable& cte : q.ctes) visit(*cte.query, owner_view);
  }

 private:
  void changes(const sql::Query& q, const std::vector<int>& at) {
    for (const sql::RowLock& lock : q.row_locks) {
      if (const int place = at[static_cast<size_t>(lock.entry)]; place >= 0) {
        out_[static_cast<size_t>(place)].updates = true;
      }
    }
    if (q.target < 0 || at[static_cast<size_t>(q.target)] < 0) return;
    RequiredPrivilege& r = out_[static_cast<size_t>(at[static_cast<size_t>(q.target)])];
    const auto inserts = [&](const std::vector<int>& into) {
      r.inserts = true;
      for (const int c : into) add_column(r.inserted, c);
    };
    const auto updates = [&](const std::vector<sql::Assignment>& set) {
      r.updates = true;
      for (const sql::Assignment& a : set) add_column(r.updated, a.column);
    };
    if (q.instead_event == catalog::kTriggerUpdate) return updates(q.assignments);
    if (q.instead_event == catalog::kTriggerDelete) {
      r.bits |= types::kPrivilegeDelete;
      return;
    }
    switch (q.command) {
      case sql::CommandKind::kInsert:
        inserts(q.insert_columns);
        for (const int c : arbiter_columns(q)) {
          r.reads = true;
          add_column(r.read, c);
        }
        if (q.on_conflict && q.on_conflict->update) updates(q.on_conflict->assignments);
        break;
      case sql::CommandKind::kUpdate: updates(q.assignments); break;
      case sql::CommandKind::kDelete: r.bits |= types::kPrivilegeDelete; break;
      case sql::CommandKind::kMerge:
        r.reads = true;
        for (const sql::MergeAction& a : q.merge_actions) {
          if (a.command == sql::CommandKind::kInsert) {
            r.inserts = true;
            for (size_t i = 0; i < a.named; i++) add_column(r.inserted, a.assignments[i].column);
          }
          if (a.command == sql::CommandKind::kUpdate) updates(a.assignments);
          if (a.command == sql::CommandKind::kDelete) r.bits |= types::kPrivilegeDelete;
        }
        break;
      case sql::CommandKind::kSelect: break;
    }
  }

  // The target's columns that decide on conflicts.
  static std::vector<int> arbiter_columns(const sql::Query& q) {
    std::vector<int> out;
    if (!q.on_conflict) return out;
    for (const catalog::IndexInfo& index : q.entries[static_cast<size_t>(q.target)].relation->indexes) {
      const auto& arbiters = q.on_conflict->arbiters;
      if (std::find(arbiters.begin(), arbiters.end(), index.oid) == arbiters.end()) continue;
      for (const catalog::IndexColumn& column : index.columns) {
        if (column.column > 0) out.push_back(column.column - 1);
      }
    }
    return out;
  }

  // With whose privileges a view's tables are used: those of who runs the statement (kInvalidOid), whoever owns the views above.
  static Oid below(const catalog::RelationInfo& view) { return view.security_invoker ? kInvalidOid : view.owner; }

  // ON CONFLICT DO UPDATE: `excluded` is a row of the view, for which all that the view shows is read.
  static void add_excluded(const sql::Query& q, const sql::Query::TargetView& above, std::vector<int>& read) {
    if (!q.on_conflict || !q.on_conflict->update) return;
    for (const int column : above.columns) {
      if (column >= 0) read.push_back(column);
    }
  }

  // A table that is changed through views: the outermost view as this query says, what is below each view as its owner.
  void through_views(const sql::Query& q, size_t table, Oid owner_view) {
    Oid user = owner_view;
    std::vector<RequiredPrivilege> views;
    for (size_t i = 0; i < q.target_views.size(); i++) {
      const sql::Query::TargetView& view = q.target_views[i];
      const auto number = [&](int16_t column) {
        const auto at = std::find(view.columns.begin(), view.columns.end(), column - 1);
        return static_cast<int>(at - view.columns.begin());
      };
      RequiredPrivilege r = out_[table];
      r.relation = view.relation->oid;
      r.name = view.relation->name;
      r.kind = view.relation->kind;
      r.schema = view.relation->schema;
      r.owner_view = user;
      for (std::vector<int16_t>* columns : {&r.inserted, &r.updated}) {
        std::vector<int16_t> own;
        for (const int16_t c : *columns) add_column(own, number(c));
        *columns = std::move(own);
      }
      if (q.command == sql::CommandKind::kInsert && !q.on_conflict) r.reads = false;
      r.read.clear();
      std::vector<int> read = sql::target_reads(q, view.condition).columns;
      for (const int column : arbiter_columns(q)) read.push_back(column);
      if (i > 0) add_excluded(q, q.target_views[i - 1], read);
      for (const int column : read) {
        const auto c = static_cast<int16_t>(column + 1);
        r.reads = true;
        if (number(c) < static_cast<int>(view.columns.size())) add_column(r.read, number(c));
      }
      if (r.read.empty()) r.reads = false;
      views.push_back(std::move(r));
      user = below(*view.relation);
    }
    out_[table].owner_view = user;
    std::vector<int> shown;
    add_excluded(q, q.target_views.back(), shown);
    for (const int column : shown) {
      out_[table].reads = true;
      add_column(out_[table].read, column);
    }
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(table), views.begin(), views.end());
  }

  // What is not the query's own text: the table's checks, generated columns and, with `defaults`, defaults; by their addresses.
  static std::vector<const sql::Expr*> of_table(const sql::Query& q, bool defaults) {
    std::vector<const sql::Expr*> out;
    const auto add = [&](const sql::ExprPtr& e) {
      if (e != nullptr) out.push_back(e.get());
    };
    for (const auto* list : {&q.checks, &q.view_checks}) std::for_each(list->begin(), list->end(), add);
    for (const sql::Assignment& a : q.generated) add(a.value);
    for (const sql::RowCheck& c : q.row_checks) add(c.condition);
    if (defaults) {
      for (const sql::Assignment& a : q.assignments) add(a.value);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  // Columns that the query's own text reads.
  void columns(const sql::Query& q, const std::vector<int>& at, Oid owner_view) {
    const bool instead = q.instead_event == catalog::kTriggerUpdate || q.instead_event == catalog::kTriggerDelete;
    const bool inserts = !instead && q.command == sql::CommandKind::kInsert;
    std::optional<sql::Query> copy;
    if (instead) {
      copy = q;
      copy->targets.clear();  // whole rows, for the triggers alone
    }
    const sql::Query& own = copy ? *copy : q;
    const std::vector<const sql::Expr*> passed = of_table(q, inserts);
    std::vector<std::shared_ptr<const sql::Query>> sublinks;
    sql::visit_query(own, [&](const sql::Expr& e, int depth) {
      if (depth == 0 && std::binary_search(passed.begin(), passed.end(), &e)) return false;
      if (e.kind == sql::ExprKind::kSubLink && depth == 0) sublinks.push_back(sql::as<sql::SubLinkExpr>(e).query);
      const auto required = [&](int levels_up, int entry) -> RequiredPrivilege* {
        if (levels_up != depth || entry < 0 || static_cast<size_t>(entry) >= at.size()) return nullptr;
        const int place = at[static_cast<size_t>(entry)];
        return place < 0 ? nullptr : &out_[static_cast<size_t>(place)];
      };
      if (const auto* row = whole_row(e)) {
        if (RequiredPrivilege* r = required(row->levels_up, row->entry)) {
          r->reads = true;
          add_columns(r->read, q.entries[static_cast<size_t>(row->entry)]);
        }
        return true;
      }
      if (e.kind != sql::ExprKind::kVar) return true;
      const auto& v = sql::as<sql::VarExpr>(e);
      RequiredPrivilege* const found = required(v.levels_up, v.entry);
      if (found == nullptr) return true;
      RequiredPrivilege& r = *found;
      r.reads = true;
      add_column(r.read, v.column < 0 ? v.column - 1 : v.column);
      return true;
    });
    for (const auto& sublink : sublinks) visit(*sublink, owner_view);
    policies(q);
  }

  // Policies ask for nothing of their own table's columns, but for what their subqueries read.
  void policies(const sql::Query& q) {
    const auto subqueries_of = [&](const sql::ExprPtr& condition, Oid user) {
      sql::visit_expressions(condition, [&](const sql::Expr& e, int depth) {
        if (depth > 0) return false;
        if (e.kind == sql::ExprKind::kSubLink) visit(*sql::as<sql::SubLinkExpr>(e).query, user);
        return true;
      });
    };
    for (const sql::Entry& e : q.entries) {
      for (const sql::ExprPtr& qual : e.security_quals) subqueries_of(qual, e.policy_user);
    }
    for (const sql::RowCheck& check : q.row_checks) {
      subqueries_of(check.condition, q.entries[static_cast<size_t>(q.target)].policy_user);
    }
  }

  std::vector<RequiredPrivilege>& out_;
};

// The functions that expressions call, by themselves or through an operator, a cast or a domain's check.
class CalledFunctions {
 public:
  CalledFunctions() {
    visitor_ = [this](const sql::Expr& e, int) {
      visit(e);
      return true;
    };
  }
  CalledFunctions(const CalledFunctions&) = delete;
  CalledFunctions& operator=(const CalledFunctions&) = delete;

  const sql::ExprVisitor& visitor() const { return visitor_; }

  // Those that PUBLIC may not call.
  std::vector<RequiredFunction> restricted(catalog::SessionCatalog& catalog) const {
    std::vector<RequiredFunction> out;
    for (const auto& [function, over_window] : called_) {
      const catalog::ObjectAcl acl = catalog::read_object_acl(catalog, catalog::kFunctionAcl, function);
      const auto nobody = [](Oid) { return false; };
      if (!acl.found || (types::acl_privileges(acl.acl, nobody) & types::kPrivilegeExecute) != 0) continue;
      const auto info = catalog.function(function);
      out.push_back({function, info == nullptr ? std::string() : info->name, over_window});
    }
    return out;
  }

 private:
  void add(Oid function, bool over_window = false) {
    if (function == kInvalidOid) return;
    const auto same = [&](const auto& c) { return c.first == function; };
    if (std::none_of(called_.begin(), called_.end(), same)) called_.emplace_back(function, over_window);
  }

  void visit(const sql::Expr& e) {
    switch (e.kind) {
      case sql::ExprKind::kCall: return add(sql::as<sql::CallExpr>(e).function);
      case sql::ExprKind::kAggregate: return add(sql::as<sql::AggregateExpr>(e).function);
      case sql::ExprKind::kWindowCall: return add(sql::as<sql::WindowCallExpr>(e).function, true);
      case sql::ExprKind::kArrayCompare: return add(sql::as<sql::ArrayCompareExpr>(e).function);
      case sql::ExprKind::kArrayCast: return sql::visit_expressions(sql::as<sql::ArrayCastExpr>(e).element, visitor_);
      case sql::ExprKind::kDomainCast:
        for (const auto& check : sql::as<sql::DomainCastExpr>(e).checks)
          sql::visit_expressions(check.condition, visitor_);
        return;
      default: return;
    }
  }

  sql::ExprVisitor visitor_;
  std::vector<std::pair<Oid, bool>> called_;
};

bool allowed(catalog::SessionCatalog& catalog, const RequiredPrivilege& r, Oid user) {
  const uint32_t held = catalog::object_privileges(catalog, catalog::kRelationAcl, r.relation, user);
  if ((r.bits & ~held) != 0) return false;
  const auto needs = [&](uint32_t bit, const std::vector<int16_t>& columns) {
    if ((held & bit) != 0) return true;
    const auto on = [&](int16_t column) {
      return (catalog::column_privileges(catalog, r.relation, column, user) & bit) != 0;
    };
    return columns.empty() ? on(0) : std::all_of(columns.begin(), columns.end(), on);
  };
  if (r.reads && !needs(types::kPrivilegeSelect, r.read)) return false;
  if (r.inserts && !needs(types::kPrivilegeInsert, r.inserted)) return false;
  return !r.updates || needs(types::kPrivilegeUpdate, r.updated);
}

const char* kind_name(RelationKind kind) {
  switch (kind) {
    case RelationKind::kView: return "view ";
    case RelationKind::kSequence: return "sequence ";
    case RelationKind::kMaterializedView: return "materialized view ";
    case RelationKind::kForeignTable: return "foreign table ";
    default: return "table ";
  }
}

Error denied(const std::string& what) {
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for " + what);
}

}  // namespace

std::vector<RequiredPrivilege> required_privileges(const sql::Query& query) {
  std::vector<RequiredPrivilege> out;
  Collector(out).visit(query, kInvalidOid);
  return out;
}

Status check_privileges(catalog::SessionCatalog& catalog, const std::vector<RequiredPrivilege>& required) {
  for (const RequiredPrivilege& r : required) {
    const Oid user = r.owner_view != kInvalidOid ? r.owner_view : catalog.user();
    if (catalog.is_superuser(user)) continue;
    if (r.owner_view == kInvalidOid && !catalog.may_use_schema(r.schema)) {
      return denied("schema " + catalog.schema_name(r.schema));
    }
    if (!allowed(catalog, r, user)) return denied(kind_name(r.kind) + r.name);
  }
  return {};
}

std::vector<RequiredFunction> required_functions(catalog::SessionCatalog& catalog, const sql::Query& query) {
  CalledFunctions called;
  sql::visit_query(query, called.visitor());
  sql::visit_policies(query, called.visitor());
  return called.restricted(catalog);
}

std::vector<RequiredFunction> required_functions(catalog::SessionCatalog& catalog, const sql::ExprList& expressions) {
  CalledFunctions called;
  for (const sql::ExprPtr& e : expressions) sql::visit_expressions(e, called.visitor());
  return called.restricted(catalog);
}

Status check_functions(catalog::SessionCatalog& catalog, const std::vector<RequiredFunction>& required) {
  for (const RequiredFunction& f : required) {
    const uint32_t held = catalog::object_privileges(catalog, catalog::kFunctionAcl, f.oid, catalog.user());
    if ((held & types::kPrivilegeExecute) != 0) continue;
    const auto info = catalog.function(f.oid);
    const bool procedure = info != nullptr && info->kind == types::FunctionKind::kProcedure;
    const bool aggregate = info != nullptr && info->kind == types::FunctionKind::kAggregate && !f.over_window;
    return denied((procedure ? "procedure " : aggregate ? "aggregate " : "function ") + f.name);
  }
  return {};
}

Status check_functions(catalog::SessionCatalog& catalog, const sql::ExprList& expressions) {
  if (catalog.is_superuser(catalog.user())) return {};
  return check_functions(catalog, required_functions(catalog, expressions));
}

Status check_procedure(catalog::SessionCatalog& catalog, const types::FunctionInfo& procedure) {
  return check_functions(catalog, {{procedure.oid, procedure.name, false}});
}

Status check_sequence_privilege(catalog::SessionCatalog& catalog, Oid sequence, const std::string& name,
                                uint32_t any_of) {
  const uint32_t held = catalog::object_privileges(catalog, catalog::kRelationAcl, sequence, catalog.user());
  if ((held & any_of) != 0) return {};
  return denied("sequence " + name);
}

Status check_table_privilege(catalog::SessionCatalog& catalog, const catalog::RelationInfo& relation, uint32_t bits,
                             std::vector<int16_t> columns) {
  if (catalog.is_superuser(catalog.user())) return {};
  RequiredPrivilege r;
  r.relation = relation.oid;
  r.name = relation.name;
  r.kind = relation.kind;
  r.schema = relation.schema;
  r.bits = bits;
  r.inserts = !columns.empty();
  r.inserted = std::move(columns);
  return check_privileges(catalog, {r});
}

}  // namespace indigo::engine
