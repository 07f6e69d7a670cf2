#include "engine/ddl/function/body.h"

#include "catalog/descriptor/settled.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/references.h"
#include "engine/ddl/tree.h"
#include "engine/statement/utility_statement.h"
#include "sql/analyze/argument_scope.h"
#include "sql/stored/routine_body.h"
#include "sql/stored/stored_tree.h"
#include "types/extension/extension.h"

namespace indigo::engine::ddl {

namespace {

std::vector<const PgQuery__Node*> statements_of(const PgQuery__Node& body) {
  if (!is(&body, PG_QUERY__NODE__NODE_LIST)) return {&body};
  std::vector<const PgQuery__Node*> out;
  for (const PgQuery__Node* list : nodes(body.list->n_items, body.list->items)) {
    if (!is(list, PG_QUERY__NODE__NODE_LIST)) continue;
    for (const PgQuery__Node* statement : nodes(list->list->n_items, list->list->items)) out.push_back(statement);
  }
  return out;
}

Status check_queries(const PgQuery__Node& body) {
  for (const PgQuery__Node* statement : statements_of(body)) {
    switch (statement->node_case) {
      case PG_QUERY__NODE__NODE_RETURN_STMT:
      case PG_QUERY__NODE__NODE_SELECT_STMT:
      case PG_QUERY__NODE__NODE_INSERT_STMT:
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
      case PG_QUERY__NODE__NODE_DELETE_STMT:
      case PG_QUERY__NODE__NODE_MERGE_STMT: break;
      default:
        return Error(sqlstate::kFeatureNotSupported,
                     statement_name(statement) + " is not yet supported in unquoted SQL function body");
    }
  }
  return {};
}

Status read_statements(DdlContext& c, const PgQuery__CreateFunctionStmt& s, const RoutineSignature& signature,
                       RoutineBody& out) {
  INDIGO_TRY(check_queries(*s.sql_body));
  types::FunctionInfo info;
  info.name = truncated_name(sql::qualified_name(nodes(s.n_funcname, s.funcname)).name);
  info.argument_names = signature.names;
  info.argument_modes = signature.modes;
  std::vector<TypeRef> types;
  for (const Oid type : signature.inputs) {
    const TypePtr found = c.catalog.type(type);
    types.push_back({type, -1, found != nullptr ? found->collation : kInvalidOid});
  }
  const sql::ArgumentScope arguments(info, types);
  for (;;) {
    const uint64_t version = c.catalog.version();
    INDIGO_ASSIGN(const auto query, catalog::settled(c.catalog, [&] {
                    return sql::analyze_routine_body(c.host.session(), *s.sql_body, c.text, arguments);
                  }));
    References references(c.catalog);
    references.query(*query);
    INDIGO_TRY(check_constants(c, references));
    std::set<Address> mentioned = references.addresses();
    add_changed_columns(*query, mentioned);
    for (const Address& a : mentioned) INDIGO_TRY(lock_mentioned(c, a));
    if (c.catalog.version() != version) continue;
    out.references.assign(mentioned.begin(), mentioned.end());
    INDIGO_ASSIGN(out.statements, sql::store_tree(query));
    return {};
  }
}

bool is_builtin(DdlContext& c, std::string_view source) {
  bool found = false;
  table(c, pg_proc::kOid).scan(c.txn, {}, [&](RowReader row) {
    found = row.oid(pg_proc::c_oid) < oid::kFirstUserOid && row.str(pg_proc::c_prosrc) == source;
    return !found;
  });
  return found;
}

// Code of others is never loaded: the modules are those of the extensions that are built in.
Status check_symbol(const std::string& library, const std::string& symbol) {
  const types::Extension* module = types::find_module(library);
  if (module == nullptr) {
    return Error(SqlState("58P01"), "could not access file " + quoted(library) + ": No such file or directory")
        .with_detail("Functions in C are those of the extensions that are built in.");
  }
  if (types::find_symbol(*module, symbol) != nullptr || types::find_set_symbol(*module, symbol) != nullptr) return {};
  return Error(sqlstate::kUndefinedFunction,
               "could not find function " + quoted(symbol) + " in file " + quoted(library));
}

}  // namespace

Result<RoutineBody> read_body(DdlContext& c, const PgQuery__CreateFunctionStmt& s, const RoutineAttributes& attributes,
                              const RoutineSignature& signature) {
  const std::string& language = *attributes.language;
  const bool atomic = !sql::absent(s.sql_body);
  RoutineBody out;
  if (!attributes.source && !atomic) {
    if (language == "internal") {
      out.source = string_of(nodes(s.n_funcname, s.funcname).back());
    } else {
      return Error(kInvalidFunctionDefinition, "no function body specified");
    }
  }
  if (attributes.source && atomic) return Error(kInvalidFunctionDefinition, "duplicate function body specified");
  if (atomic && language != "sql")
    return Error(kInvalidFunctionDefinition, "inline SQL function body only valid for language SQL");
  if (attributes.source) {
    if (attributes.object_file && language != "c")
      return Error(kInvalidFunctionDefinition, "only one AS item needed for language " + quoted(language));
    out.source = *attributes.source;
  }
  if (language == "c") {
    // The object file alone: the function has the name of its symbol.
    out.library = attributes.object_file ? *attributes.object_file : out.source;
    if (!attributes.object_file) out.source = string_of(nodes(s.n_funcname, s.funcname).back());
    INDIGO_TRY(check_symbol(out.library, out.source));
  }
  if (language == "internal" && !is_builtin(c, out.source))
    return Error(sqlstate::kUndefinedFunction, "there is no built-in function named " + quoted(out.source));
  if (atomic) {
    for (const Oid type : signature.inputs) {
      const TypePtr info = c.catalog.type(type);
      if (info != nullptr && info->kind == 'p') {
        return Error(kInvalidFunctionDefinition,
                     "SQL function with unquoted function body cannot have polymorphic arguments");
      }
    }
    INDIGO_TRY(read_statements(c, s, signature, out));
  }
  return out;
}

}  // namespace indigo::engine::ddl
