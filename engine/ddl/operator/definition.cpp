#include "engine/ddl/operator/definition.h"

#include <algorithm>

#include "catalog/object_privileges.h"
#include "engine/ddl/tree.h"
#include "sql/analyze/type/coerce.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

NodeList option_name(const PgQuery__DefElem& d) {
  if (is(d.arg, PG_QUERY__NODE__NODE_TYPE_NAME)) return nodes(d.arg->type_name->n_names, d.arg->type_name->names);
  if (is(d.arg, PG_QUERY__NODE__NODE_LIST)) return nodes(d.arg->list->n_items, d.arg->list->items);
  return NodeList(&d.arg, d.arg == nullptr ? 0 : 1);
}

Result<TypeRef> option_type(DdlContext& c, const PgQuery__DefElem& d) {
  if (is(d.arg, PG_QUERY__NODE__NODE_TYPE_NAME)) return resolve_type(c, d.arg->type_name);
  if (!is(d.arg, PG_QUERY__NODE__NODE_STRING))
    return Error(sqlstate::kSyntaxError, "argument of " + std::string(d.defname) + " must be a type name");
  // A quoted type name, as scripts for old versions write it.
  PgQuery__TypeName name = PG_QUERY__TYPE_NAME__INIT;
  name.n_names = 1;
  name.names = const_cast<PgQuery__Node**>(&d.arg);
  name.typemod = -1;
  name.location = -1;
  return resolve_type(c, &name);
}

Result<bool> option_flag(const PgQuery__DefElem& d) {
  if (d.arg == nullptr || sql::absent(d.arg)) return true;
  return boolean_value(&d);
}

std::string call_signature(DdlContext& c, const std::string& name, std::span<const Oid> types) {
  std::string out = name + "(";
  for (size_t i = 0; i < types.size(); i++) out += (i > 0 ? ", " : "") + type_text(c, {types[i], -1, kInvalidOid});
  return out + ")";
}

Result<RoutinePtr> find_exact_function(DdlContext& c, NodeList name, std::span<const Oid> types) {
  const auto q = sql::qualified_name(name);
  const std::string text = sql::name_list_text(name);
  if (!q.schema.empty()) INDIGO_TRY(existing_schema(c, q.schema));
  for (const RoutinePtr& f : c.catalog.functions_named(q.schema, q.name)) {
    if (std::equal(f->arguments.begin(), f->arguments.end(), types.begin(), types.end())) return f;
  }
  return Error(sqlstate::kUndefinedFunction, "function " + call_signature(c, text, types) + " does not exist");
}

Status check_may_execute(DdlContext& c, const types::FunctionInfo& f) {
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kFunctionAcl, f.oid, c.catalog.user());
  if ((held & types::kPrivilegeExecute) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for function " + f.name);
}

bool is_binary_coercible(DdlContext& c, Oid from, Oid to) {
  if (from == to || to == oid::kAny) return true;
  return sql::find_path(c.catalog, to, from, sql::Coercion::kImplicit).kind == sql::PathKind::kRelabel;
}

}  // namespace indigo::engine::ddl
