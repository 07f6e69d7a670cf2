#include "engine/programs/sql_function.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/call_context.h"
#include "engine/programs/programs.h"
#include "engine/session/session_parts.h"
#include "engine/utility/utility.h"
#include "sql/analyze/argument_scope.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "sql/stored/routine_body.h"
#include "storage/store.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

constexpr SqlState kInvalidFunctionDefinition{"42P13"};

// The body as statements that the parser takes.
Result<std::string> body_text(SessionParts& session, const types::FunctionInfo& info) {
  if (info.statements.empty()) return info.source;
  return sql::routine_body_text(session.context(), info.statements);
}

// An error's place in the body is told as such.
Error in_body(Error error, std::string_view text) {
  if (error.position > 0 && error.internal_query.empty()) {
    error.internal_query = text;
    error.internal_position = error.position;
    error.position = 0;
  }
  return error;
}

bool has_result(Oid type) { return type != oid::kVoid; }

}  // namespace

std::string SqlFunction::context(size_t statement) const {
  return "SQL function \"" + info().name + "\" statement " + std::to_string(statement + 1);
}

Error SqlFunction::mismatch(SessionParts& session, std::string detail) const {
  return Error(kInvalidFunctionDefinition, "return type mismatch in function declared to return " +
                                               types::format_type(session.session_catalog(), result_.type.oid))
      .with_detail(std::move(detail));
}

Result<std::shared_ptr<Routine>> SqlFunction::make(SessionParts& session,
                                                   std::shared_ptr<const types::FunctionInfo> info,
                                                   const TypeRef& result, std::span<const TypeRef> arguments) {
  RoutineResult shape = result_of(session, *info, result, arguments);
  auto function = std::make_shared<SqlFunction>(std::move(info), std::move(shape));
  Status status = function->prepare(session, arguments, Purpose::kRun);
  for (const auto& statement : function->statements_) {
    if (status.ok()) status = statement->check_constants(session);
  }
  if (!status.ok()) {
    Error error = std::move(*status.take_error());
    error.add_context("SQL function \"" + function->info().name + "\" during startup");
    return error;
  }
  return std::shared_ptr<Routine>(std::move(function));
}

Status SqlFunction::validate(SessionParts& session, const std::shared_ptr<const types::FunctionInfo>& info) {
  const auto polymorphic = [](Oid type) { return sql::is_polymorphic(type); };
  const std::string context = "SQL function \"" + info->name + "\"";
  if (std::any_of(info->arguments.begin(), info->arguments.end(), polymorphic)) {
    auto parsed = parse_statements(info->source, nullptr);  // statements have no polymorphic arguments
    if (parsed.ok()) return {};
    Error error = in_body(std::move(*parsed.take_error()), info->source);
    error.add_context(context);
    return error;
  }
  std::vector<TypeRef> arguments;
  for (const Oid type : info->arguments) arguments.push_back(type_of(session, type));
  const TypeRef result = type_of(session, info->result);
  SqlFunction function(info, result_of(session, *info, result, arguments));
  if (Status status = function.prepare(session, arguments, Purpose::kValidate); !status.ok()) {
    Error error = std::move(*status.take_error());
    error.add_context(context);
    return error;
  }
  return {};
}

Status SqlFunction::prepare(SessionParts& session, std::span<const TypeRef> arguments, Purpose purpose) {
  INDIGO_ASSIGN(const std::string text, body_text(session, info()));
  auto parsed = parse_statements(text, std::make_shared<sql::ArgumentScope>(info(), arguments));
  if (!parsed.ok()) return in_body(std::move(*parsed.take_error()), text);
  for (const auto& statement : *parsed) {
    if (statement->node->node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT) {
      if (purpose == Purpose::kValidate) continue;  // told when it is called
      return Error(sqlstate::kFeatureNotSupported,
                   statement_name(statement->node) + " is not allowed in an SQL function");
    }
    statements_.push_back(std::make_unique<NestedStatement>(statement));
    if (Status status = statements_.back()->prepare(session); !status.ok())
      return in_body(std::move(*status.take_error()), text);
  }
  return prepare_result(session);
}

Status SqlFunction::prepare_result(SessionParts& session) {
  if (!has_result(result_.type.oid)) return {};
  if (statements_.empty() || !statements_.back()->returns_rows() || statements_.back()->is_utility()) {
    return mismatch(session, "Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.");
  }
  const sql::PlannedStatement& plan = *statements_.back()->prepared().plan;
  std::vector<TypeRef> given;
  for (size_t i = 0; i < plan.targets.size(); i++) {
    given.push_back(plan.root->columns[i].type);
    given_names_.push_back(plan.targets[i].name);
  }
  planned_ = given;
  const auto name = [&](Oid type) { return types::format_type(session.session_catalog(), type); };
  if (!result_.row) {
    if (given.size() != 1) return mismatch(session, "Final statement must return exactly one column.");
    auto cast = ValueCast::make(session, given[0], result_.type, false);
    if (!cast.ok()) return mismatch(session, "Actual return type is " + name(given[0].oid) + ".");
    casts_.push_back(std::move(*cast));
    return {};
  }
  if (given.size() == 1 && result_.type.oid != oid::kRecord &&
      sql::is_row_of(session.session_catalog(), given[0].oid, result_.type.oid)) {
    INDIGO_ASSIGN(ValueCast cast, ValueCast::make(session, given[0], result_.type, false));
    casts_.push_back(std::move(cast));
    whole_row_ = true;
    return {};
  }
  if (given.size() == 1 && (given[0].oid == result_.type.oid || given[0].oid == oid::kRecord) &&
      (!result_.known || result_.columns.size() != 1 ||
       (result_.type.oid == given[0].oid && result_.type.oid != oid::kRecord))) {
    whole_row_ = true;
    return {};
  }
  if (!result_.known) {
    given_ = std::move(given);
    casts_.resize(given_.size());
    return {};
  }
  size_t next = 0;
  for (size_t i = 0; i < result_.columns.size(); i++) {
    if (result_.columns[i].oid == kInvalidOid) continue;  // dropped
    if (next >= given.size()) return mismatch(session, "Final statement returns too few columns.");
    auto cast = ValueCast::make(session, given[next], result_.columns[i], false);
    if (!cast.ok()) {
      return mismatch(session, "Final statement returns " + name(given[next].oid) + " instead of " +
                                   name(result_.columns[i].oid) + " at column " + std::to_string(next + 1) + ".");
    }
    casts_.push_back(std::move(*cast));
    next++;
  }
  if (next < given.size()) return mismatch(session, "Final statement returns too many columns.");
  return {};
}

Status SqlFunction::check_planned() const {
  const auto& columns = statements_.back()->prepared().plan->root->columns;
  const size_t count = statements_.back()->prepared().plan->targets.size();
  const bool same =
      count == planned_.size() && std::equal(planned_.begin(), planned_.end(), columns.begin(),
                                             [](const TypeRef& a, const auto& b) { return a.oid == b.type.oid; });
  return same ? Status() : Status(Error(sqlstate::kFeatureNotSupported, "cached plan must not change result type"));
}

Status SqlFunction::run(SessionParts& session, std::span<const Datum> arguments, bool all,
                        const NestedStatement::Rows& rows) {
  for (size_t i = 0; i < statements_.size(); i++) {
    const bool last = i + 1 == statements_.size() && has_result(result_.type.oid);
    const bool reads =
        !statements_[i]->is_utility() && statements_[i]->prepared().plan->command == sql::CommandKind::kSelect;
    const CallContext place(session.routines().innermost_context(), [this, i] { return context(i); });
    // It may have been planned again, over a table that another session has altered.
    const NestedStatement::Rows checked = [&](const Chunk& chunk) -> Result<bool> {
      INDIGO_TRY(check_planned());
      return rows(chunk);
    };
    auto outcome = statements_[i]->run(session, arguments, may_change(), last && !all && reads ? 1 : 0,
                                       last ? checked : NestedStatement::Rows());
    if (outcome.ok()) continue;
    Error error = in_body(std::move(*outcome.take_error()), statements_[i]->parsed().text());
    error.add_context(context(i));
    return error;
  }
  return {};
}

Status SqlFunction::convert(SessionParts& session, const Chunk& chunk, uint32_t row, Arena& arena,
                            std::vector<Datum>& values) {
  values.clear();
  const auto keep = [&](Datum value) {
    if (!value.null && value.phys == Phys::kStr) value.str = arena.copy(value.str);
    values.push_back(value);
  };
  if (whole_row_) {
    Datum value = chunk.columns[0].datum(row);
    if (!casts_.empty()) {  // of a child table
      INDIGO_ASSIGN(value, casts_[0].apply(session, value));
    }
    keep(value);
    return {};
  }
  const std::vector<TypeRef>& columns = result_.known ? result_.columns : given_;
  if (!result_.row) {
    INDIGO_ASSIGN(const Datum value, casts_[0].apply(session, chunk.columns[0].datum(row)));
    keep(value);
    return {};
  }
  size_t next = 0;
  for (const TypeRef& column : columns) {
    if (column.oid == kInvalidOid) {
      values.push_back(Datum::make_null(Phys::kI32));
      continue;
    }
    INDIGO_ASSIGN(const Datum value, casts_[next].apply(session, chunk.columns[next].datum(row)));
    keep(value);
    next++;
  }
  return {};
}

Result<OwnedDatum> SqlFunction::call(SessionParts& session, std::span<const Datum> arguments) {
  const auto type = session.session_catalog().type(result_.type.oid);
  OwnedDatum out(Datum::make_null(type != nullptr ? type->phys : Phys::kStr));
  bool found = false;
  std::vector<Datum> values;
  INDIGO_TRY(run(session, arguments, false, [&](const Chunk& chunk) -> Result<bool> {
    if (found || chunk.rows() == 0) return false;
    found = true;
    Arena arena;
    INDIGO_TRY(convert(session, chunk, chunk.selection[0], arena, values));
    if (!result_.row || whole_row_) {
      out = OwnedDatum(values[0]);
    } else {
      const std::string image = types::make_record(result_.type.oid, result_.known ? result_.columns : given_, values,
                                                   result_.type.oid != oid::kRecord ? std::vector<std::string>()
                                                   : result_.known                  ? result_.names
                                                                                    : given_names_);
      out = OwnedDatum(Datum::of(Str(image)));
    }
    return false;
  }));
  return out;
}

Status SqlFunction::rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) {
  const auto begin = [&] {
    if (out.ready()) return;
    if (!result_.row) {
      out.init(session, {result_.type});
    } else {
      out.init(session, result_.known ? result_.columns : given_, result_.known ? result_.names : given_names_);
    }
  };
  if (!whole_row_ || result_.known) begin();
  std::vector<Datum> values;
  return run(session, arguments, true, [&](const Chunk& chunk) -> Result<bool> {
    for (uint32_t i = 0; i < chunk.rows(); i++) {
      Arena arena;
      INDIGO_TRY(convert(session, chunk, chunk.selection[i], arena, values));
      if (!whole_row_) {
        INDIGO_TRY(out.store.append(values));
        continue;
      }
      types::RecordFields fields;
      if (!values[0].null) {  // the known columns of a composite type count dropped ones
        fields = result_.known ? types::numbered_fields(session.session_catalog(), values[0].str)
                               : types::live_fields(session.session_catalog(), values[0].str);
      }
      if (!out.ready()) {
        std::vector<std::string> names;
        for (const Str name : fields.names) names.emplace_back(name);
        out.init(session, fields.types, std::move(names));
      }
      std::vector<Datum> row;
      for (size_t c = 0; c < out.types.size(); c++) {
        const Phys phys = out.store.phys()[c];
        const bool there = c < fields.values.size() && fields.values[c].phys == phys;
        row.push_back(there ? fields.values[c] : Datum::make_null(phys));
      }
      INDIGO_TRY(out.store.append(row));
    }
    return true;
  });
}

}  // namespace indigo::engine::programs
