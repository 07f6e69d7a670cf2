#include "engine/ddl/drop/dropped_name.h"

#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

struct Name {
  NodeList parts;
  bool relation = false;  // a relation's, or that of what belongs to one
};

Name name_in_list(PgQuery__ObjectType type, NodeList list) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE: return {list, true};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: return {list.first(list.size() - 1), true};
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS:
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY: return {list.subspan(1)};  // behind the access method's
    default: return {list};
  }
}

Name name_of(PgQuery__ObjectType type, const PgQuery__Node& object) {
  switch (object.node_case) {
    case PG_QUERY__NODE__NODE_LIST: {
      const NodeList list = nodes(object.list->n_items, object.list->items);
      if (list.empty()) return {};
      if (is(list[0], PG_QUERY__NODE__NODE_TYPE_NAME)) return name_of(type, *list[0]);  // casts, transforms
      return name_in_list(type, list);
    }
    case PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS:
      return {nodes(object.object_with_args->n_objname, object.object_with_args->objname)};
    case PG_QUERY__NODE__NODE_TYPE_NAME: return {nodes(object.type_name->n_names, object.type_name->names)};
    default: return {};
  }
}

}  // namespace

Status check_dropped_name(DdlContext& c, PgQuery__ObjectType type, const PgQuery__Node& object) {
  const Name name = name_of(type, object);
  if (name.parts.size() < 3) return {};
  const std::string text = sql::name_list_text(name.parts);
  const auto q = sql::qualified_name(name.parts);
  if (!q.valid) {
    return Error(sqlstate::kSyntaxError, std::string("improper ") + (name.relation ? "relation" : "qualified") +
                                             " name (too many dotted names): " + text);
  }
  if (q.database == c.catalog.database_name()) return {};
  return Error(sqlstate::kFeatureNotSupported,
               "cross-database references are not implemented: " + (name.relation ? quoted(text) : text));
}

}  // namespace indigo::engine::ddl
