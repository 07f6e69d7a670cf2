#include "sql/parse/name_roles.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {

namespace {

template <class T>
const T& field_of(const ProtobufCMessage* m, size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(m) + offset);
}

bool is_star(const PgQuery__Node* value) {
  if (is(value, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    const PgQuery__ColumnRef& ref = *value->column_ref;
    return ref.n_fields > 0 && is(ref.fields[ref.n_fields - 1], PG_QUERY__NODE__NODE_A_STAR);
  }
  if (is(value, PG_QUERY__NODE__NODE_A_INDIRECTION)) {
    const PgQuery__AIndirection& part = *value->a_indirection;
    return part.n_indirection > 0 && is(part.indirection[part.n_indirection - 1], PG_QUERY__NODE__NODE_A_STAR);
  }
  return false;
}

// Whether a column without a label is called by a word of the text.
bool names_itself(const PgQuery__Node* value) {
  if (is(value, PG_QUERY__NODE__NODE_FUNC_CALL))
    return value->func_call->funcformat == PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;  // TRIM is btrim
  return is(value, PG_QUERY__NODE__NODE_COLUMN_REF);
}

class RoleFinder {
 public:
  explicit RoleFinder(std::span<const std::string_view> names) {
    roles_.names.resize(names.size());
    for (size_t i = 0; i < names.size(); i++) numbers_.emplace(names[i], static_cast<uint32_t>(i));
  }

  NameRoles find(const PgQuery__Node& statement) {
    switch (statement.node_case) {
      case PG_QUERY__NODE__NODE_SELECT_STMT: select(*statement.select_stmt); break;
      case PG_QUERY__NODE__NODE_INSERT_STMT: {
        const PgQuery__InsertStmt& insert = *statement.insert_stmt;
        results(nodes(insert.n_returning_list, insert.returning_list));
        break;
      }
      case PG_QUERY__NODE__NODE_UPDATE_STMT: {
        const PgQuery__UpdateStmt& update = *statement.update_stmt;
        results(nodes(update.n_returning_list, update.returning_list));
        break;
      }
      case PG_QUERY__NODE__NODE_DELETE_STMT: {
        const PgQuery__DeleteStmt& erase = *statement.delete_stmt;
        results(nodes(erase.n_returning_list, erase.returning_list));
        break;
      }
      default: unclear_ = true;
    }
    visit(&statement.base);
    if (unclear_) {
      for (NameRole& role : roles_.names) role.other++;
    }
    return std::move(roles_);
  }

 private:
  NameRole* role(const char* name) {
    if (name == nullptr) return nullptr;
    const auto at = numbers_.find(std::string_view(name));
    return at == numbers_.end() ? nullptr : &roles_.names[at->second];
  }
  void own(const char* name) {
    if (NameRole* found = role(name)) found->own++;
  }
  void other(const char* name) {
    if (NameRole* found = role(name)) found->other++;
  }

  void select(const PgQuery__SelectStmt& select) {
    if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) return;
    const NodeList targets = nodes(select.n_target_list, select.target_list);
    results(targets);
    // A label in ORDER BY is one as long as no other column may be called so.
    const bool clear = std::all_of(targets.begin(), targets.end(), [](const PgQuery__Node* target) {
      return has_text(target->res_target->name) || names_itself(target->res_target->val);
    });
    if (!clear || labelled_.empty()) return;
    for (const PgQuery__Node* key : nodes(select.n_sort_clause, select.sort_clause)) {
      if (!is(key, PG_QUERY__NODE__NODE_SORT_BY)) continue;
      const PgQuery__Node* value = key->sort_by->node;
      if (!is(value, PG_QUERY__NODE__NODE_COLUMN_REF) || value->column_ref->n_fields != 1) continue;
      const std::string_view name = string_of(value->column_ref->fields[0]);
      const bool labels = std::any_of(targets.begin(), targets.end(), [&](const PgQuery__Node* target) {
        return has_text(target->res_target->name) && name == target->res_target->name;
      });
      if (labels) orders_.push_back(value->column_ref);
    }
  }

  // Of the statement's own result.
  void results(NodeList targets) {
    for (const PgQuery__Node* target : targets) {
      if (!is(target, PG_QUERY__NODE__NODE_RES_TARGET) || is_star(target->res_target->val)) return;
    }
    for (size_t i = 0; i < targets.size(); i++) {
      const PgQuery__ResTarget* target = targets[i]->res_target;
      if (!has_text(target->name)) continue;
      labelled_.push_back(target);
      if (const auto at = numbers_.find(std::string_view(target->name)); at != numbers_.end())
        roles_.labels.push_back({static_cast<uint32_t>(i), at->second});
    }
    roles_.columns = static_cast<uint32_t>(targets.size());
  }

  template <class T>
  static bool among(const std::vector<const T*>& list, const T* one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  }

  // A relation's alias: what its columns are called is something else.
  void alias(const PgQuery__Alias* alias) {
    if (alias == nullptr) return;
    own(alias->aliasname);
    for (const PgQuery__Node* column : nodes(alias->n_colnames, alias->colnames)) visit(&column->base);
  }

  void visit(const ProtobufCMessage* m) {
    if (m == nullptr) return;
    if (m->descriptor == &pg_query__node__descriptor) {
      const auto* node = reinterpret_cast<const PgQuery__Node*>(m);
      if (!absent(node)) visit(&node->alias->base);
      return;
    }
    if (m->descriptor == &pg_query__range_var__descriptor) {
      const auto* relation = reinterpret_cast<const PgQuery__RangeVar*>(m);
      other(relation->catalogname);
      other(relation->schemaname);
      other(relation->relname);
      return alias(relation->alias);
    }
    if (m->descriptor == &pg_query__range_subselect__descriptor) {
      const auto* subselect = reinterpret_cast<const PgQuery__RangeSubselect*>(m);
      if (subselect->alias == nullptr) unclear_ = true;
      alias(subselect->alias);
      return visit(&subselect->subquery->base);
    }
    if (m->descriptor == &pg_query__range_function__descriptor) {
      unclear_ = unclear_ || reinterpret_cast<const PgQuery__RangeFunction*>(m)->alias == nullptr;
    } else if (m->descriptor == &pg_query__locking_clause__descriptor) {
      const auto* locking = reinterpret_cast<const PgQuery__LockingClause*>(m);
      for (const PgQuery__Node* relation : nodes(locking->n_locked_rels, locking->locked_rels)) {
        if (is(relation, PG_QUERY__NODE__NODE_RANGE_VAR)) own(relation->range_var->relname);
      }
      return;
    } else if (m->descriptor == &pg_query__column_ref__descriptor) {
      const auto* ref = reinterpret_cast<const PgQuery__ColumnRef*>(m);
      size_t first_other = 0;
      if (ref->n_fields == 2 || among(orders_, ref)) {
        if (is(ref->fields[0], PG_QUERY__NODE__NODE_STRING)) own(ref->fields[0]->string->sval);
        first_other = 1;
      }
      for (size_t i = first_other; i < ref->n_fields; i++) visit(&ref->fields[i]->base);
      return;
    } else if (m->descriptor == &pg_query__res_target__descriptor) {
      const auto* target = reinterpret_cast<const PgQuery__ResTarget*>(m);
      if (among(labelled_, target)) {
        own(target->name);
        return visit(&target->val->base);
      }
    }
    fields(m);
  }

  void fields(const ProtobufCMessage* m) {
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
      const ProtobufCFieldDescriptor& f = m->descriptor->fields[i];
      const bool repeated = f.label == PROTOBUF_C_LABEL_REPEATED;
      if (!repeated && (f.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
          field_of<uint32_t>(m, f.quantifier_offset) != f.id)
        continue;
      const size_t count = repeated ? field_of<size_t>(m, f.quantifier_offset) : 1;
      if (f.type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessage* const* items = repeated ? field_of<const ProtobufCMessage* const*>(m, f.offset)
                                                        : &field_of<const ProtobufCMessage*>(m, f.offset);
        for (size_t k = 0; k < count; k++) visit(items[k]);
      } else if (f.type == PROTOBUF_C_TYPE_STRING) {
        const char* const* items =
            repeated ? field_of<const char* const*>(m, f.offset) : &field_of<const char*>(m, f.offset);
        for (size_t k = 0; k < count; k++) other(items[k]);
      }
    }
  }

  absl::flat_hash_map<std::string_view, uint32_t> numbers_;
  NameRoles roles_;
  std::vector<const PgQuery__ResTarget*> labelled_;  // of the result
  std::vector<const PgQuery__ColumnRef*> orders_;    // that name labels
  bool unclear_ = false;
};

}  // namespace

NameRoles name_roles(const PgQuery__Node& statement, std::span<const std::string_view> names) {
  return RoleFinder(names).find(statement);
}

}  // namespace indigo::sql
