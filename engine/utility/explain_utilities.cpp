// EXPLAIN. Without ANALYZE the statement is planned and not run; with it, it runs with counters on every node
// (engine/exec/timed.cpp) and its rows are dropped. CREATE TABLE AS and EXECUTE are explained by their query.
#include <strings.h>

#include <chrono>
#include <utility>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/table/create_table.h"
#include "engine/foreign/foreign_rows.h"
#include "engine/session/auto_explain.h"
#include "engine/session/evaluate.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/changed_settings.h"
#include "engine/settings/settings.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/execute_parameters.h"
#include "engine/utility/families.h"
#include "sql/analyze/analyzer.h"
#include "sql/explain/explain_plan.h"
#include "sql/parse/option_value.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"
#include "storage/transaction.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

using sql::ExplainOptions;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Result<ExplainOptions> read_options(const PgQuery__ExplainStmt& stmt, std::string_view text) {
  ExplainOptions out;
  bool timing_set = false, summary_set = false;
  for (size_t i = 0; i < stmt.n_options; i++) {
    const auto& option = *stmt.options[i]->def_elem;
    const std::string_view name = option.defname;
    const auto at = [&](Error error) {
      if (option.location >= 0) error.position = sql::character_position(text, option.location);
      return error;
    };
    bool ExplainOptions::*flag = name == "analyze"    ? &ExplainOptions::analyze
                                 : name == "verbose"  ? &ExplainOptions::verbose
                                 : name == "costs"    ? &ExplainOptions::costs
                                 : name == "buffers"  ? &ExplainOptions::buffers
                                 : name == "wal"      ? &ExplainOptions::wal
                                 : name == "settings" ? &ExplainOptions::settings
                                 : name == "timing"   ? &ExplainOptions::timing
                                 : name == "summary"  ? &ExplainOptions::summary
                                                      : nullptr;
    if (flag != nullptr) {
      INDIGO_ASSIGN(out.*flag, sql::option_boolean(option));
      timing_set |= name == "timing";
      summary_set |= name == "summary";
      continue;
    }
    if (name != "format") {
      return at(Error(sqlstate::kSyntaxError, "unrecognized EXPLAIN option \"" + std::string(name) + "\""));
    }
    const std::string format = sql::option_text(option.arg);
    if (format == "text") {
      out.format = ExplainOptions::Format::kText;
    } else if (format == "json") {
      out.format = ExplainOptions::Format::kJson;
    } else if (format == "yaml") {
      out.format = ExplainOptions::Format::kYaml;
    } else if (format == "xml") {
      out.format = ExplainOptions::Format::kXml;
    } else {
      return at(Error(sqlstate::kInvalidParameterValue,
                      "unrecognized value for EXPLAIN option \"format\": \"" + format + "\""));
    }
  }
  for (const auto& [set, name] : {std::pair(out.wal, "WAL"), std::pair(timing_set && out.timing, "TIMING")}) {
    if (set && !out.analyze) {
      return Error(sqlstate::kInvalidParameterValue, std::string("EXPLAIN option ") + name + " requires ANALYZE");
    }
  }
  if (!timing_set) out.timing = out.analyze;
  if (!summary_set) out.summary = out.analyze;
  return out;
}

// What Preparation plans for a statement of which rules have left nothing.
bool is_nothing(const sql::PlannedStatement& plan) {
  return plan.command != sql::CommandKind::kSelect && plan.root->kind == sql::PlanKind::kResult;
}

// The plans of several queries as one document.
std::string joined(const std::vector<std::string>& texts, ExplainOptions::Format format) {
  using Format = ExplainOptions::Format;
  std::string out = texts[0];
  for (size_t i = 1; i < texts.size(); i++) {
    const std::string& next = texts[i];
    switch (format) {
      case Format::kText: out += "\n\n" + next; break;
      case Format::kYaml: out += "\n" + next; break;
      case Format::kJson: out = out.substr(0, out.rfind("\n]")) + "," + next.substr(next.find('\n')); break;
      case Format::kXml: out = out.substr(0, out.rfind("\n</explain>")) + next.substr(next.find('\n')); break;
    }
  }
  return out;
}

// NOTIFY among the plans.
std::string notify_text(ExplainOptions::Format format) {
  switch (format) {
    case ExplainOptions::Format::kText: return "NOTIFY";
    case ExplainOptions::Format::kJson: return "[\n  \"Notify\"\n]";
    case ExplainOptions::Format::kYaml: return "- \"Notify\"";
    case ExplainOptions::Format::kXml:
      return "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Notify />\n</explain>";
  }
  return {};
}

// What one EXPLAIN collects: a plan for each query that rules have made of the statement.
struct Explanation {
  const ExplainOptions& options;
  sql::Explained out;
  std::vector<std::string> texts;  // of the queries
  bool nothing = false;            // rules have left no query
  bool no_query = false;           // of a table that is there: nothing is shown

  void add_text() { texts.push_back(sql::format_explained(std::exchange(out, {}), options)); }
  Status take(SessionParts& session, const Prepared& prepared, Execution* execution) {
    const sql::CountersOf counters = [execution](const sql::Plan& plan) {
      return execution != nullptr ? execution->counters(plan) : nullptr;
    };
    ExplainOptions all = options;
    all.remote_sql = [&session](const sql::CallExpr& call) { return shown_foreign_statement(session, call); };
    INDIGO_ASSIGN(out.root, sql::explain_plan(session.session_catalog(), *prepared.plan, all, counters));
    return {};
  }
};

// One query, which runs when it is asked to.
Status explain_query(UtilityCall& call, const PreparedPtr& prepared, std::span<const Datum> parameters,
                     Explanation& e) {
  auto& session = call.session;
  if (!e.options.analyze) {
    session.auto_explain().tell_planned(*prepared);
    return e.take(session, *prepared, nullptr);
  }
  const auto begin = Clock::now();
  const storage::ReadView view = session.transaction().view();
  const ActiveView active(session.scope().active_view(), view, prepared->plan.get());
  const auto execution = session.statement_counter().execution(prepared, true);
  INDIGO_TRY(execution->open(session.scope().execution_context(view, parameters)));
  for (;;) {
    INDIGO_ASSIGN(const Chunk* chunk, execution->next(0));
    if (chunk == nullptr) break;
  }
  e.out.execution_ms = milliseconds_since(begin);
  INDIGO_TRY(e.take(session, *prepared, execution.get()));
  execution->close();
  return {};
}

// A planned statement, with what rules have made of it.
Status explain_plan(UtilityCall& call, PreparedPtr prepared, std::span<const Datum> parameters, Explanation& e) {
  auto& session = call.session;
  if (e.options.analyze) {
    INDIGO_TRY(session.runner().check_allowed(*prepared));
  } else {
    INDIGO_TRY(check_privileges(session.session_catalog(), prepared->privileges));
    INDIGO_TRY(check_functions(session.session_catalog(), prepared->functions));
  }
  INDIGO_TRY(session.runner().lock_relations(prepared, parameters));
  std::vector<PreparedPtr> queries(prepared->before);
  if (!prepared->rewritten || !is_nothing(*prepared->plan)) queries.push_back(prepared);
  queries.insert(queries.end(), prepared->after.begin(), prepared->after.end());
  e.nothing = queries.empty();
  for (size_t i = 0; i < queries.size(); i++) {
    if (queries[i]->notifies) {
      e.texts.push_back(notify_text(e.options.format));
      continue;
    }
    if (i > 0 && e.options.analyze) session.transaction().next_command();
    INDIGO_TRY(explain_query(call, queries[i], parameters, e));
    e.add_text();
  }
  return {};
}

Status explain_execute(UtilityCall& call, const PgQuery__ExecuteStmt& stmt, Explanation& e) {
  auto& session = call.session;
  const auto begin = Clock::now();
  INDIGO_ASSIGN(NamedStatement * named, find_prepared(session, stmt.name));
  if (named->prepared == nullptr || named->prepared->is_utility()) {
    return Error(sqlstate::kFeatureNotSupported, "EXPLAIN EXECUTE of a statement without a plan is not supported");
  }
  INDIGO_ASSIGN(auto values, execute_parameters(call, stmt, *named));
  std::vector<Datum> parameters;
  for (const OwnedDatum& v : values) parameters.push_back(v.get());
  INDIGO_ASSIGN(const PreparedPtr prepared,
                session.preparation().for_values(named->prepared, parameters, named->plans));
  e.out.planning_ms = milliseconds_since(begin);
  return explain_plan(call, prepared, parameters, e);
}

Result<bool> would_be_made(UtilityCall& call, const PgQuery__CreateTableAsStmt& stmt) {
  DefinitionHost host(call.session, &call.statement, call.parameters, call.parameter_types);
  DdlContext context{call.session.session_catalog(), call.session.transaction(), host, call.statement.text()};
  return ddl::check_table_to_be_made(context, stmt);
}

Status explain_node(UtilityCall& call, const PgQuery__Node* node, Explanation& e) {
  auto& session = call.session;
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_EXECUTE_STMT: return explain_execute(call, *node->execute_stmt, e);
    case PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT: return explain_node(call, node->declare_cursor_stmt->query, e);
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT: {
      INDIGO_ASSIGN(const bool made, would_be_made(call, *node->create_table_as_stmt));
      e.no_query = !made;
      if (!made) return {};
      if (!e.options.analyze) return explain_node(call, node->create_table_as_stmt->query, e);
      INDIGO_TRY(check_not_read_only(call, statement_name(node)));
      DefinitionHost host(session, &call.statement, call.parameters, call.parameter_types);
      bool seen = false;
      host.observe([&](const PreparedPtr& prepared, Execution& execution) {
        seen = true;
        return e.take(session, *prepared, &execution);
      });
      DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text()};
      const auto begin = Clock::now();
      INDIGO_TRY(execute_ddl(context, *node));
      session.transaction().next_command();
      e.out.execution_ms = milliseconds_since(begin);
      return seen ? Status() : explain_node(call, node->create_table_as_stmt->query, e);
    }
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT: break;
    default: return Error(sqlstate::kFeatureNotSupported, "EXPLAIN " + statement_name(node) + " is not supported yet");
  }
  std::vector<Oid> types;
  for (const auto& type : call.parameter_types) types.push_back(type.oid);
  const auto begin = Clock::now();
  INDIGO_ASSIGN(PreparedPtr prepared,
                session.preparation().prepare_node(call.statement, node, types, false, call.parameters));
  e.out.planning_ms = milliseconds_since(begin);
  if (prepared->is_utility()) {
    return Error(sqlstate::kFeatureNotSupported, "EXPLAIN " + statement_name(node) + " is not supported yet");
  }
  return explain_plan(call, std::move(prepared), call.parameters, e);
}

Status run_explain(UtilityCall& call) {
  const auto& stmt = *call.node->explain_stmt;
  INDIGO_ASSIGN(const ExplainOptions options, read_options(stmt, call.statement.text()));
  Explanation e{options, {}};
  if (options.settings) e.out.settings = changed_settings(call.session.settings());
  INDIGO_TRY(explain_node(call, stmt.query, e));
  if (e.no_query && options.format == ExplainOptions::Format::kText) return {};
  if (e.texts.empty() && !e.no_query) e.add_text();
  std::string text = joined(e.texts, options.format);
  if (e.nothing && options.format == ExplainOptions::Format::kText) text = "Query rewrites to nothing";
  if (options.format != ExplainOptions::Format::kText) return send_text_row(call, std::span(&text, 1));
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    INDIGO_TRY(send_text_row(call, std::span(&line, 1)));
    begin = end + 1;
  }
  return {};
}

Result<std::shared_ptr<const ResultShape>> describe_explain(SessionParts&, const ParsedStatement& statement) {
  INDIGO_ASSIGN(const ExplainOptions options, read_options(*statement.node->explain_stmt, statement.text()));
  Oid type = oid::kText;
  if (options.format == ExplainOptions::Format::kJson) type = oid::kJson;
  if (options.format == ExplainOptions::Format::kXml) type = oid::kXml;
  return text_columns({{"QUERY PLAN", type}});
}

constexpr UtilityStatement kExplainStatements[] = {
    {.node = PG_QUERY__NODE__NODE_EXPLAIN_STMT, .name = "EXPLAIN", .run = run_explain, .describe = describe_explain},
};

}  // namespace

std::span<const UtilityStatement> explain_utilities() { return kExplainStatements; }

}  // namespace indigo::engine
