#include "engine/ddl/drop/drop_absent.h"

#include "engine/ddl/rows.h"

namespace indigo::engine::ddl {

namespace {

struct Kind {
  PgQuery__ObjectType type;
  std::string_view name;  // as messages say it
};
// Kinds whose objects have a name of their own.
constexpr Kind kNamed[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION, "extension"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_FDW, "foreign-data wrapper"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER, "server"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION, "publication"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER, "event trigger"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE, "foreign table"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT, "statistics object"},
};
// Kinds whose objects belong to a table.
constexpr Kind kOfTable[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER, "trigger"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_RULE, "rule"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_POLICY, "policy"},
};
constexpr Kind kRoutines[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION, "function"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE, "procedure"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE, "routine"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE, "aggregate"},
};

template <size_t N>
std::string_view kind_in(const Kind (&kinds)[N], PgQuery__ObjectType type) {
  for (const Kind& k : kinds) {
    if (k.type == type) return k.name;
  }
  return {};
}

Status missing(DdlContext& c, const PgQuery__DropStmt& s, const SqlState& state, const std::string& skipped,
               const std::string& message) {
  if (!s.missing_ok) return Error(state, message);
  notice(c, skipped + ", skipping");
  return {};
}

Status drop_of_table(DdlContext& c, const PgQuery__DropStmt& s, std::string_view kind, NodeList names,
                     const std::string& tag) {
  const std::string name(string_of(names.back()));
  const NodeList table_name = names.first(names.size() - 1);
  const auto q = sql::qualified_name(table_name);
  const RelationPtr r = q.valid ? c.catalog.find_relation(q.schema, q.name) : nullptr;
  if (r == nullptr) {
    const std::string message = "relation " + quoted(sql::name_list_text(table_name)) + " does not exist";
    return missing(c, s, sqlstate::kUndefinedTable, message, message);
  }
  if (kind == "rule" && r->kind == RelationKind::kView && name == "_RETURN") return unsupported(tag);
  const std::string object = std::string(kind) + " " + quoted(name) + " for ";
  const std::string end = quoted(r->name) + " does not exist";
  return missing(c, s, sqlstate::kUndefinedObject, object + "relation " + end,
                 object + (kind == "rule" ? "relation " : "table ") + end);
}

// f(integer, text); in notices types have PostgreSQL's internal names.
Result<std::string> signature(DdlContext& c, const PgQuery__ObjectWithArgs& f, bool as_written) {
  std::string out = sql::name_list_text(nodes(f.n_objname, f.objname)) + "(";
  const NodeList arguments = nodes(f.n_objargs, f.objargs);
  for (size_t i = 0; i < arguments.size(); i++) {
    const PgQuery__TypeName& type = *arguments[i]->type_name;
    if (i > 0) out += as_written ? "," : ", ";
    if (as_written) {
      out += sql::name_list_text(nodes(type.n_names, type.names));
      if (type.n_array_bounds > 0) out += "[]";
      continue;
    }
    INDIGO_ASSIGN(const TypeRef resolved, resolve_type(c, &type));
    out += type_text(c, {resolved.oid, -1, kInvalidOid});
  }
  return out + ")";
}

Status drop_routine(DdlContext& c, const PgQuery__DropStmt& s, std::string_view kind, const PgQuery__ObjectWithArgs& f,
                    const std::string& tag) {
  const NodeList name = nodes(f.n_objname, f.objname);
  const auto q = sql::qualified_name(name);
  if (!q.valid || !c.catalog.functions_named(q.schema, q.name).empty()) return unsupported(tag);
  INDIGO_ASSIGN(const std::string written, signature(c, f, true));
  const std::string skipped = std::string(kind) + " " + written + " does not exist";
  if (s.missing_ok) return missing(c, s, sqlstate::kUndefinedFunction, skipped, skipped);
  if (f.args_unspecified) {
    return Error(sqlstate::kUndefinedFunction,
                 "could not find a " + std::string(kind) + " named " + quoted(sql::name_list_text(name)));
  }
  INDIGO_ASSIGN(const std::string typed, signature(c, f, false));
  return Error(sqlstate::kUndefinedFunction, std::string(kind) + " " + typed + " does not exist");
}

}  // namespace

Status drop_absent(DdlContext& c, const PgQuery__DropStmt& s, const PgQuery__Node& object, const std::string& tag) {
  const NodeList list =
      is(&object, PG_QUERY__NODE__NODE_LIST) ? nodes(object.list->n_items, object.list->items) : NodeList();
  if (const std::string_view kind = kind_in(kNamed, s.remove_type); !kind.empty()) {
    const std::string name = list.empty() ? std::string(string_of(&object)) : sql::name_list_text(list);
    const std::string message = std::string(kind) + " " + quoted(name) + " does not exist";
    return missing(c, s, sqlstate::kUndefinedObject, message, message);
  }
  if (const std::string_view kind = kind_in(kOfTable, s.remove_type); !kind.empty() && list.size() >= 2) {
    return drop_of_table(c, s, kind, list, tag);
  }
  if (const std::string_view kind = kind_in(kRoutines, s.remove_type);
      !kind.empty() && is(&object, PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS)) {
    return drop_routine(c, s, kind, *object.object_with_args, tag);
  }
  return unsupported(tag);
}

Result<std::string> execute_create_extension(DdlContext& c, const PgQuery__CreateExtensionStmt& s) {
  const std::string name = quoted(s.extname);
  if (std::string_view(s.extname) != "plpgsql") {
    return Error(sqlstate::kFeatureNotSupported, "extension " + name + " is not available")
        .with_detail("Extensions are not supported.");
  }
  const std::string message = "extension " + name + " already exists";
  if (!s.if_not_exists) return Error(sqlstate::kDuplicateObject, message);
  notice(c, message + ", skipping", sqlstate::kDuplicateObject);
  return std::string("CREATE EXTENSION");
}

}  // namespace indigo::engine::ddl
