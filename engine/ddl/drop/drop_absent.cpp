#include "engine/ddl/drop/drop_absent.h"

#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/statement/utility_statement.h"
#include "sql/analyze/type/type_name.h"

namespace indigo::engine::ddl {

namespace {

struct Kind {
  PgQuery__ObjectType type;
  std::string_view name;  // as messages say it
};
// Kinds whose objects have a name of their own.
constexpr Kind kNamed[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER, "event trigger"},
};
// Kinds whose objects belong to a table.
constexpr Kind kOfTable[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_RULE, "rule"},
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

Status drop_of_table(DdlContext& c, const PgQuery__DropStmt& s, std::string_view kind, NodeList names) {
  const std::string name(string_of(names.back()));
  const NodeList table_name = names.first(names.size() - 1);
  const auto q = sql::qualified_name(table_name);
  const RelationPtr r = q.valid ? c.catalog.find_relation(q.schema, q.name) : nullptr;
  if (r == nullptr) {
    const std::string message = "relation " + quoted(sql::name_list_text(table_name)) + " does not exist";
    return missing(c, s, sqlstate::kUndefinedTable, message, message);
  }
  if (kind == "rule" && r->kind == RelationKind::kView && name == "_RETURN") return unsupported("DROP RULE of a view");
  const std::string object = std::string(kind) + " " + quoted(name) + " for ";
  const std::string absent = " does not exist";
  return missing(c, s, sqlstate::kUndefinedObject,
                 object + "relation " + quoted(sql::name_list_text(table_name)) + absent,
                 object + (kind == "rule" ? "relation " : "table ") + quoted(r->name) + absent);
}

// None can be made. Of a type and a language.
Status drop_transform(DdlContext& c, const PgQuery__DropStmt& s, const PgQuery__TypeName& name,
                      std::string_view language) {
  auto type = resolve_type(c, &name);
  if (!type.ok()) {
    type.error().position = 0;
    return missing(c, s, type.error().state, type.error().message, type.error().message);
  }
  bool known = false;
  table(c, catalog::pg_language::kOid).scan(c.txn, {}, [&](RowReader row) {
    known = row.str(catalog::pg_language::c_lanname) == language;
    return !known;
  });
  if (!known && !s.missing_ok)
    return Error(sqlstate::kUndefinedObject, "language " + quoted(language) + " does not exist");
  const auto text = [&](const std::string& of) {
    return "transform for type " + of + " language " + quoted(language) + " does not exist";
  };
  return missing(c, s, sqlstate::kUndefinedObject, text(sql::type_name_text(&name)), text(type_text(c, *type)));
}

}  // namespace

Status drop_absent(DdlContext& c, const PgQuery__DropStmt& s, const PgQuery__Node& object) {
  const NodeList list =
      is(&object, PG_QUERY__NODE__NODE_LIST) ? nodes(object.list->n_items, object.list->items) : NodeList();
  if (const std::string_view kind = kind_in(kNamed, s.remove_type); !kind.empty()) {
    const std::string name = list.empty() ? std::string(string_of(&object)) : sql::name_list_text(list);
    const std::string message = std::string(kind) + " " + quoted(name) + " does not exist";
    return missing(c, s, sqlstate::kUndefinedObject, message, message);
  }
  if (const std::string_view kind = kind_in(kOfTable, s.remove_type); !kind.empty() && list.size() >= 2) {
    return drop_of_table(c, s, kind, list);
  }
  if (s.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TRANSFORM && list.size() == 2)
    return drop_transform(c, s, *list[0]->type_name, string_of(list[1]));
  return unsupported("DROP " + std::string(object_type_name(s.remove_type)));
}

}  // namespace indigo::engine::ddl
