#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/tree.h"
#include "engine/settings/identifier_list.h"
#include "sql/parse/parser.h"
#include "storage/transaction.h"
#include "types/extension/extension.h"

namespace indigo::engine::ddl {

namespace {

struct Wanted {
  std::string schema, version;
  bool cascade = false;
};

Result<Wanted> read_options(DdlContext& c, NodeList options) {
  Wanted out;
  bool seen_schema = false, seen_version = false, seen_cascade = false;
  for (const PgQuery__Node* node : options) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view name = d.defname;
    bool& seen = name == "schema" ? seen_schema : name == "new_version" ? seen_version : seen_cascade;
    if (seen) {
      Error error(sqlstate::kSyntaxError, "conflicting or redundant options");
      error.position = position(c, d.location);
      return error;
    }
    seen = true;
    if (name == "schema") {
      out.schema = text_value(d.arg);
    } else if (name == "new_version") {
      out.version = text_value(d.arg);
    } else {
      INDIGO_ASSIGN(out.cascade, boolean_value(&d));
    }
  }
  return out;
}

// The session as the definitions want it: the extension's schema first, a superuser if the extension is trusted.
class ScriptRole {
 public:
  ScriptRole(DdlContext& c, std::string schema) : c_(c), user_(c.catalog.user()) {
    std::string setting;
    c.host.session().setting("search_path", setting);
    path_ = split_identifier_list(setting).value_or(std::vector<std::string>());
    c.catalog.set_search_path({std::move(schema)});
    if (!c.catalog.is_superuser(user_)) c.catalog.set_user(oid::kBootstrapSuperuser);
  }
  ScriptRole(const ScriptRole&) = delete;
  ScriptRole& operator=(const ScriptRole&) = delete;
  ~ScriptRole() {
    c_.catalog.set_search_path(path_);
    c_.catalog.set_user(user_);
  }

 private:
  DdlContext& c_;
  const Oid user_;
  std::vector<std::string> path_;
};

}  // namespace

Status run_script(DdlContext& c, const types::Extension& extension, std::string_view script, Oid oid, Oid schema) {
  constexpr std::string_view kModule = "MODULE_PATHNAME";
  std::string text(script);
  const std::string module = types::module_of(extension);
  for (size_t at = 0; (at = text.find(kModule, at)) != std::string::npos; at += module.size())
    text.replace(at, kModule.size(), module);
  INDIGO_ASSIGN(const auto parsed, sql::parse(text));
  const ScriptRole role(c, c.catalog.schema_name(schema));
  DdlContext inner{c.catalog, c.txn, c.host, text, oid};
  for (const auto& statement : parsed->statements()) {
    INDIGO_TRY(execute_ddl(inner, *statement.node));
    c.txn.next_command();
  }
  return {};
}

namespace {

Status check_may_create(DdlContext& c, const types::Extension& e) {
  const Oid user = c.catalog.user();
  if (c.catalog.is_superuser(user)) return {};
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kDatabaseAcl, c.catalog.database(), user);
  if (e.trusted && (held & kPrivilegeCreate) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied to create extension " + quoted(e.name))
      .with_hint(e.trusted ? "Must have CREATE privilege on current database to create this extension."
                           : "Must be superuser to create this extension.");
}

Result<Oid> schema_of(DdlContext& c, const types::Extension& e, const Wanted& wanted) {
  if (!e.schema.empty()) {
    if (!wanted.schema.empty() && wanted.schema != e.schema) {
      return Error(sqlstate::kFeatureNotSupported,
                   "extension " + quoted(e.name) + " must be installed in schema " + quoted(e.schema));
    }
    const Oid fixed = c.catalog.schema_named(e.schema);
    return fixed != kInvalidOid ? Result<Oid>(fixed) : create_schema(c, e.schema, c.catalog.user());
  }
  return wanted.schema.empty() ? creation_schema(c, std::string_view(), false) : existing_schema(c, wanted.schema);
}

Status create(DdlContext& c, std::string_view name, const Wanted& wanted, std::vector<std::string_view>& parents);

// What it stands on; CASCADE makes what is missing.
Result<std::vector<Oid>> required_extensions(DdlContext& c, const types::Extension& e, const Wanted& wanted,
                                             std::vector<std::string_view>& parents) {
  std::vector<Oid> out;
  for (const std::string_view required : e.required) {
    auto there = installed_extension(c, required);
    if (!there) {
      if (!wanted.cascade) {
        return Error(sqlstate::kUndefinedObject, "required extension " + quoted(required) + " is not installed")
            .with_hint("Use CREATE EXTENSION ... CASCADE to install required extensions too.");
      }
      notice(c, "installing required extension " + quoted(required));
      parents.push_back(e.name);
      INDIGO_TRY(create(c, required, Wanted{.schema = wanted.schema, .version = {}, .cascade = true}, parents));
      parents.pop_back();
      there = installed_extension(c, required);
    }
    if (there) out.push_back(there->oid);
  }
  return out;
}

Status create(DdlContext& c, std::string_view name, const Wanted& wanted, std::vector<std::string_view>& parents) {
  INDIGO_ASSIGN(const types::Extension* const e, available_extension(name));
  const std::string version = wanted.version.empty() ? std::string(e->version) : wanted.version;
  const auto scripts = types::scripts_between(*e, {}, version);
  if (!scripts) {
    return Error(
        sqlstate::kInvalidParameterValue,
        "extension " + quoted(name) + " has no installation script nor update path for version " + quoted(version));
  }
  INDIGO_TRY(check_may_create(c, *e));
  INDIGO_ASSIGN(const Oid schema, schema_of(c, *e, wanted));
  INDIGO_ASSIGN(const std::vector<Oid> required, required_extensions(c, *e, wanted, parents));
  SystemTable& t = table(c, pg_extension::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_extension::c_oid, oid)
      .str(pg_extension::c_extname, e->name)
      .oid(pg_extension::c_extowner, c.catalog.user())
      .oid(pg_extension::c_extnamespace, schema)
      .flag(pg_extension::c_extrelocatable, e->relocatable)
      .str(pg_extension::c_extversion, version);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.host.made(pg_extension::kOid, oid, false);
  const Address self{pg_extension::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  for (const Oid r : required) INDIGO_TRY(record_dependency(c, self, {pg_extension::kOid, r, 0}, 'n'));
  INDIGO_TRY(set_comment(c, self, e->comment));
  c.txn.next_command();
  for (const types::ExtensionScript& script : *scripts) INDIGO_TRY(run_script(c, *e, script.definitions, oid, schema));
  return {};
}

}  // namespace

Result<const types::Extension*> available_extension(std::string_view name) {
  const char* const wrong = name.empty()                                ? "not be empty"
                            : name.find("--") != std::string_view::npos ? "not contain \"--\""
                            : name.front() == '-' || name.back() == '-' ? "not begin or end with \"-\""
                            : name.find('/') != std::string_view::npos  ? "not contain directory separator characters"
                                                                        : nullptr;
  if (wrong != nullptr) {
    return Error(sqlstate::kInvalidParameterValue, "invalid extension name: " + quoted(name))
        .with_detail("Extension names must " + std::string(wrong) + ".");
  }
  if (const types::Extension* e = types::find_extension(name)) return e;
  return Error(sqlstate::kFeatureNotSupported, "extension " + quoted(name) + " is not available")
      .with_detail("It is not one of those that are built in.")
      .with_hint("Those that are: SELECT * FROM pg_available_extensions.");
}

Status execute_create_extension(DdlContext& c, const PgQuery__CreateExtensionStmt& s) {
  const std::string_view name = s.extname;
  if (installed_extension(c, name)) {
    const std::string message = "extension " + quoted(name) + " already exists";
    if (!s.if_not_exists) return Error(sqlstate::kDuplicateObject, message);
    notice(c, message + ", skipping", sqlstate::kDuplicateObject);
    return {};
  }
  INDIGO_ASSIGN(const Wanted wanted, read_options(c, nodes(s.n_options, s.options)));
  std::vector<std::string_view> parents;
  INDIGO_TRY(create(c, name, wanted, parents));
  return {};
}

}  // namespace indigo::engine::ddl
