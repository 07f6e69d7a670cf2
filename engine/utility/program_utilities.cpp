// CALL, DO and LOAD.
#include <utility>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/programs/procedure_call.h"
#include "engine/session/modules.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/families.h"
#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"
#include "types/extension/extension.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Status run_call(UtilityCall& call) {
  INDIGO_ASSIGN(const programs::ProcedureCall procedure,
                programs::ProcedureCall::analyze(call.session, call.statement, call.parameter_types, false));
  INDIGO_ASSIGN(const std::vector<OwnedDatum> outputs,
                procedure.run(call.session, call.parameters, call.top_level && !call.session.block().in_block()));
  if (call.shape == nullptr) return {};
  Chunk chunk;
  for (const OwnedDatum& value : outputs) {
    chunk.columns.emplace_back(value.get().phys, 1);
    chunk.columns.back().set_datum(0, value.get());
  }
  chunk.selection = {nullptr, 1};
  return call.sink.rows(*call.shape, chunk);
}

Result<std::shared_ptr<const ResultShape>> describe_call(SessionParts& session, const ParsedStatement& statement) {
  INDIGO_TRY(session.begin_statement());
  INDIGO_ASSIGN(const programs::ProcedureCall procedure,
                programs::ProcedureCall::analyze(session, statement, {}, true));
  return procedure.shape(session);
}

Status check_language(catalog::SessionCatalog& catalog, const std::string& name) {
  Oid found = kInvalidOid;
  bool trusted = false;
  catalog.system_table_rows(catalog::pg_language::kOid, -1, {}, [&](const catalog::RowReader& row) {
    if (row.str(catalog::pg_language::c_lanname) != name) return true;
    found = row.oid(catalog::pg_language::c_oid);
    trusted = row.flag(catalog::pg_language::c_lanpltrusted);
    return false;
  });
  if (found == kInvalidOid) return Error(sqlstate::kUndefinedObject, "language \"" + name + "\" does not exist");
  const uint32_t held = catalog::object_privileges(catalog, catalog::kLanguageAcl, found, catalog.user());
  if (trusted ? (held & types::kPrivilegeUsage) != 0 : catalog.is_superuser(catalog.user())) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for language " + name);
}

Status run_do(UtilityCall& call) {
  std::string language = "plpgsql", source;
  bool has_source = false, has_language = false;
  const auto& stmt = *call.node->do_stmt;
  for (size_t i = 0; i < stmt.n_args; i++) {
    const PgQuery__DefElem& d = *stmt.args[i]->def_elem;
    const std::string value(sql::string_of(d.arg));
    const bool of_language = std::string_view(d.defname) == "language";
    if (std::exchange(of_language ? has_language : has_source, true)) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options")
          .at(sql::character_position(call.statement.text(), d.location));
    }
    (of_language ? language : source) = value;
  }
  if (!has_source) return Error(sqlstate::kSyntaxError, "no inline code specified");
  INDIGO_TRY(check_language(call.session.session_catalog(), language));
  if (language != "plpgsql")
    return Error(sqlstate::kFeatureNotSupported,
                 "language \"" + language + "\" does not support inline code execution");
  const bool may_commit = call.may_commit || (call.top_level && !call.session.block().in_block());
  Status done = programs::PlpgsqlFunction::run_block(call.session, source, may_commit);
  if (done.ok()) return done;
  // A place in the block is a place in the statement, where the block stands there as it is.
  Error error = std::move(*done.take_error());
  const size_t at = call.statement.text().find(source);
  if (error.internal_query == source && error.internal_position > 0 && at != std::string::npos) {
    error.position = sql::character_position(call.statement.text(), static_cast<int>(at)) + error.internal_position - 1;
    error.internal_position = 0;
    error.internal_query.clear();
  }
  return error;
}

// What would be loaded is there from the beginning: the language's module and those of the extensions that are built in.
Status run_load(UtilityCall& call) {
  constexpr std::string_view kPlugins = "$libdir/plugins/", kLanguage = "plpgsql";
  const std::string_view file = call.node->load_stmt->filename;
  const bool plugin = file.starts_with(kPlugins) && file.find('/', kPlugins.size()) == std::string_view::npos;
  if (!call.session.is_superuser() && !plugin) {
    return Error(sqlstate::kInsufficientPrivilege, "access to library \"" + std::string(file) + "\" is not allowed");
  }
  const std::string_view name = types::module_name(file);
  if (!plugin && load_module(call.session, name)) return {};
  if (!plugin && (name == kLanguage || types::find_extension(name) != nullptr)) return {};
  return Error(SqlState("58P01"), "could not access file \"" + std::string(file) + "\": No such file or directory");
}

constexpr UtilityStatement kProgramStatements[] = {
    {.node = PG_QUERY__NODE__NODE_DO_STMT, .name = "DO", .run = run_do},
    {.node = PG_QUERY__NODE__NODE_CALL_STMT, .name = "CALL", .run = run_call, .describe = describe_call},
    {.node = PG_QUERY__NODE__NODE_LOAD_STMT, .name = "LOAD", .run = run_load, .needs_transaction = false},
};

}  // namespace

std::span<const UtilityStatement> program_utilities() { return kProgramStatements; }

}  // namespace indigo::engine
