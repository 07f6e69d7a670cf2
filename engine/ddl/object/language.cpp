#include "engine/ddl/object/language.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace pg_language = catalog::pg_language;

const ForeignKind kLanguageKind{
    pg_language::kOid, pg_language::c_oid, pg_language::c_lanname, pg_language::c_lanowner, pg_language::c_lanacl, -1,
    "language",        "language"};

Status execute_create_language(DdlContext& c, const PgQuery__CreatePLangStmt& s) {
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create custom procedural language");
  const std::string name = truncated_name(s.plname);
  constexpr Oid kLanguageHandler = 2280;
  const NodeList handler_name = nodes(s.n_plhandler, s.plhandler);
  INDIGO_ASSIGN(const RoutinePtr handler, find_exact_function(c, handler_name, {}));
  if (handler->result != kLanguageHandler) {
    return Error(sqlstate::kWrongObjectType,
                 "function " + sql::name_list_text(handler_name) + " must return type language_handler");
  }
  std::vector<Oid> functions{handler->oid};
  Oid inline_handler = kInvalidOid, validator = kInvalidOid;
  if (s.n_plinline > 0) {
    const Oid arguments[] = {oid::kInternal};
    INDIGO_ASSIGN(const RoutinePtr f, find_exact_function(c, nodes(s.n_plinline, s.plinline), arguments));
    functions.push_back(inline_handler = f->oid);
  }
  if (s.n_plvalidator > 0) {
    const Oid arguments[] = {oid::kOid};
    INDIGO_ASSIGN(const RoutinePtr f, find_exact_function(c, nodes(s.n_plvalidator, s.plvalidator), arguments));
    functions.push_back(validator = f->oid);
  }
  const Oid old = foreign_named(c, kLanguageKind, name);
  if (old != kInvalidOid && !s.replace) return check_foreign_name_free(c, kLanguageKind, name);
  if (old != kInvalidOid && is_pinned({pg_language::kOid, old, 0})) return unsupported("replacing this language");
  const Oid oid = old != kInvalidOid ? old : next_oid(c);
  const auto fill = [&](RowValues& row) {
    row.flag(pg_language::c_lanispl, true)
        .flag(pg_language::c_lanpltrusted, s.pltrusted)
        .oid(pg_language::c_lanplcallfoid, handler->oid)
        .oid(pg_language::c_laninline, inline_handler)
        .oid(pg_language::c_lanvalidator, validator);
  };
  const Address self{pg_language::kOid, oid, 0};
  if (old != kInvalidOid) {
    INDIGO_TRY(update_row(c, pg_language::kOid, {Datum::of_oid(oid)}, fill));
    INDIGO_TRY(remove_dependencies_of(c, self));
  } else {
    SystemTable& t = table(c, pg_language::kOid);
    RowValues row(t.definition());
    row.oid(pg_language::c_oid, oid)
        .str(pg_language::c_lanname, name)
        .oid(pg_language::c_lanowner, c.catalog.user())
        .set_null(pg_language::c_lanacl);
    fill(row);
    INDIGO_TRY(check(t.insert(c.txn, row)));
  }
  for (const Oid function : functions) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, function, 0}, 'n'));
  c.catalog.changed({kInvalidOid});
  return record_membership(c, self);
}

Result<std::optional<Address>> find_dropped_language(DdlContext& c, std::string_view name, bool missing_ok) {
  INDIGO_ASSIGN(const auto found, find_own_foreign(c, kLanguageKind, name, missing_ok));
  if (found && is_pinned(*found)) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop language " + std::string(name) + " because it is required by the database system");
  }
  return found;
}

Status change_language_owner(DdlContext& c, std::string_view name, Oid owner) {
  INDIGO_ASSIGN(const Oid oid, existing_foreign(c, kLanguageKind, name));
  const Oid before = foreign_owner(c, kLanguageKind, oid);
  if (before == owner) return {};
  INDIGO_TRY(check_owner(c, before, kLanguageKind.owned, name));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  return set_foreign_owner(c, kLanguageKind, oid, owner);
}

}  // namespace indigo::engine::ddl
