#include "engine/ddl/event/altered_object.h"

#include <algorithm>

#include "catalog/descriptor/policy_info.h"
#include "catalog/descriptor/rule_info.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

using Found = std::optional<Address>;

// A name out of a statement that has no node for it, as find_own_object() takes it.
class NameNode {
 public:
  explicit NameNode(const PgQuery__ObjectWithArgs* routine) {
    node_.node_case = PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS;
    node_.object_with_args = const_cast<PgQuery__ObjectWithArgs*>(routine);  // which is only read
  }
  explicit NameNode(char* name) {
    string_.sval = name;
    node_.node_case = PG_QUERY__NODE__NODE_STRING;
    node_.string = &string_;
  }
  explicit NameNode(NodeList names) : items_(names.begin(), names.end()) {
    list_.n_items = items_.size();
    list_.items = items_.data();
    node_.node_case = PG_QUERY__NODE__NODE_LIST;
    node_.list = &list_;
  }
  NameNode(const NameNode&) = delete;
  NameNode& operator=(const NameNode&) = delete;

  PgQuery__Node* get() { return &node_; }

 private:
  PgQuery__Node node_ = PG_QUERY__NODE__INIT;
  PgQuery__String string_ = PG_QUERY__STRING__INIT;
  PgQuery__List list_ = PG_QUERY__LIST__INIT;
  std::vector<PgQuery__Node*> items_;
};

Found own_object(DdlContext& c, PgQuery__ObjectType type, const PgQuery__Node* name) {
  if (name == nullptr) return {};
  const auto found = find_own_object(c, type, name);
  return found.ok() ? Found(*found) : Found();
}

Found own_object(DdlContext& c, PgQuery__ObjectType type, NodeList names) {
  NameNode name(names);
  return own_object(c, type, name.get());
}

Found own_object(DdlContext& c, PgQuery__ObjectType type, char* name) {
  NameNode node(name);
  return own_object(c, type, node.get());
}

Found own_object(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs* routine) {
  NameNode name(routine);
  return own_object(c, type, name.get());
}

Found type_named(DdlContext& c, NodeList names) {
  const auto q = sql::qualified_name(names);
  const TypePtr type = q.valid ? c.catalog.find_type(q.schema, q.name) : nullptr;
  return type == nullptr ? Found() : Address{pg_type::kOid, type->oid, 0};
}

// Relations are not locked here: the statement does that, in the mode that it needs.
RelationPtr relation_named(DdlContext& c, const PgQuery__RangeVar* name) {
  if (name == nullptr) return nullptr;
  return c.catalog.find_relation(name->schemaname == nullptr ? "" : name->schemaname, name->relname);
}

RelationPtr relation_named(DdlContext& c, NodeList names) {
  const auto q = sql::qualified_name(names);
  return q.valid ? RelationPtr(c.catalog.find_relation(q.schema, q.name)) : nullptr;
}

template <class Parts>
Found part_named(Oid class_id, const Parts& parts, std::string_view name) {
  const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.name == name; });
  return at == parts.end() ? Found() : Address{class_id, at->oid, 0};
}

Found part_of(const RelationPtr& relation, PgQuery__ObjectType type, std::string_view name) {
  if (relation == nullptr) return {};
  const RelationInfo& r = *relation;
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE: {
      const ColumnInfo* column = r.find_column(name);
      return column == nullptr ? Found() : Address{pg_class::kOid, r.oid, column->number};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT: return part_named(pg_constraint::kOid, r.constraints, name);
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: return part_named(catalog::pg_policy::kOid, r.policies, name);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      return r.triggers ? part_named(pg_trigger::kOid, r.triggers->triggers, name) : Found();
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE:
      return r.rules ? part_named(pg_rewrite::kOid, r.rules->rules, name) : Found();
    default: return Address{pg_class::kOid, r.oid, 0};
  }
}

bool is_part(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN || type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_POLICY || type == PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_RULE;
}

bool is_relation(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE || type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW || type == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE || type == PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE;
}

Found commented(DdlContext& c, const PgQuery__CommentStmt& s) {
  if (!is_part(s.objtype) && !is_relation(s.objtype)) return own_object(c, s.objtype, s.object);
  const NodeList names = nodes(s.object->list->n_items, s.object->list->items);
  if (is_relation(s.objtype)) return part_of(relation_named(c, names), s.objtype, {});
  return part_of(relation_named(c, names.first(names.size() - 1)), s.objtype, string_of(names.back()));
}

Found renamed(DdlContext& c, const PgQuery__RenameStmt& s) {
  if (s.relation != nullptr) return part_of(relation_named(c, s.relation), s.rename_type, s.subname);
  switch (s.rename_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: return own_object(c, s.rename_type, s.subname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN:
      return type_named(c, nodes(s.object->list->n_items, s.object->list->items));
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT: {
      PgQuery__TypeName type = PG_QUERY__TYPE_NAME__INIT;
      type.n_names = s.object->list->n_items;
      type.names = s.object->list->items;
      PgQuery__Node domain = PG_QUERY__NODE__INIT;
      domain.node_case = PG_QUERY__NODE__NODE_TYPE_NAME;
      domain.type_name = &type;
      NameNode constraint(s.subname);
      PgQuery__Node* names[] = {&domain, constraint.get()};
      return own_object(c, s.rename_type, NodeList(names));
    }
    default: return own_object(c, s.rename_type, s.object);
  }
}

// ALTER ... OWNER TO, SET SCHEMA, DEPENDS ON EXTENSION
Found named(DdlContext& c, PgQuery__ObjectType type, const PgQuery__RangeVar* relation, const PgQuery__Node* object) {
  if (relation != nullptr) {
    const RelationPtr r = relation_named(c, relation);
    if (!is_part(type)) return part_of(r, type, {});
    return part_of(r, type, string_of(is(object, PG_QUERY__NODE__NODE_LIST) ? object->list->items[0] : object));
  }
  const bool is_type = type == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE || type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN;
  if (is_type && is(object, PG_QUERY__NODE__NODE_LIST))
    return type_named(c, nodes(object->list->n_items, object->list->items));
  return own_object(c, type, object);
}

Found altered_family(DdlContext& c, const PgQuery__AlterOpFamilyStmt& s) {
  NameNode method(s.amname);
  std::vector<PgQuery__Node*> names{method.get()};
  names.insert(names.end(), s.opfamilyname, s.opfamilyname + s.n_opfamilyname);
  return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, NodeList(names));
}

// Of tables and schemas that it takes each is an object.
Found altered_publication(DdlContext& c, const PgQuery__AlterPublicationStmt& s) {
  if (s.n_options == 0) return {};
  return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION, s.pubname);
}

}  // namespace

std::optional<Address> altered_object(DdlContext& c, const PgQuery__Node& n) {
  switch (n.node_case) {
    case PG_QUERY__NODE__NODE_COMMENT_STMT: return commented(c, *n.comment_stmt);
    case PG_QUERY__NODE__NODE_RENAME_STMT: return renamed(c, *n.rename_stmt);
    case PG_QUERY__NODE__NODE_ALTER_OWNER_STMT: {
      const PgQuery__AlterOwnerStmt& s = *n.alter_owner_stmt;
      return named(c, s.object_type, s.relation, s.object);
    }
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT: {
      const PgQuery__AlterObjectSchemaStmt& s = *n.alter_object_schema_stmt;
      return named(c, s.object_type, s.relation, s.object);
    }
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_DEPENDS_STMT: {
      const PgQuery__AlterObjectDependsStmt& s = *n.alter_object_depends_stmt;
      return named(c, s.object_type, s.relation, s.object);
    }
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      return part_of(relation_named(c, n.alter_table_stmt->relation), n.alter_table_stmt->objtype, {});
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
      return part_of(relation_named(c, n.alter_seq_stmt->sequence), PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE, {});
    case PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT:
      return part_of(relation_named(c, n.refresh_mat_view_stmt->relation), PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW, {});
    case PG_QUERY__NODE__NODE_ALTER_POLICY_STMT:
      return part_of(relation_named(c, n.alter_policy_stmt->table), PG_QUERY__OBJECT_TYPE__OBJECT_POLICY,
                     n.alter_policy_stmt->policy_name);
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT:
      return own_object(c, n.alter_function_stmt->objtype, n.alter_function_stmt->func);
    case PG_QUERY__NODE__NODE_ALTER_OPERATOR_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR, n.alter_operator_stmt->opername);
    case PG_QUERY__NODE__NODE_ALTER_OP_FAMILY_STMT: return altered_family(c, *n.alter_op_family_stmt);
    case PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT:
      return type_named(c, nodes(n.alter_domain_stmt->n_type_name, n.alter_domain_stmt->type_name));
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
      return type_named(c, nodes(n.alter_enum_stmt->n_type_name, n.alter_enum_stmt->type_name));
    case PG_QUERY__NODE__NODE_ALTER_TYPE_STMT:
      return type_named(c, nodes(n.alter_type_stmt->n_type_name, n.alter_type_stmt->type_name));
    case PG_QUERY__NODE__NODE_ALTER_COLLATION_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION,
                        nodes(n.alter_collation_stmt->n_collname, n.alter_collation_stmt->collname));
    case PG_QUERY__NODE__NODE_ALTER_TSDICTIONARY_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY,
                        nodes(n.alter_tsdictionary_stmt->n_dictname, n.alter_tsdictionary_stmt->dictname));
    case PG_QUERY__NODE__NODE_ALTER_TSCONFIGURATION_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION,
                        nodes(n.alter_tsconfiguration_stmt->n_cfgname, n.alter_tsconfiguration_stmt->cfgname));
    case PG_QUERY__NODE__NODE_ALTER_STATS_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT,
                        nodes(n.alter_stats_stmt->n_defnames, n.alter_stats_stmt->defnames));
    case PG_QUERY__NODE__NODE_ALTER_FDW_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_FDW, n.alter_fdw_stmt->fdwname);
    case PG_QUERY__NODE__NODE_ALTER_FOREIGN_SERVER_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER, n.alter_foreign_server_stmt->servername);
    case PG_QUERY__NODE__NODE_ALTER_USER_MAPPING_STMT: return find_user_mapping(c, *n.alter_user_mapping_stmt);
    case PG_QUERY__NODE__NODE_ALTER_PUBLICATION_STMT: return altered_publication(c, *n.alter_publication_stmt);
    case PG_QUERY__NODE__NODE_ALTER_SUBSCRIPTION_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_SUBSCRIPTION, n.alter_subscription_stmt->subname);
    case PG_QUERY__NODE__NODE_ALTER_EXTENSION_CONTENTS_STMT:
      return own_object(c, PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION, n.alter_extension_contents_stmt->extname);
    default: return {};
  }
}

}  // namespace indigo::engine::ddl
