// SET, RESET, SHOW.
#include <array>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "engine/session/exported_snapshots.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/set_argument.h"
#include "engine/settings/setting_table.h"
#include "engine/settings/settings.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/families.h"
#include "engine/utility/transaction_modes.h"
#include "sql/parse/parse_tree.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

// SET TRANSACTION SNAPSHOT
Status import_snapshot(UtilityCall& call, const PgQuery__VariableSetStmt& stmt) {
  auto& session = call.session;
  TransactionBlock& block = session.block();
  if (!block.in_block()) {
    session.notice(Severity::kWarning,
                   Error(sqlstate::kNoActiveSqlTransaction, "SET TRANSACTION can only be used in transaction blocks"));
  }
  if (block.transaction() != nullptr || block.depth() > 0) {
    return Error(sqlstate::kActiveSqlTransaction, "SET TRANSACTION SNAPSHOT must be called before any query");
  }
  if (block.isolation() == storage::Isolation::kReadCommitted || !block.in_block()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ");
  }
  if (block.isolation() == storage::Isolation::kSerializable) {
    return Error(sqlstate::kFeatureNotSupported,
                 "SET TRANSACTION SNAPSHOT of a SERIALIZABLE transaction is not supported");
  }
  INDIGO_TRY(block.ensure(session.message().timestamp()));
  return session.instance().exported_snapshots().import(stmt.args[0]->a_const->sval->sval,
                                                        session.session_catalog().database(), *block.transaction());
}

// What RESET and SET ... TO DEFAULT do with the open transaction's modes.
Status reset_mode(UtilityCall& call, const std::string& name) {
  if (name == "transaction_isolation" && !in_transaction(call)) {
    call.session.notice(Severity::kWarning, Error(sqlstate::kNoActiveSqlTransaction,
                                                  "RESET TRANSACTION can only be used in transaction blocks"));
  }
  return call.session.block().reset_mode(name);
}

Status apply_set(UtilityCall& call, const PgQuery__VariableSetStmt& stmt) {
  auto& session = call.session;
  const auto scope = stmt.is_local ? Settings::Scope::kLocal : Settings::Scope::kSession;
  const std::string name = stmt.name ? stmt.name : "";
  switch (stmt.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE: {
      INDIGO_ASSIGN(const std::string value, set_argument(session.context(), stmt));
      return session.settings().set(name, value, scope,
                                    may_set_as_superuser(session.session_catalog(), session.user(), name));
    }
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
      if (session.block().mode_setting(name)) return reset_mode(call, name);
      return session.settings().reset(name, scope,
                                      may_set_as_superuser(session.session_catalog(), session.user(), name));
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL: session.settings().reset_all(); return {};
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI: {
      if (name == "TRANSACTION SNAPSHOT") return import_snapshot(call, stmt);
      INDIGO_ASSIGN(TransactionModes modes, read_transaction_modes({stmt.args, stmt.n_args}));
      if (name == "TRANSACTION") {
        if (!in_transaction(call)) {
          session.notice(Severity::kWarning, Error(sqlstate::kNoActiveSqlTransaction,
                                                   "SET TRANSACTION can only be used in transaction blocks"));
          return {};
        }
        return session.block().set_modes(modes);
      }
      if (name == "SESSION CHARACTERISTICS") {
        if (modes.isolation) {
          const std::string level = level_name(*modes.isolation, modes.uncommitted);
          INDIGO_TRY(session.settings().set("default_transaction_isolation", level, scope, true));
        }
        if (modes.read_only) {
          INDIGO_TRY(
              session.settings().set("default_transaction_read_only", *modes.read_only ? "on" : "off", scope, true));
        }
        if (modes.deferrable) {
          INDIGO_TRY(
              session.settings().set("default_transaction_deferrable", *modes.deferrable ? "on" : "off", scope, true));
        }
        return {};
      }
      return Error(sqlstate::kFeatureNotSupported, "SET " + name + " is not supported yet");
    }
    default: return Error(sqlstate::kFeatureNotSupported, "SET ... FROM CURRENT is not supported yet");
  }
}

Status run_set(UtilityCall& call) {
  const auto& stmt = *call.node->variable_set_stmt;
  auto& session = call.session;
  if (session.block().in_several()) INDIGO_TRY(session.block().ensure_open(session.message().timestamp()));
  if (!stmt.is_local || in_transaction(call)) return apply_set(call, stmt);
  session.notice(Severity::kWarning,
                 Error(sqlstate::kNoActiveSqlTransaction, "SET LOCAL can only be used in transaction blocks"));
  return session.settings().try_out([&] { return apply_set(call, stmt); });
}

Result<std::shared_ptr<const ResultShape>> describe_show(SessionParts& session, const ParsedStatement& statement) {
  std::string name = statement.node->variable_show_stmt->name;
  if (name == "all") {
    return text_columns({{"name", oid::kText}, {"setting", oid::kText}, {"description", oid::kText}});
  }
  if (auto index = find_setting(name)) return text_columns({{setting_table()[*index].name, oid::kText}});
  const auto& custom = session.settings().custom();
  if (const auto found = custom.find(name); found != custom.end()) name = found->first;
  return text_columns({{name.c_str(), oid::kText}});
}

Status run_show(UtilityCall& call) {
  auto& session = call.session;
  std::string name = call.node->variable_show_stmt->name;
  if (name == "all") {
    const auto& table = setting_table();
    for (uint32_t i = 0; i < table.size(); i++) {
      const SettingDefinition& definition = table[i];
      if (definition.shown != SettingShown::kListed || !session.settings().knows(i) ||
          !may_see_setting(session.session_catalog(), definition.name))
        continue;
      INDIGO_ASSIGN(std::string value, session.settings().show(definition.name));
      INDIGO_TRY(send_text_row(call, std::array<std::string, 3>{definition.name, value, definition.description}));
    }
    return {};
  }
  std::string value;
  if (std::optional<std::string> mode = session.block().mode_setting(name)) {
    value = *std::move(mode);
  } else {
    INDIGO_TRY(check_may_see_setting(session.session_catalog(), name));
    INDIGO_ASSIGN(value, session.settings().show(name));
  }
  return send_text_row(call, std::array<std::string, 1>{value});
}

std::string set_name(const PgQuery__Node& n) {
  const auto kind = n.variable_set_stmt->kind;
  return kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET || kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL ? "RESET"
                                                                                                              : "SET";
}

constexpr UtilityStatement kSettingStatements[] = {
    {.node = PG_QUERY__NODE__NODE_VARIABLE_SET_STMT,
     .name = "SET",
     .full_name = set_name,
     .run = run_set,
     .needs_transaction = false},
    {.node = PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT,
     .name = "SHOW",
     .run = run_show,
     .describe = describe_show,
     .needs_transaction = false},
};

}  // namespace

std::span<const UtilityStatement> setting_utilities() { return kSettingStatements; }

}  // namespace indigo::engine
