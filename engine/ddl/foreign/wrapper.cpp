#include "engine/ddl/foreign/wrapper.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_options.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_foreign_data_wrapper = catalog::pg_foreign_data_wrapper;

constexpr Oid kFdwHandler = 3115;  // pg_type's fdw_handler

// HANDLER and VALIDATOR; kInvalidOid: NO HANDLER, NO VALIDATOR.
struct WrapperFunctions {
  std::optional<Oid> handler, validator;
};

Result<Oid> handler_named(DdlContext& c, NodeList name) {
  INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, name, {}));
  if (function->result != kFdwHandler) {
    return Error(sqlstate::kWrongObjectType, "function " + sql::name_list_text(name) + " must return type fdw_handler");
  }
  return function->oid;
}

Result<Oid> validator_named(DdlContext& c, NodeList name) {
  const Oid arguments[] = {oid::kTextArray, oid::kOid};
  INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, name, arguments));
  return function->oid;
}

Result<WrapperFunctions> read_functions(DdlContext& c, NodeList options) {
  WrapperFunctions out;
  for (const PgQuery__Node* node : options) {
    const PgQuery__DefElem& d = *node->def_elem;
    const bool handler = std::string_view(d.defname) == "handler";
    std::optional<Oid>& target = handler ? out.handler : out.validator;
    if (target) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d.location));
    }
    target = kInvalidOid;
    if (sql::absent(d.arg)) continue;
    const NodeList name = nodes(d.arg->list->n_items, d.arg->list->items);
    INDIGO_ASSIGN(target, handler ? handler_named(c, name) : validator_named(c, name));
  }
  return out;
}

Status require_superuser(DdlContext& c, std::string_view verb, std::string_view name) {
  if (c.catalog.is_superuser(c.catalog.user())) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied to " + std::string(verb) + " foreign-data wrapper " + quoted(name))
      .with_hint("Must be superuser to " + std::string(verb) + " a foreign-data wrapper.");
}

Status record_functions(DdlContext& c, const Address& self, Oid handler, Oid validator) {
  for (const Oid function : {handler, validator}) {
    if (function != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, function, 0}, 'n'));
  }
  return {};
}

}  // namespace

Status execute_create_wrapper(DdlContext& c, const PgQuery__CreateFdwStmt& s) {
  const std::string name = truncated_name(s.fdwname);
  INDIGO_TRY(require_superuser(c, "create", name));
  INDIGO_TRY(check_foreign_name_free(c, kWrapperKind, name));
  INDIGO_ASSIGN(const WrapperFunctions functions, read_functions(c, nodes(s.n_func_options, s.func_options)));
  const Oid handler = functions.handler.value_or(kInvalidOid), validator = functions.validator.value_or(kInvalidOid);
  INDIGO_ASSIGN(const ForeignOptions options,
                changed_options(c, {}, nodes(s.n_options, s.options), validator, pg_foreign_data_wrapper::kOid));
  SystemTable& t = table(c, pg_foreign_data_wrapper::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_foreign_data_wrapper::c_oid, oid)
      .str(pg_foreign_data_wrapper::c_fdwname, name)
      .oid(pg_foreign_data_wrapper::c_fdwowner, c.catalog.user())
      .oid(pg_foreign_data_wrapper::c_fdwhandler, handler)
      .oid(pg_foreign_data_wrapper::c_fdwvalidator, validator)
      .set_null(pg_foreign_data_wrapper::c_fdwacl);
  write_options(row, pg_foreign_data_wrapper::c_fdwoptions, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_foreign_data_wrapper::kOid, oid, 0};
  INDIGO_TRY(record_functions(c, self, handler, validator));
  return record_membership(c, self);
}

Status execute_alter_wrapper(DdlContext& c, const PgQuery__AlterFdwStmt& s) {
  INDIGO_TRY(require_superuser(c, "alter", s.fdwname));
  INDIGO_ASSIGN(const Oid oid, existing_foreign(c, kWrapperKind, s.fdwname));
  INDIGO_ASSIGN(const WrapperFunctions functions, read_functions(c, nodes(s.n_func_options, s.func_options)));
  const SystemTable& t = table(c, pg_foreign_data_wrapper::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(oid)}), image)));
  const RowReader before = t.reader(image);
  const Oid handler = functions.handler.value_or(before.oid(pg_foreign_data_wrapper::c_fdwhandler));
  const Oid validator = functions.validator.value_or(before.oid(pg_foreign_data_wrapper::c_fdwvalidator));
  if (functions.handler) {
    warning(c, SqlState("01000"),
            "changing the foreign-data wrapper handler can change behavior of existing foreign tables");
  }
  if (functions.validator && validator != kInvalidOid) {
    warning(c, SqlState("01000"),
            "changing the foreign-data wrapper validator can cause the options for dependent objects to become "
            "invalid");
  }
  ForeignOptions options = read_options(before, pg_foreign_data_wrapper::c_fdwoptions);
  if (s.n_options > 0) {
    INDIGO_ASSIGN(options,
                  changed_options(c, options, nodes(s.n_options, s.options), validator, pg_foreign_data_wrapper::kOid));
  }
  INDIGO_TRY(update_row(c, pg_foreign_data_wrapper::kOid, {Datum::of_oid(oid)}, [&](RowValues& row) {
    row.oid(pg_foreign_data_wrapper::c_fdwhandler, handler).oid(pg_foreign_data_wrapper::c_fdwvalidator, validator);
    write_options(row, pg_foreign_data_wrapper::c_fdwoptions, options);
  }));
  if (!functions.handler && !functions.validator) return {};
  const Address self{pg_foreign_data_wrapper::kOid, oid, 0};
  for (const Dependent& d : references_of(c, self)) {
    if (d.address.class_id == pg_proc::kOid) INDIGO_TRY(remove_dependency(c, self, d.address));
  }
  return record_functions(c, self, handler, validator);
}

Status change_wrapper_owner(DdlContext& c, std::string_view name, Oid owner) {
  INDIGO_ASSIGN(const Oid oid, existing_foreign(c, kWrapperKind, name));
  const std::string refused = "permission denied to change owner of foreign-data wrapper " + quoted(name);
  if (!c.catalog.is_superuser(c.catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, refused)
        .with_hint("Must be superuser to change owner of a foreign-data wrapper.");
  }
  if (!c.catalog.is_superuser(owner)) {
    return Error(sqlstate::kInsufficientPrivilege, refused)
        .with_hint("The owner of a foreign-data wrapper must be a superuser.");
  }
  INDIGO_TRY(hold_role(c, owner));
  return set_foreign_owner(c, kWrapperKind, oid, owner);
}

}  // namespace indigo::engine::ddl
