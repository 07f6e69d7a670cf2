// COPY ... FROM and COPY ... TO: the client, or files and programs on the server.
#include <algorithm>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "catalog/database.h"
#include "catalog/descriptor/exclusion_info.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/settled.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/row_security.h"
#include "engine/copy/copy_encoding.h"
#include "engine/copy/copy_options.h"
#include "engine/copy/copy_progress.h"
#include "engine/copy/copy_reader.h"
#include "engine/copy/copy_writer.h"
#include "engine/copy/server_copy.h"
#include "engine/exec/change/bulk_insert.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/utility/families.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/copy_condition.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"
#include "sql/plan/change/table_rules.h"
#include "sql/policy/apply.h"
#include "sql/query_walk.h"
#include "sql/rule/rule_tree.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/transaction.h"
#include "types/function/registry.h"
#include "types/io/domain_check.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

using Relation = std::shared_ptr<const catalog::RelationInfo>;

struct Target {
  Relation relation;
  std::vector<int> columns;     // 0-based, in the order of the input
  std::vector<bool> converted;  // by input column; false: it is null, whatever the input says
};

std::string qualified(const catalog::RelationInfo& r) {
  return types::quote_identifier(r.schema_name) + "." + types::quote_identifier(r.name);
}

Result<Target> find_target(UtilityCall& call, const PgQuery__CopyStmt& stmt) {
  Target target;
  const auto& name = *stmt.relation;
  INDIGO_ASSIGN(target.relation, named_relation(call, name));
  const auto& r = *target.relation;
  const bool composite = r.kind == catalog::RelationKind::kComposite;
  if (composite || r.kind == catalog::RelationKind::kIndex || r.kind == catalog::RelationKind::kPartitionedIndex)
    return Error(sqlstate::kWrongObjectType, "\"" + r.name + (composite ? "\" is a composite type" : "\" is an index"));
  if (stmt.n_attlist == 0) {
    for (const auto& column : r.columns) {
      if (!column.dropped && column.generated == 0) target.columns.push_back(column.number - 1);
    }
    return target;
  }
  for (size_t i = 0; i < stmt.n_attlist; i++) {
    std::string_view wanted = stmt.attlist[i]->string->sval;
    const auto* column = r.find_column(wanted);
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn,
                   "column \"" + std::string(wanted) + "\" of relation \"" + r.name + "\" does not exist");
    }
    if (column->generated != 0) {
      return Error(sqlstate::kInvalidColumnReference, "column \"" + column->name + "\" is a generated column")
          .with_detail("Generated columns cannot be used in COPY.");
    }
    if (std::find(target.columns.begin(), target.columns.end(), column->number - 1) != target.columns.end()) {
      return Error(sqlstate::kDuplicateColumn, "column \"" + column->name + "\" specified more than once");
    }
    target.columns.push_back(column->number - 1);
  }
  return target;
}

Status lock_target(UtilityCall& call, const catalog::RelationInfo& r, storage::TableLockMode mode) {
  auto& session = call.session;
  auto status = session.store().locks().lock_table(session.store().lock_owner(session.transaction()),
                                                   catalog::lock_object(session.session_catalog().database(), r.oid),
                                                   mode, true, session.applied_settings().lock_timeout);
  if (status != storage::StorageStatus::kOk) return storage_error(status, &r);
  return {};
}

// Which of the listed names each input column is. `option` begins what is said of a name that is none.
Result<std::vector<bool>> marks(const Target& target, const std::vector<std::string>& names, const char* option,
                                bool all = false) {
  std::vector<bool> out(target.columns.size(), all);
  for (const std::string& name : names) {
    const auto* column = target.relation->find_column(name);
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn,
                   "column \"" + name + "\" of relation \"" + target.relation->name + "\" does not exist");
    }
    auto at = std::find(target.columns.begin(), target.columns.end(), column->number - 1);
    if (at == target.columns.end()) {
      return Error(sqlstate::kInvalidColumnReference,
                   std::string(option) + " column \"" + name + "\" not referenced by COPY");
    }
    out[static_cast<size_t>(at - target.columns.begin())] = true;
  }
  return out;
}

Status check_readable(UtilityCall& call, const Target& target) {
  RequiredPrivilege r;
  r.relation = target.relation->oid;
  r.name = target.relation->name;
  r.kind = target.relation->kind;
  r.schema = target.relation->schema;
  r.reads = true;
  for (const int c : target.columns) r.read.push_back(static_cast<int16_t>(c + 1));
  return check_privileges(call.session.session_catalog(), {r});
}

Status check_writable(UtilityCall& call, const Target& target) {
  std::vector<int16_t> written;
  for (const int c : target.columns) written.push_back(static_cast<int16_t>(c + 1));
  return check_table_privilege(call.session.session_catalog(), *target.relation, 0, std::move(written));
}

// What cannot be copied as a table, in messages.
std::string kind_of(const catalog::RelationInfo& relation) {
  if (relation.kind == catalog::RelationKind::kView) return "view";
  if (relation.is_partitioned()) return "partitioned table";
  if (relation.is_foreign()) return "foreign table";
  if (relation.kind == catalog::RelationKind::kMaterializedView) return "materialized view";
  return "sequence";
}

// COPY FROM's WHERE is asked before generated columns are made and the row is stored.
Status check_row_reference(const sql::Expr& e, const catalog::RelationInfo& relation) {
  const bool row = e.kind == sql::ExprKind::kWholeRow;
  if (!row && e.kind != sql::ExprKind::kVar) return {};
  const int number = row ? 0 : sql::as<sql::VarExpr>(e).column;
  if (number == sql::kTableOidColumn) return {};
  if (number < 0) return Error(sqlstate::kFeatureNotSupported, "cannot retrieve a system column in this context");
  for (const types::ColumnInfo& column : relation.columns) {
    if (column.generated == 0 || column.dropped || (!row && column.number != number + 1)) continue;
    return Error(sqlstate::kInvalidColumnReference, "generated columns are not supported in COPY FROM WHERE conditions")
        .with_detail("Column \"" + column.name + "\" is a generated column.");
  }
  return {};
}

Status check_where(const sql::ExprPtr& condition, const catalog::RelationInfo& relation) {
  Status status;
  sql::visit_expressions(condition, [&](const sql::Expr& e, int) {
    if (status.ok()) status = check_row_reference(e, relation);
    return status.ok();
  });
  return status;
}

// Defaults, generated columns and checks come from the analysis of the INSERT that COPY stands for.
Result<BulkInsertPlan> insert_plan(UtilityCall& call, const Target& target, const PgQuery__Node* where) {
  const auto& r = *target.relation;
  std::string columns, values;
  for (int c : target.columns) {
    columns += (columns.empty() ? "" : ", ") + types::quote_identifier(r.columns[c].name);
    values += values.empty() ? "NULL" : ", NULL";
  }
  std::string text =
      "INSERT INTO " + qualified(r) +
      (columns.empty() ? " DEFAULT VALUES" : " (" + columns + ") OVERRIDING SYSTEM VALUE VALUES (" + values + ")");
  INDIGO_ASSIGN(auto tree, sql::parse(text));
  sql::AnalyzeInput input{tree->statements()[0].node, text, {}, false, {}};
  catalog::SessionCatalog& catalog = call.session.session_catalog();
  INDIGO_ASSIGN(auto analyzed, catalog::settled(catalog, [&] { return sql::analyze(call.session.context(), input); }));
  if (!catalog.is_superuser(catalog.user()))
    INDIGO_TRY(check_functions(catalog, required_functions(catalog, *analyzed.query)));
  BulkInsertPlan plan;
  plan.relation = target.relation;
  plan.columns = target.columns;
  const auto to_row = [&](const sql::ExprPtr& e) { return sql::over_row(call.session.context().catalog(), e, r); };
  plan.defaults = analyzed.query->assignments;
  for (const auto& g : analyzed.query->generated) plan.generated.push_back({g.column, to_row(g.value)});
  for (const auto& check : analyzed.query->checks) plan.checks.push_back(to_row(check));
  plan.check_names = analyzed.query->check_names;
  if (where != nullptr) {
    INDIGO_ASSIGN(sql::ExprPtr condition,
                  sql::analyze_copy_condition(call.session.context(), where, call.statement.text(), target.relation));
    INDIGO_TRY(check_where(condition, r));
    INDIGO_TRY(check_functions(catalog, {condition}));
    plan.where = to_row(condition);
  }
  return plan;
}

// "COPY t, line 3, column a: "x"", as PostgreSQL's context. `line` is the input line that the error is about; rows are
// written in batches, so it may lie before the one that was read last.
std::string shortened(std::string_view s) {
  constexpr size_t kShownBytes = 100;
  return s.size() <= kShownBytes ? std::string(s) : std::string(s.substr(0, kShownBytes)) + "...";
}

void add_context(Error& error, const Target& target, const CopyReader& reader, uint64_t line, int column,
                 std::optional<std::string_view> value, std::string_view earlier = {}) {
  std::string where = "COPY " + target.relation->name + ", line " + std::to_string(line);
  if (column >= 0) {
    where += ", column " + target.relation->columns[target.columns[column]].name;
    where += value ? ": \"" + shortened(*value) + "\"" : ": null input";
  } else if (line == reader.line_number() && !reader.line().empty() && find_invalid_text(reader.line()) == kAllValid) {
    where += ": \"" + shortened(reader.line()) + "\"";
  } else if (!earlier.empty() && find_invalid_text(earlier) == kAllValid) {
    where += ": \"" + std::string(earlier) + "\"";
  }
  error.where += (error.where.empty() ? "" : "\n") + where;  // behind what functions were called
}

Status skip_header(const Target& target, const CopyOptions& options, CopyReader& reader) {
  std::vector<std::optional<std::string_view>> fields;
  INDIGO_ASSIGN(bool any, reader.next(fields));
  if (!any || !options.header_match) return {};
  if (fields.size() != target.columns.size()) {
    return Error(sqlstate::kBadCopyFileFormat, "wrong number of fields in header line: got " +
                                                   std::to_string(fields.size()) + ", expected " +
                                                   std::to_string(target.columns.size()));
  }
  for (size_t i = 0; i < fields.size(); i++) {
    const std::string& name = target.relation->columns[target.columns[i]].name;
    if (fields[i] != name) {
      return Error(
          sqlstate::kBadCopyFileFormat,
          "column name mismatch in header line field " + std::to_string(i + 1) + ": got " +
              (fields[i] ? "\"" + std::string(*fields[i]) + "\"" : "null value (\"" + options.null_text + "\")") +
              ", expected \"" + name + "\"");
    }
  }
  return {};
}

// `writing`: the reader failed because the rows before could not be written.
Status read_rows(UtilityCall& call, const Target& target, const CopyOptions& options, CopyReader& reader,
                 BulkInsert& insert, const bool& writing, CopyProgress& progress) {
  const auto& r = *target.relation;
  std::vector<std::optional<std::string_view>> fields;
  std::vector<Datum> row(target.columns.size());
  Arena arena;
  types::FuncContext context(call.session.context());
  context.set_arena(&arena);
  if (options.header) {
    if (Status status = skip_header(target, options, reader); !status.ok()) {
      auto error = status.take_error();
      add_context(*error, target, reader, reader.line_number(), -1, {});
      return error;
    }
  }
  std::vector<bool> of_domain;
  for (const int c : target.columns) {
    const auto type = call.session.session_catalog().type(r.columns[c].type.oid);
    of_domain.push_back(type != nullptr && type->kind == 'd');
  }
  // The lines of the rows that are not written yet: what is wrong with one shows it. PostgreSQL enters rows into indexes by the
  // batch, when it has their lines no more, unless triggers may look at the table between them.
  const bool one_by_one =
      r.triggers != nullptr && r.triggers->any(catalog::kTriggerRow, catalog::kTriggerBefore, catalog::kTriggerInsert);
  std::vector<std::string> lines(options.format == CopyFormat::kBinary ? 0 : kChunkRows);
  auto not_written = [&](std::unique_ptr<Error> error) -> Status {
    const uint64_t number = insert.row_number() + (options.header ? 1 : 0);
    const bool of_key = error->state == sqlstate::kUniqueViolation || error->state == catalog::kExclusionViolation;
    const bool shown = !lines.empty() && (!of_key || one_by_one);
    add_context(*error, target, reader, number, -1, {},
                shown ? std::string_view(lines[number % lines.size()]) : std::string_view());
    return error;
  };
  // What is wrong with the rows before comes first.
  auto failed = [&](std::unique_ptr<Error> error, int column, std::optional<std::string_view> value) -> Status {
    add_context(*error, target, reader, reader.line_number(), column, value);
    if (Status status = insert.flush(); !status.ok()) return not_written(status.take_error());
    return error;
  };
  uint32_t rows_until_reset = kChunkRows;
  for (;;) {
    auto any = reader.next(fields);
    if (!any.ok()) {
      if (writing) return not_written(any.take_error());
      if (options.format == CopyFormat::kBinary && reader.line_number() == 0) return any.take_error();  // the header's
      return failed(any.take_error(), -1, {});
    }
    if (!*any) break;
    if (fields.size() > row.size() && !(row.empty() && fields.size() == 1 && fields[0] == "")) {
      return failed(std::make_unique<Error>(sqlstate::kBadCopyFileFormat, "extra data after last expected column"), -1,
                    {});
    }
    for (size_t i = 0; i < row.size(); i++) {
      if (i == fields.size()) {  // after what is wrong with those before
        const std::string& missing = r.columns[target.columns[i]].name;
        return failed(
            std::make_unique<Error>(sqlstate::kBadCopyFileFormat, "missing data for column \"" + missing + "\""), -1,
            {});
      }
      const auto& type = r.columns[target.columns[i]].type;
      if (!target.converted[i]) fields[i].reset();
      if (!fields[i]) {
        row[i] = Datum::make_null(r.layout.phys(static_cast<size_t>(target.columns[i])));
        if (of_domain[i] && !types::check_domain(context, type, row[i]))
          return failed(context.take_error(), static_cast<int>(i), {});
        continue;
      }
      if (options.format == CopyFormat::kBinary) {
        row[i] = types::type_receive(context, type, *fields[i]);
      } else if (types::check_encoding(context, *fields[i])) {
        row[i] = types::type_input(context, type, *fields[i]);
      } else {
        return failed(context.take_error(), -1, {});
      }
      if (context.failed() || (of_domain[i] && !types::check_domain(context, type, row[i])))
        return failed(context.take_error(), static_cast<int>(i), fields[i]);
    }
    if (!lines.empty()) lines[reader.line_number() % lines.size()] = shortened(reader.line());
    if (Status status = insert.add(row); !status.ok()) return not_written(status.take_error());
    progress.rows(insert.inserted(), insert.row_number() - insert.inserted());
    if (--rows_until_reset == 0) {
      rows_until_reset = kChunkRows;
      arena.reset();
      call.session.waiter().yield_if_due();
      const InterruptReason reason = call.session.waiter().interrupted();
      if (reason != InterruptReason::kNone) return interrupt_error(reason);
    }
  }
  if (Status status = insert.flush(); !status.ok()) return not_written(status.take_error());
  return insert.finish();  // foreign keys and triggers after the rows are no line's
}

// Rows that policies would look at come by INSERT.
Status check_row_security(SessionParts& session, const catalog::RelationInfo& relation) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  if (catalog::row_security_of(catalog, relation, session.user()) != catalog::RowSecurity::kActive) return {};
  std::string setting;
  if (session.context().setting("row_security", setting) && setting == "off")
    return sql::affected_by_row_security(catalog, relation, session.user());
  return Error(sqlstate::kFeatureNotSupported, "COPY FROM not supported with row-level security")
      .with_hint("Use INSERT statements instead.");
}

std::string client_encoding(SessionParts& session) {
  std::string encoding;
  session.context().setting("client_encoding", encoding);
  return encoding;
}

// FREEZE shows rows to transactions that began before: PostgreSQL takes it only where that changes nothing. Here committed rows
// are as visible as they become with it.
Status check_freeze(SessionParts& session, const catalog::RelationInfo& relation) {
  if (relation.is_partitioned())
    return Error(sqlstate::kFeatureNotSupported, "cannot perform COPY FREEZE on a partitioned table");
  for (const auto& [name, portal] : session.portals().named()) {
    if (portal->is_cursor)
      return Error(sqlstate::kInvalidTransactionState,
                   "cannot perform COPY FREEZE because of prior transaction activity");
  }
  if (relation.table != nullptr && session.block().is_new(*relation.table)) return {};
  return Error(
      sqlstate::kObjectNotInPrerequisiteState,
      "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction");
}

Status check_copied_to(const catalog::RelationInfo& relation) {
  const bool view = relation.kind == catalog::RelationKind::kView;
  const bool instead = view && relation.triggers != nullptr &&
                       relation.triggers->any(catalog::kTriggerRow, catalog::kTriggerInstead, catalog::kTriggerInsert);
  const bool takes =
      relation.kind == catalog::RelationKind::kTable || relation.is_partitioned() || relation.is_foreign();
  if (takes || instead) return {};
  Error error(sqlstate::kWrongObjectType,
              std::string("cannot copy to ") + kind_of(relation) + " \"" + relation.name + "\"");
  if (view) error.hint = "To enable copying to a view, provide an INSTEAD OF INSERT trigger.";
  return error;
}

Status copy_from(UtilityCall& call, const PgQuery__CopyStmt& stmt) {
  auto& session = call.session;
  INDIGO_TRY(check_not_read_only(call, "COPY FROM"));
  INDIGO_ASSIGN(Target target, find_target(call, stmt));
  INDIGO_TRY(check_writable(call, target));  // before its kind is told, and before the lock is waited for
  INDIGO_TRY(catalog::check_reachable(*target.relation));
  INDIGO_ASSIGN(const CopyOptions options,
                read_copy_options(call.statement.text(), {stmt.options, stmt.n_options}, true));
  if (Status refused = check_copied_to(*target.relation); !refused.ok()) {
    // As in PostgreSQL a client is told when it has begun to send: scripts have the rows behind the statement.
    INDIGO_TRY(open_copy_input(stmt, call.sink, options.format, target.columns.size()));
    return refused;
  }
  // What the lock's holder before may have changed, the name's meaning too.
  for (Oid locked = kInvalidOid; locked != target.relation->oid;) {
    locked = target.relation->oid;
    INDIGO_TRY(lock_target(call, *target.relation, storage::TableLockMode::kRowExclusive));
    INDIGO_ASSIGN(target, find_target(call, stmt));
  }
  INDIGO_TRY(check_writable(call, target));
  INDIGO_TRY(check_copied_to(*target.relation));
  INDIGO_TRY(check_row_security(session, *target.relation));
  INDIGO_ASSIGN(auto force_not_null, marks(target, options.force_not_null, "FORCE_NOT_NULL"));
  INDIGO_ASSIGN(auto force_null, marks(target, options.force_null, "FORCE_NULL"));
  INDIGO_ASSIGN(target.converted, marks(target, options.converted, "selected", !options.convert_selectively));
  INDIGO_ASSIGN(BulkInsertPlan plan, insert_plan(call, target, stmt.where_clause));
  const storage::ReadView view = session.transaction().view();
  const ActiveView active(session.scope().active_view(), view);
  const ExecutionContext context = session.scope().execution_context(view, call.parameters);
  INDIGO_ASSIGN(const CopyConverter converter,
                open_copy_converter(options, client_encoding(session), copies_on_server(stmt)));
  CopyProgress progress(session.message().activity().progress, stmt, target.relation->oid);
  INDIGO_ASSIGN(const CopyInput input, open_copy_input(stmt, call.sink, options.format, target.columns.size()));
  if (input.server != nullptr) progress.expect(bytes_of_server_file(stmt));
  if (options.freeze) INDIGO_TRY(check_freeze(session, *target.relation));
  INDIGO_ASSIGN(auto insert, BulkInsert::create(context, std::move(plan)));
  CountedCopySource counted(*input.source, progress);
  std::optional<EncodedCopySource> converting;
  if (converter != nullptr) converting.emplace(counted, *converter);
  auto reader = CopyReader::create(converting ? static_cast<CopySource&>(*converting) : counted, options,
                                   std::move(force_not_null), std::move(force_null));
  // A client that sends slowly learns of a wrong row when it is there, not when a chunk is full.
  bool writing = false;
  input.source->set_before_wait([&]() -> Status {
    writing = true;
    INDIGO_TRY(insert->flush());
    progress.rows(insert->inserted(), insert->row_number() - insert->inserted());
    writing = false;
    return {};
  });
  Status read = read_rows(call, target, options, *reader, *insert, writing, progress);
  input.source->set_before_wait(nullptr);
  INDIGO_TRY(std::move(read));
  if (input.server != nullptr) INDIGO_TRY(input.server->end());
  call.tag = "COPY " + std::to_string(insert->inserted());
  return {};
}

// Of the relation that a change names: what its rules make of it must be one statement.
Status check_rules(UtilityCall& call, const PgQuery__Node& change) {
  const PgQuery__RangeVar* name = nullptr;
  char event = 0;
  bool returns = false;  // then a rule without rows is what is refused, by the change itself
  switch (change.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT:
      name = change.insert_stmt->relation, event = '3', returns = change.insert_stmt->n_returning_list > 0;
      break;
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
      name = change.update_stmt->relation, event = '2', returns = change.update_stmt->n_returning_list > 0;
      break;
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      name = change.delete_stmt->relation, event = '4', returns = change.delete_stmt->n_returning_list > 0;
      break;
    default: return {};
  }
  const auto relation = call.session.session_catalog().find_relation(name->schemaname, name->relname);
  if (relation == nullptr || relation->rules == nullptr) return {};
  const auto refuse = [](const char* what) {
    return Error(sqlstate::kFeatureNotSupported, std::string(what) + " rules are not supported for COPY");
  };
  for (const catalog::RuleInfo& rule : relation->rules->rules) {
    if (rule.event != event || rule.enabled == 'D') continue;
    if (!rule.instead) return refuse("DO ALSO");
    if (rule.conditional && returns) continue;
    if (rule.conditional) return refuse("conditional DO INSTEAD");
    INDIGO_ASSIGN(const sql::RuleTexts texts, sql::rule_texts(call.session.context(), rule.tree));
    if (texts.actions.empty() && returns) continue;
    if (texts.actions.empty()) return refuse("DO INSTEAD NOTHING");
    if (texts.actions.size() > 1) return refuse("multi-statement DO INSTEAD");
  }
  return {};
}

Status copy_to(UtilityCall& call, const PgQuery__CopyStmt& stmt) {
  auto& session = call.session;
  PreparedPtr prepared;
  Oid relation = kInvalidOid;
  std::vector<bool> force_quote;
  CopyOptions options;
  if (stmt.query != nullptr) {
    INDIGO_ASSIGN(options, read_copy_options(call.statement.text(), {stmt.options, stmt.n_options}, false));
    std::vector<Oid> types;
    for (const auto& type : call.parameter_types) types.push_back(type.oid);
    const PgQuery__SelectStmt* first =
        stmt.query->node_case == PG_QUERY__NODE__NODE_SELECT_STMT ? stmt.query->select_stmt : nullptr;
    while (first != nullptr && first->larg != nullptr) first = first->larg;
    const bool into = first != nullptr && first->into_clause != nullptr;
    if (stmt.query->node_case == PG_QUERY__NODE__NODE_MERGE_STMT)
      return Error(sqlstate::kFeatureNotSupported, "MERGE not supported in COPY");
    INDIGO_TRY(check_rules(call, *stmt.query));
    if (!into || first == stmt.query->select_stmt) {
      INDIGO_ASSIGN(prepared, session.preparation().prepare_node(call.statement, stmt.query, types));
    }
    if (into) {
      return Error(sqlstate::kFeatureNotSupported, "COPY (SELECT INTO) is not supported");
    }
    if (prepared->is_utility()) return Error(sqlstate::kFeatureNotSupported, "COPY query must be a query");
    if (prepared->text_shape == nullptr) {
      return Error(sqlstate::kFeatureNotSupported, "COPY query must have a RETURNING clause");
    }
    force_quote.assign(prepared->text_shape->columns.size(), options.force_quote_all);
    for (size_t i = 0; i < force_quote.size(); i++) {
      const auto& names = options.force_quote;
      if (std::find(names.begin(), names.end(), prepared->text_shape->columns[i].name) != names.end())
        force_quote[i] = true;
    }
  } else {
    INDIGO_ASSIGN(Target target, find_target(call, stmt));
    INDIGO_TRY(check_readable(call, target));
    relation = target.relation->oid;
    if (target.relation->kind != catalog::RelationKind::kTable) {
      Error error(sqlstate::kWrongObjectType,
                  std::string("cannot copy from ") + kind_of(*target.relation) + " \"" + target.relation->name + "\"");
      if (target.relation->kind != catalog::RelationKind::kSequence)
        error.hint = "Try the COPY (SELECT ...) TO variant.";
      return error;
    }
    INDIGO_ASSIGN(options, read_copy_options(call.statement.text(), {stmt.options, stmt.n_options}, false));
    std::string list;
    for (int c : target.columns)
      list += (list.empty() ? "" : ", ") + types::quote_identifier(target.relation->columns[c].name);
    auto parsed = std::make_shared<ParsedStatement>();
    parsed->whole_text = share_text("SELECT " + list + " FROM ONLY " + qualified(*target.relation));
    INDIGO_ASSIGN(parsed->tree, sql::parse(parsed->text()));
    parsed->node = parsed->tree->statements()[0].node;
    INDIGO_ASSIGN(prepared, session.preparation().prepare(parsed, {}, false, {}, {}));
    INDIGO_ASSIGN(force_quote, marks(target, options.force_quote, "FORCE_QUOTE", options.force_quote_all));
  }
  if (!prepared->before.empty() || !prepared->after.empty()) {
    return Error(sqlstate::kFeatureNotSupported, "DO ALSO rules are not supported for the COPY");
  }
  INDIGO_TRY(session.runner().check_allowed(*prepared));
  INDIGO_TRY(session.runner().lock_relations(prepared, call.parameters));
  const storage::ReadView view = session.transaction().view();
  const ActiveView active(session.scope().active_view(), view, prepared->plan.get());
  auto execution = session.statement_counter().execution(prepared);
  INDIGO_TRY(execution->open(session.scope().execution_context(view, call.parameters)));
  Arena arena;
  types::FuncContext output(session.context());
  output.set_arena(&arena);
  CopyProgress progress(session.message().activity().progress, stmt, relation);
  std::unique_ptr<CopyTarget> target = std::make_unique<ClientCopyTarget>(call.sink);
  if (copies_on_server(stmt)) {
    INDIGO_ASSIGN(target, open_server_target(stmt));
  }
  target = std::make_unique<CountedCopyTarget>(std::move(target), progress);
  INDIGO_ASSIGN(CopyConverter converter,
                open_copy_converter(options, client_encoding(session), copies_on_server(stmt)));
  if (converter != nullptr) target = std::make_unique<EncodedCopyTarget>(std::move(target), std::move(converter));
  CopyWriter writer(*target, output, options, *prepared->text_shape, std::move(force_quote));
  INDIGO_TRY(writer.begin());
  uint64_t rows = 0;
  for (;;) {
    INDIGO_ASSIGN(const Chunk* chunk, execution->next(0));
    if (chunk == nullptr) break;
    INDIGO_TRY(writer.rows(*chunk));
    rows += chunk->rows();
    progress.rows(rows, 0);
    arena.reset();
  }
  execution->close();
  INDIGO_TRY(writer.end());
  call.tag = "COPY " + std::to_string(rows);
  return {};
}

Status run_copy(UtilityCall& call) {
  const auto& stmt = *call.node->copy_stmt;
  if (copies_on_server(stmt)) INDIGO_TRY(check_server_copy(call.session.session_catalog(), stmt));
  return stmt.is_from ? copy_from(call, stmt) : copy_to(call, stmt);
}

constexpr UtilityStatement kCopyStatements[] = {
    {.node = PG_QUERY__NODE__NODE_COPY_STMT, .name = "COPY", .run = run_copy, .in_read_only = InReadOnly::kHandler},
};

}  // namespace

std::span<const UtilityStatement> copy_utilities() { return kCopyStatements; }

}  // namespace indigo::engine
