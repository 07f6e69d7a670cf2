#include "sql/rule/rule_tree.h"

#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/deparse_query.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "sql/stored/stored_tree.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

using catalog::RelationKind;
using QueryPtr = std::shared_ptr<const Query>;

NamespaceItem rule_entry(Scope& scope, const std::shared_ptr<const RelationInfo>& relation, const char* name) {
  Entry entry;
  entry.kind = relation->kind == RelationKind::kView ? EntryKind::kSubquery : EntryKind::kTable;
  entry.alias = name;
  entry.relation = relation;
  for (const auto& column : relation->columns) {
    entry.column_names.push_back(column.dropped ? std::string() : column.name);
    entry.column_types.push_back(column.type);
  }
  return names_of(scope, add_entry(scope, std::move(entry)));
}

// What of OLD and NEW is read at `up` levels below the rule.
struct Reads {
  bool old_row = false, new_row = false;

  void note(const Expr& e, int up) {
    int entry = -1;
    if (e.kind == ExprKind::kVar && as<VarExpr>(e).levels_up == up) entry = as<VarExpr>(e).entry;
    if (e.kind == ExprKind::kWholeRow && as<WholeRowExpr>(e).levels_up == up) entry = as<WholeRowExpr>(e).entry;
    old_row |= entry == kRuleOld;
    new_row |= entry == kRuleNew;
  }
};

Reads reads_of(const ExprPtr& condition) {
  Reads out;
  visit_expressions(condition, [&](const Expr& e, int depth) {
    out.note(e, depth);
    return true;
  });
  return out;
}
// `up`: levels from the query to the rule.
Reads reads_of(const Query& action, int up = 1) {
  Reads out;
  visit_query(
      action,
      [&](const Expr& e, int depth) {
        out.note(e, depth);
        return true;
      },
      up);
  return out;
}

bool has_returning(const Query& q) { return q.command != CommandKind::kSelect && !q.returning.empty(); }

class RuleReader {
 public:
  RuleReader(Analysis& a, const PgQuery__RuleStmt& rule, std::shared_ptr<const RelationInfo> relation)
      : a_(a), rule_(rule), relation_(std::move(relation)), scope_(a, nullptr) {}

  Result<QueryPtr> run() {
    std::vector<NamespaceItem> names;
    names.push_back(rule_entry(scope_, relation_, "old"));
    names.push_back(rule_entry(scope_, relation_, "new"));
    scope_.query->from = make_cross_join(make_leaf(kRuleOld), make_leaf(kRuleNew));
    if (!absent(rule_.where_clause)) {
      // The condition's columns may stand bare.
      if (event() != CommandKind::kInsert) scope_.names.push_back(names[0]);
      if (event() != CommandKind::kDelete) scope_.names.push_back(names[1]);
      INDIGO_ASSIGN(scope_.query->where, transform_condition(scope_, rule_.where_clause, Clause::kWhere, "WHERE"));
      scope_.names.clear();
    }
    for (NamespaceItem& item : names) item.columns_visible = false;
    INDIGO_TRY(add_names(scope_, std::move(names)));
    bool has_returning_list = false;
    for (const PgQuery__Node* node : nodes(rule_.n_actions, rule_.actions)) {
      INDIGO_ASSIGN(QueryPtr action, read_action(*node));
      if (has_returning(*action)) INDIGO_TRY(check_returning(*action, has_returning_list));
      CommonTable table;
      table.name = "*ACTION*";
      table.query = std::move(action);
      scope_.query->ctes.push_back(std::move(table));
    }
    return QueryPtr(std::move(scope_.query));
  }

 private:
  CommandKind event() const {
    switch (rule_.event) {
      case PG_QUERY__CMD_TYPE__CMD_INSERT: return CommandKind::kInsert;
      case PG_QUERY__CMD_TYPE__CMD_UPDATE: return CommandKind::kUpdate;
      default: return CommandKind::kDelete;
    }
  }

  Result<QueryPtr> read_action(const PgQuery__Node& node) {
    Scope scope(a_, &scope_);
    switch (node.node_case) {
      case PG_QUERY__NODE__NODE_SELECT_STMT: INDIGO_TRY(transform_select(scope, *node.select_stmt)); break;
      case PG_QUERY__NODE__NODE_INSERT_STMT:
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
      case PG_QUERY__NODE__NODE_DELETE_STMT: INDIGO_TRY(transform_change(scope, node)); break;
      case PG_QUERY__NODE__NODE_NOTIFY_STMT:
        if (scope_.query->where != nullptr) {
          return Error(sqlstate::kInvalidObjectDefinition,
                       "rules with WHERE conditions can only have SELECT, INSERT, UPDATE, or DELETE actions");
        }
        return notify_query(scope, *node.notify_stmt);
      default: return Error(sqlstate::kFeatureNotSupported, "this kind of statement is not supported in rules");
    }
    INDIGO_TRY(check_rows(reads_of(*scope.query)));
    INDIGO_TRY(check_sources(*scope.query));
    return QueryPtr(std::move(scope.query));
  }

  Status check_rows(const Reads& reads) const {
    const auto refuse = [](const char* message) { return Error(sqlstate::kInvalidObjectDefinition, message); };
    if (reads.old_row && event() == CommandKind::kInsert) return refuse("ON INSERT rule cannot use OLD");
    if (reads.new_row && event() == CommandKind::kDelete) return refuse("ON DELETE rule cannot use NEW");
    return {};
  }

  // What OLD and NEW cannot be seen from. `up`: levels from the query to the rule.
  static Status check_sources(const Query& q, int up = 1) {
    for (const Entry& e : q.entries) {
      if (e.kind != EntryKind::kSubquery || e.relation != nullptr) continue;
      const bool source = q.command == CommandKind::kInsert && e.alias == "*SELECT*";
      if (source && e.subquery->set_operation == nullptr) INDIGO_TRY(check_sources(*e.subquery, up + 1));
      if (q.set_operation == nullptr && (!source || e.subquery->set_operation == nullptr)) continue;
      Reads reads;
      visit_query(
          *e.subquery,
          [&](const Expr& x, int depth) {
            reads.note(x, depth);
            return true;
          },
          up + 1);
      if (!reads.old_row && !reads.new_row) continue;
      return Error(sqlstate::kInvalidColumnReference,
                   "UNION/INTERSECT/EXCEPT member statement cannot refer to other relations of same query level");
    }
    for (const CommonTable& t : q.ctes) {
      const Reads reads = reads_of(*t.query, up + 1);
      if (reads.old_row || reads.new_row) {
        return Error(sqlstate::kFeatureNotSupported,
                     std::string("cannot refer to ") + (reads.old_row ? "OLD" : "NEW") + " within WITH query");
      }
    }
    return {};
  }

  Status check_returning(const Query& action, bool& seen) const {
    const auto refuse = [](const char* message) { return Error(sqlstate::kFeatureNotSupported, message); };
    if (seen) return refuse("cannot have multiple RETURNING lists in a rule");
    seen = true;
    if (scope_.query->where != nullptr) return refuse("RETURNING lists are not supported in conditional rules");
    if (!rule_.instead) return refuse("RETURNING lists are not supported in non-INSTEAD rules");
    size_t number = 0;
    for (const auto& column : relation_->columns) {
      const auto bad = [](std::string message) {
        return Error(sqlstate::kInvalidObjectDefinition, std::move(message));
      };
      if (column.dropped) continue;
      if (number == action.returning.size()) return bad("RETURNING list has too few entries");
      const TypeRef& type = action.returning[number++].expr->type;
      if (type.oid == column.type.oid && type.typmod == column.type.typmod) continue;
      const bool other = type.oid != column.type.oid;
      const auto text = [&](const TypeRef& t) {
        return other ? format_type(a_.catalog, t.oid) : format_type(a_.catalog, t.oid, t.typmod);
      };
      return bad("RETURNING list's entry " + std::to_string(number) + " has different " + (other ? "type" : "size") +
                 " from column \"" + column.name + "\"")
          .with_detail("RETURNING list entry has type " + text(type) + ", but column has type " + text(column.type) +
                       ".");
    }
    if (number < action.returning.size())
      return Error(sqlstate::kInvalidObjectDefinition, "RETURNING list has too many entries");
    return {};
  }

  Analysis& a_;
  const PgQuery__RuleStmt& rule_;
  std::shared_ptr<const RelationInfo> relation_;
  Scope scope_;
};

Result<QueryPtr> load_rule(catalog::SessionContext& session, std::string_view tree) {
  Analysis a(session, {});
  a.inline_functions = false;
  return load_query(a, tree, LoadFor::kPrinting);
}

}  // namespace

Result<QueryPtr> notify_query(Scope& scope, const PgQuery__NotifyStmt& s) {
  const auto literal = [](const char* text) { return text == nullptr ? "NULL" : types::quote_literal(text); };
  INDIGO_ASSIGN(const auto parsed, parse("SELECT pg_catalog.pg_notify(" + literal(s.conditionname) + ", " +
                                         literal(has_text(s.payload) ? s.payload : nullptr) + ")"));
  INDIGO_TRY(transform_select(scope, *parsed->statements()[0].node->select_stmt));
  scope.query->targets[0].hidden = true;
  return QueryPtr(std::move(scope.query));
}

char rule_event(CommandKind command) {
  switch (command) {
    case CommandKind::kUpdate: return '2';
    case CommandKind::kInsert: return '3';
    case CommandKind::kDelete: return '4';
    default: return '1';
  }
}

Result<QueryPtr> analyze_rule(catalog::SessionContext& session, const PgQuery__RuleStmt& rule, std::string_view text,
                              const std::shared_ptr<const RelationInfo>& relation) {
  Analysis a(session, text);
  a.checks_schemas = true;
  a.inline_functions = false;
  a.changes = Analysis::Changes::kKept;
  return RuleReader(a, rule, relation).run();
}

Result<RuleTexts> rule_texts(catalog::SessionContext& session, std::string_view tree) {
  INDIGO_ASSIGN(const QueryPtr rule, load_rule(session, tree));
  RuleTexts out;
  INDIGO_ASSIGN(RuleDeparsed deparsed, deparse_rule(session.catalog(), *rule, false));
  out.condition = std::move(deparsed.condition);
  const Reads condition = reads_of(rule->where);
  out.condition_reads_old = condition.old_row;
  out.condition_reads_new = condition.new_row;
  for (size_t i = 0; i < rule->ctes.size(); i++) {
    const Query& action = *rule->ctes[i].query;
    const Reads reads = reads_of(action);
    out.actions.push_back({std::move(deparsed.actions[i]), reads.old_row || condition.old_row,
                           reads.new_row || condition.new_row, has_returning(action)});
  }
  return out;
}

Result<std::string> print_rule(catalog::SessionContext& session, const catalog::RuleInfo& rule,
                               const RelationInfo& relation, bool pretty) {
  INDIGO_ASSIGN(const QueryPtr query, load_rule(session, rule.tree));
  INDIGO_ASSIGN(const RuleDeparsed text, deparse_rule(session.catalog(), *query, pretty));
  const char* event = rule.event == '2' ? "UPDATE" : rule.event == '3' ? "INSERT" : "DELETE";
  const auto found = pretty ? session.catalog().find_relation("", relation.name) : nullptr;
  std::string out = "CREATE RULE " + types::quote_identifier(rule.name) + " AS\n    ON " + event + " TO ";
  if (found == nullptr || found->oid != relation.oid) {
    const bool temporary = relation.schema == session.catalog().schema_named("pg_temp");
    out += temporary ? "pg_temp." : types::quote_identifier(relation.schema_name) + ".";
  }
  out += types::quote_identifier(relation.name);
  if (!text.condition.empty()) out += "\n   WHERE " + text.condition;
  out += rule.instead ? " DO INSTEAD " : " DO ";
  if (text.actions.empty()) return out + "NOTHING;";
  // Before a line's end there is no blank.
  const auto append = [&](const std::string& action, const char* end) {
    while (action.starts_with('\n') && out.ends_with(' ')) out.pop_back();
    out += action + end;
  };
  if (text.actions.size() == 1) {
    append(text.actions[0], ";");
    return out;
  }
  out += "(";
  for (const std::string& action : text.actions) append(action, ";\n");
  return out + ");";
}

}  // namespace indigo::sql
