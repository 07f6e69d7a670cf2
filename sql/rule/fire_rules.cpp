#include "sql/rule/fire_rules.h"

#include <algorithm>
#include <iterator>

#include "sql/analyze/change/change.h"
#include "sql/analyze/change/target_view.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "sql/rule/rule_rows.h"
#include "sql/rule/rule_tree.h"
#include "sql/statement_kind.h"

namespace indigo::sql {

namespace {

using catalog::RelationKind;
using catalog::RuleInfo;
using RelationPtr = std::shared_ptr<const RelationInfo>;
using QueryPtr = std::shared_ptr<const Query>;

struct Target {
  const PgQuery__RangeVar* name = nullptr;
  CommandKind command = CommandKind::kSelect;
};

Target target_of_statement(const PgQuery__Node& n) {
  switch (n.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT: return {n.insert_stmt->relation, CommandKind::kInsert};
    case PG_QUERY__NODE__NODE_UPDATE_STMT: return {n.update_stmt->relation, CommandKind::kUpdate};
    case PG_QUERY__NODE__NODE_DELETE_STMT: return {n.delete_stmt->relation, CommandKind::kDelete};
    default: return {};
  }
}

bool applies_now(catalog::SessionContext& session, const RuleInfo& rule) {
  if (rule.enabled == 'A') return true;
  if (rule.enabled == 'D') return false;
  std::string role;
  const bool replica = session.setting("session_replication_role", role) && role == "replica";
  return replica == (rule.enabled == 'R');
}

std::vector<const RuleInfo*> rules_for(catalog::SessionContext& session, const RelationInfo& relation, char event) {
  std::vector<const RuleInfo*> out;
  if (relation.rules == nullptr) return out;
  for (const RuleInfo& rule : relation.rules->rules) {
    if (rule.event == event && applies_now(session, rule)) out.push_back(&rule);
  }
  return out;
}

const char* command_word(CommandKind command) {
  if (command == CommandKind::kInsert) return "INSERT";
  return command == CommandKind::kUpdate ? "UPDATE" : "DELETE";
}

bool rules_apply(catalog::SessionContext& session, const RelationInfo& relation, char event) {
  return relation.rules != nullptr && !rules_for(session, relation, event).empty();
}

// From a view without rules of its own down to a view or table that has some; null: there is none.
std::shared_ptr<const TargetView> way_to_rules(Scope& scope, const RelationPtr& view, CommandKind command) {
  const std::string_view verb = command_word(command);
  if (view->kind != RelationKind::kView || triggers_take_rows(*view, verb)) return nullptr;
  const auto ruled = [&](const RelationInfo& r) { return rules_apply(scope.a.session, r, rule_event(command)); };
  const auto stops = [&](const RelationInfo& below) { return triggers_take_rows(below, verb) || ruled(below); };
  auto found = target_view(scope, view, verb, stops, RowsOf::kRules);
  return found.ok() && ruled(*(*found)->table) ? *found : nullptr;  // the analysis says what is wrong in its turn
}

bool reads_target(const ExprPtr& where) {
  bool found = false;
  visit_expressions(where, [&](const Expr& e, int depth) {
    if (e.kind == ExprKind::kVar) found |= as<VarExpr>(e).levels_up == depth && as<VarExpr>(e).entry == 0;
    if (e.kind == ExprKind::kWholeRow) {
      found |= as<WholeRowExpr>(e).levels_up == depth && as<WholeRowExpr>(e).entry == 0;
    }
    return !found;
  });
  return found;
}

Error no_returning(const RelationInfo& relation, CommandKind command) {
  const std::string word = command_word(command);
  return Error(sqlstate::kFeatureNotSupported,
               "cannot perform " + word + " RETURNING on relation \"" + relation.name + "\"")
      .with_hint("You need an unconditional ON " + word + " DO INSTEAD rule with a RETURNING clause.");
}

// Whether the rows of the statement's table are a source of the action's.
bool needs_target(const RuleTexts::Action& action, const Query& statement) {
  if (action.reads_old) return true;
  if (statement.command == CommandKind::kInsert) return action.reads_new;
  return (action.reads_new && statement.command == CommandKind::kUpdate) || reads_target(statement.where);
}

class RuleRewriter {
 public:
  explicit RuleRewriter(RewrittenStatement& out) : out_(out) {}

  enum class Origin : uint8_t { kStatement, kInstead, kAlso };
  struct Product {
    QueryPtr query;
    Origin origin = Origin::kStatement;
  };

  Status statement(Analysis& a, const PgQuery__Node& node, const RuleRows* rows, Origin origin,
                   std::vector<Product>& products) {
    INDIGO_TRY(check_stack_depth());
    const Target target = target_of_statement(node);
    Scope names(a, nullptr);
    RelationPtr relation;
    std::vector<const RuleInfo*> rules;
    std::shared_ptr<const TargetView> through;  // the view that is named does not have the rules itself
    if (target.name != nullptr) {
      // What stands before the target in the text is analyzed before it is missed.
      auto opened = open_relation(names, *target.name);
      if (!opened.ok()) {
        INDIGO_TRY(analyzed(a, node, rows));
        return std::move(*opened.take_error());
      }
      relation = *opened;
      if (!rules_apply(a.session, *relation, rule_event(target.command)))
        through = way_to_rules(names, relation, target.command);
      if (through != nullptr) relation = through->table;
      rules = rules_for(a.session, *relation, rule_event(target.command));
    }
    if (rules.empty()) {
      INDIGO_ASSIGN(QueryPtr query, analyzed(a, node, rows));
      products.push_back({std::move(query), origin});
      return {};
    }
    const std::pair<Oid, CommandKind> active{relation->oid, target.command};
    if (std::find(active_.begin(), active_.end(), active) != active_.end()) {
      return Error(sqlstate::kInvalidObjectDefinition,
                   "infinite recursion detected in rules for relation \"" + relation->name + "\"");
    }
    active_.push_back(active);
    QueryPtr source;
    {
      const Setting<Analysis::Changes> changes(a.changes, Analysis::Changes::kSource);
      INDIGO_ASSIGN(source, analyzed(a, node, rows));
    }
    if (through != nullptr) {
      INDIGO_ASSIGN(source, change_behind(names, *source, *through));
    }
    out_.sources.push_back(source);
    std::vector<Product> made;
    std::vector<std::string>
        excluded;  // conditions of INSTEAD rules: rows that meet one are not the statement's any more
    bool instead = false, returned = false;
    for (const RuleInfo* rule : rules) {
      INDIGO_TRY(apply(a, *rule, relation, source, made, excluded, returned));
      instead |= rule->instead && !rule->conditional;
    }
    // The change of such a view is one of its table: what rules leave of it, and conflicts, are the table's business.
    const bool changes_table = !instead && relation->kind == RelationKind::kView &&
                               !triggers_take_rows(*relation, command_word(target.command));
    if (changes_table && !excluded.empty()) return conditional_view(*relation, target.command);
    if (!source->returning.empty() && (instead || !excluded.empty()) && !returned)
      return no_returning(*relation, target.command);
    active_.pop_back();
    if (source->on_conflict && !changes_table && (!made.empty() || has_update_rules(*relation)))
      return on_conflict_with_rules();
    if (instead) {
      std::move(made.begin(), made.end(), std::back_inserter(products));
      return {};
    }
    INDIGO_ASSIGN(QueryPtr own, rest_of_statement(a, node, rows, relation, excluded));
    const bool first = target.command == CommandKind::kInsert;
    if (first) products.push_back({own, origin});
    std::move(made.begin(), made.end(), std::back_inserter(products));
    if (!first) products.push_back({own, origin});
    return {};
  }

 private:
  Result<QueryPtr> analyzed(Analysis& a, const PgQuery__Node& node, const RuleRows* rows) {
    Scope scope(a, nullptr);
    // It is told of once, whatever the rows are.
    if (is(&node, PG_QUERY__NODE__NODE_NOTIFY_STMT)) return notify_query(scope, *node.notify_stmt);
    scope.rule_rows = rows;
    if (is(&node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
      INDIGO_TRY(transform_select(scope, *node.select_stmt));
    } else {
      INDIGO_TRY(transform_change(scope, node));
    }
    std::move(a.rule_sources.begin(), a.rule_sources.end(), std::back_inserter(out_.sources));
    a.rule_sources.clear();
    return QueryPtr(std::move(scope.query));
  }

  Status apply(Analysis& a, const RuleInfo& rule, const RelationPtr& relation, const QueryPtr& source,
               std::vector<Product>& made, std::vector<std::string>& excluded, bool& returned) {
    INDIGO_ASSIGN(const RuleTexts texts, rule_texts(a.session, rule.tree));
    if (rule.instead && rule.conditional) excluded.push_back(texts.condition);
    for (const RuleTexts::Action& action : texts.actions) {
      INDIGO_ASSIGN(RuleRows rows, make_rule_rows(a, relation, source, needs_target(action, *source)));
      rows.condition = texts.condition;
      rows.returns = rule.instead && !rule.conditional && action.returns && !source->returning.empty();
      if (rows.returns) returned = true;
      INDIGO_ASSIGN(const auto parsed, parse(action.text));
      Analysis inner(a, action.text);
      inner.rule_owner = relation->owner;
      const Origin origin = rule.instead ? Origin::kInstead : Origin::kAlso;
      INDIGO_TRY(statement(inner, *parsed->statements()[0].node, &rows, origin, made));
    }
    return {};
  }

  // The statement itself, of the rows that no conditional INSTEAD rule has taken.
  Result<QueryPtr> rest_of_statement(Analysis& a, const PgQuery__Node& node, const RuleRows* rows,
                                     const RelationPtr& relation, const std::vector<std::string>& excluded) {
    INDIGO_ASSIGN(QueryPtr query, analyzed(a, node, rows));
    if (excluded.empty()) return query;
    Analysis inner(a, {});
    Scope scope(inner, nullptr);
    scope.query = std::make_shared<Query>(*query);
    const CommandKind command = target_of_statement(node).command;
    for (const bool is_new : {false, true}) {
      if (is_new ? command == CommandKind::kDelete : command == CommandKind::kInsert) continue;
      NamespaceItem item;
      item.name = is_new ? "new" : "old";
      item.relation = relation->oid;
      item.columns_visible = false;
      for (size_t i = 0; i < relation->columns.size(); i++) {
        const auto& column = relation->columns[i];
        ExprPtr value = is_new ? new_value(*query, command, i, relation->columns.size()) : nullptr;
        if (value == nullptr && !column.dropped) {
          value = command == CommandKind::kInsert
                      ? make_null(a.catalog, column.type)
                      : make_var(query->instead_event == 0 ? 0 : 1, static_cast<int>(i), column.type);
        }
        item.columns.push_back({column.dropped ? std::string() : column.name, value});
      }
      scope.names.push_back(std::move(item));
    }
    for (const std::string& text : excluded) {
      INDIGO_ASSIGN(const ExprPtr condition, rule_condition(scope, text));
      auto test = std::make_shared<BooleanTestExpr>();
      test->type = condition->type;
      test->test = BooleanTestExpr::Test::kNotTrue;
      test->argument = condition;
      ExprPtr& where = scope.query->where;
      where = where == nullptr ? ExprPtr(test) : make_and({where, test});
    }
    return QueryPtr(std::move(scope.query));
  }

  // Of a complete statement. Triggers of a view get its old row and, of UPDATE, its new one, as targets of an INSERT.
  static ExprPtr new_value(const Query& q, CommandKind command, size_t column, size_t columns) {
    if (q.instead_event != 0 && command == CommandKind::kUpdate) return q.targets[columns + column].expr;
    return rule_new_value(q, static_cast<int>(column));
  }

  static Error conditional_view(const RelationInfo& view, CommandKind command) {
    const std::string word = command_word(command);
    const char* act = command == CommandKind::kInsert   ? "insert into"
                      : command == CommandKind::kUpdate ? "update"
                                                        : "delete from";
    const char* acting = command == CommandKind::kInsert   ? "inserting into"
                         : command == CommandKind::kUpdate ? "updating"
                                                           : "deleting from";
    return Error(sqlstate::kObjectNotInPrerequisiteState, std::string("cannot ") + act + " view \"" + view.name + "\"")
        .with_detail("Views with conditional DO INSTEAD rules are not automatically updatable.")
        .with_hint(std::string("To enable ") + acting + " the view, provide an INSTEAD OF " + word +
                   " trigger or an unconditional ON " + word + " DO INSTEAD rule.");
  }

  RewrittenStatement& out_;
  std::vector<std::pair<Oid, CommandKind>> active_;
};

}  // namespace

Result<bool> has_rules(Scope& scope, const PgQuery__Node& statement) {
  const Target target = target_of_statement(statement);
  if (target.name == nullptr) return false;
  const auto opened = open_relation(scope, *target.name);
  if (!opened.ok()) return false;  // the analysis says so in its turn
  const RelationPtr& relation = *opened;
  return rules_apply(scope.a.session, *relation, rule_event(target.command)) ||
         way_to_rules(scope, relation, target.command) != nullptr;
}

Result<std::shared_ptr<const RewrittenStatement>> fire_rules(Analysis& a, const PgQuery__Node& node, QueryPtr& main) {
  auto out = std::make_shared<RewrittenStatement>();
  out->command = target_of_statement(node).command;
  RuleRewriter rewriter(*out);
  std::vector<RuleRewriter::Product> products;
  INDIGO_TRY(rewriter.statement(a, node, nullptr, RuleRewriter::Origin::kStatement, products));
  // The statement's own query sets the tag, or else the last INSTEAD action of its kind.
  using Origin = RuleRewriter::Origin;
  const auto place = [&](auto&& is_main) {
    for (size_t i = products.size(); i-- > 0;) {
      if (is_main(products[i])) return i;
    }
    return products.size();
  };
  size_t at = place([](const auto& p) { return p.origin == Origin::kStatement; });
  if (at == products.size()) {
    at = place([&](const auto& p) { return p.origin == Origin::kInstead && statement_kind(*p.query) == out->command; });
  }
  for (size_t i = 0; i < products.size(); i++) {
    if (i == at) {
      main = products[i].query;
    } else {
      (i < at ? out->before : out->after).push_back(products[i].query);
    }
  }
  out->empty = main == nullptr;
  return std::shared_ptr<const RewrittenStatement>(std::move(out));
}

namespace {

Error not_in_with(const std::string& what) {
  return Error(sqlstate::kFeatureNotSupported, what + " rules are not supported for data-modifying statements in WITH");
}

// The query one level further down: WITH items around it are one level further up.
QueryPtr deeper(const QueryPtr& q) {
  return map_expressions(
      q, [](const ExprPtr& e, int) { return e; },
      [](int& levels_up, int depth) { levels_up += levels_up > depth ? 1 : 0; });
}

}  // namespace

Result<QueryPtr> fire_rules_in_with(Scope& parent, const PgQuery__Node& statement) {
  const Target target = target_of_statement(statement);
  if (target.name == nullptr) return QueryPtr();
  const auto opened = open_relation(parent, *target.name);
  if (!opened.ok()) return QueryPtr();  // the analysis says so in its turn
  RelationPtr relation = *opened;
  Analysis& a = parent.a;
  std::shared_ptr<const TargetView> through;
  if (!rules_apply(a.session, *relation, rule_event(target.command)))
    through = way_to_rules(parent, relation, target.command);
  if (through != nullptr) relation = through->table;
  const auto rules = rules_for(a.session, *relation, rule_event(target.command));
  if (rules.empty()) return QueryPtr();
  for (const RuleInfo* rule : rules) {
    if (!rule->instead) return not_in_with("DO ALSO");
    if (rule->conditional) return not_in_with("conditional DO INSTEAD");
  }
  INDIGO_ASSIGN(const RuleTexts texts, rule_texts(a.session, rules[0]->tree));
  if (texts.actions.empty()) return not_in_with("DO INSTEAD NOTHING");
  if (texts.actions.size() > 1 || rules.size() > 1) return not_in_with("multi-statement DO INSTEAD");
  QueryPtr source;
  {
    const Setting<Analysis::Changes> changes(a.changes, Analysis::Changes::kSource);
    Scope scope(a, &parent);
    INDIGO_TRY(transform_change(scope, statement));
    source = std::move(scope.query);
    if (through != nullptr && !source->on_conflict) {
      INDIGO_ASSIGN(source, change_behind(scope, *source, *through));
    }
  }
  if (source->on_conflict) return on_conflict_with_rules();
  a.rule_sources.push_back(source);
  const RuleTexts::Action& action = texts.actions[0];
  INDIGO_ASSIGN(const auto parsed, parse(action.text));
  const PgQuery__Node& node = *parsed->statements()[0].node;
  if (is(&node, PG_QUERY__NODE__NODE_SELECT_STMT)) return not_in_with("DO INSTEAD SELECT");
  if (is(&node, PG_QUERY__NODE__NODE_NOTIFY_STMT)) return not_in_with("DO INSTEAD NOTIFY");
  const QueryPtr lowered = deeper(source);
  INDIGO_ASSIGN(RuleRows rows, make_rule_rows(a, relation, lowered, needs_target(action, *lowered)));
  rows.returns = action.returns && !source->returning.empty();
  if (!source->returning.empty() && !rows.returns) return no_returning(*relation, target.command);
  Analysis inner(a, action.text);
  inner.rule_owner = relation->owner;
  Scope names(inner, nullptr);
  INDIGO_ASSIGN(const bool more, has_rules(names, node));
  if (more) return not_in_with("further");
  Scope scope(inner, nullptr);
  scope.rule_rows = &rows;
  INDIGO_TRY(transform_change(scope, node));
  return QueryPtr(std::move(scope.query));
}

}  // namespace indigo::sql
