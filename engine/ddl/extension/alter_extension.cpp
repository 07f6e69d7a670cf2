#include <algorithm>
#include <deque>

#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "storage/transaction.h"
#include "types/extension/extension.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

Status update(DdlContext& c, const types::Extension& extension, const InstalledExtension& installed,
              const std::vector<types::ExtensionScript>& scripts) {
  for (const types::ExtensionScript& script : scripts) {
    INDIGO_TRY(update_row(c, pg_extension::kOid, {Datum::of_oid(installed.oid)},
                          [&](RowValues& v) { v.str(pg_extension::c_extversion, script.to); }));
    c.txn.next_command();
    INDIGO_TRY(run_script(c, extension, script.definitions, installed.oid, installed.schema));
  }
  return {};
}

}  // namespace

Status execute_alter_extension(DdlContext& c, const PgQuery__AlterExtensionStmt& s) {
  INDIGO_ASSIGN(const InstalledExtension e, own_extension(c, s.extname));
  const types::Extension* const built_in = types::find_extension(e.name);
  std::string to(built_in == nullptr ? e.version : built_in->version);
  for (const PgQuery__Node* option : nodes(s.n_options, s.options)) to = text_value(option->def_elem->arg);
  if (to != e.version) {
    const auto scripts = built_in == nullptr ? std::nullopt : types::scripts_between(*built_in, e.version, to);
    if (scripts) return update(c, *built_in, e, *scripts);
    return Error(sqlstate::kInvalidParameterValue, "extension " + quoted(e.name) + " has no update path from version " +
                                                       quoted(e.version) + " to version " + quoted(to));
  }
  notice(c, "version " + quoted(to) + " of extension " + quoted(e.name) + " is already installed");
  return {};
}

Status execute_alter_extension_contents(DdlContext& c, const PgQuery__AlterExtensionContentsStmt& s) {
  INDIGO_ASSIGN(const InstalledExtension e, own_extension(c, s.extname));
  INDIGO_ASSIGN(const Address object, find_own_object(c, s.objtype, s.object));
  const Address extension{pg_extension::kOid, e.oid, 0};
  const auto references = references_of(c, object);
  const auto member =
      std::find_if(references.begin(), references.end(), [](const Dependent& d) { return d.type == 'e'; });
  if (s.action > 0) {
    if (object.class_id == pg_namespace::kOid && object.object == e.schema) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot add schema " + quoted(c.catalog.schema_name(object.object)) + " to extension " +
                       quoted(e.name) + " because the schema contains the extension");
    }
    if (member != references.end()) {
      return Error(sqlstate::kObjectNotInPrerequisiteState, describe(c, object) + " is already a member of " +
                                                                "extension " +
                                                                quoted(describe(c, member->address).substr(10)));
    }
    INDIGO_TRY(record_dependency(c, object, extension, 'e'));
  } else {
    if (member == references.end() || member->address != extension) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   describe(c, object) + " is not a member of extension " + quoted(e.name));
    }
    INDIGO_TRY(remove_dependency(c, object, extension));
  }
  return {};
}

namespace {

// Which column of this catalog says the schema that an object of an extension lies in; nothing for other catalogs.
std::optional<int> schema_column(Oid catalog) {
  switch (catalog) {
    case pg_proc::kOid: return pg_proc::c_pronamespace;
    case pg_type::kOid: return pg_type::c_typnamespace;
    case catalog::pg_operator::kOid: return catalog::pg_operator::c_oprnamespace;
    case catalog::pg_opclass::kOid: return catalog::pg_opclass::c_opcnamespace;
    case catalog::pg_opfamily::kOid: return catalog::pg_opfamily::c_opfnamespace;
    default: return std::nullopt;
  }
}

// The names of a relation and of what is on it, as other statements have them: one list.
class NameList {
 public:
  void add(char* name) {
    if (name == nullptr || *name == '\0') return;
    PgQuery__String& text = texts_.emplace_back();
    pg_query__string__init(&text);
    text.sval = name;
    PgQuery__Node& node = nodes_.emplace_back();
    pg_query__node__init(&node);
    node.node_case = PG_QUERY__NODE__NODE_STRING;
    node.string = &text;
    items_.push_back(&node);
  }
  // Valid while this is.
  const PgQuery__Node* node() {
    pg_query__list__init(&list_);
    list_.n_items = items_.size();
    list_.items = items_.data();
    pg_query__node__init(&whole_);
    whole_.node_case = PG_QUERY__NODE__NODE_LIST;
    whole_.list = &list_;
    return &whole_;
  }

 private:
  std::deque<PgQuery__String> texts_;
  std::deque<PgQuery__Node> nodes_;
  std::vector<PgQuery__Node*> items_;
  PgQuery__List list_;
  PgQuery__Node whole_;
};

}  // namespace

Status execute_depends_on_extension(DdlContext& c, const PgQuery__AlterObjectDependsStmt& s) {
  NameList names;
  if (s.relation != nullptr) {
    names.add(s.relation->catalogname);
    names.add(s.relation->schemaname);
    names.add(s.relation->relname);
    if (s.object != nullptr)
      for (const PgQuery__Node* name : nodes(s.object->list->n_items, s.object->list->items))
        names.add(name->string->sval);
  }
  INDIGO_ASSIGN(const Address object,
                find_own_object(c, s.object_type, s.relation != nullptr ? names.node() : s.object));
  const auto extension = installed_extension(c, s.extname->sval);
  if (!extension) return Error(sqlstate::kUndefinedObject, "extension " + quoted(s.extname->sval) + " does not exist");
  INDIGO_TRY(hold(c, object));
  const Address on{pg_extension::kOid, extension->oid, 0};
  const auto references = references_of(c, object);
  const bool there = std::any_of(references.begin(), references.end(),
                                 [&](const Dependent& d) { return d.type == 'x' && d.address == on; });
  if (there == !s.remove) return {};
  return s.remove ? remove_dependency(c, object, on) : record_dependency(c, object, on, 'x');
}

Status move_extension(DdlContext& c, std::string_view name, std::string_view schema_name) {
  INDIGO_ASSIGN(const InstalledExtension e, own_extension(c, name));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, schema_name));
  INDIGO_TRY(check_may_move(c, e.schema, schema));
  if (!e.relocatable)
    return Error(sqlstate::kFeatureNotSupported, "extension " + quoted(name) + " does not support SET SCHEMA");
  if (schema == e.schema) return {};
  const Address self{pg_extension::kOid, e.oid, 0}, from{pg_namespace::kOid, e.schema, 0},
      to{pg_namespace::kOid, schema, 0};
  for (const Dependent& member : dependents_of(c, self)) {
    if (member.type != 'e') continue;
    const Address& a = member.address;
    if (a.class_id == catalog::pg_cast::kOid) continue;  // in no schema
    const std::optional<int> column = schema_column(a.class_id);
    if (!column) return unsupported("moving " + describe(c, a) + " with its extension");
    const auto move = [&](Oid object) {
      return update_row(c, a.class_id, {Datum::of_oid(object)}, [&](RowValues& v) { v.oid(*column, schema); });
    };
    INDIGO_TRY(move(a.object));
    const TypePtr type = a.class_id == pg_type::kOid ? c.catalog.type(a.object) : nullptr;
    if (type != nullptr && type->array != kInvalidOid) INDIGO_TRY(move(type->array));
    INDIGO_TRY(change_dependency(c, a, from, to));
  }
  INDIGO_TRY(update_row(c, pg_extension::kOid, {Datum::of_oid(e.oid)},
                        [&](RowValues& v) { v.oid(pg_extension::c_extnamespace, schema); }));
  INDIGO_TRY(change_dependency(c, self, from, to));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
