#include "sql/parse/node.h"

#include "sql/parse/parse_tree.h"

namespace indigo::sql {

QualifiedName qualified_name(NodeList parts) {
  QualifiedName q;
  switch (parts.size()) {
    case 1: q.name = string_of(parts[0]); break;
    case 2:
      q.schema = string_of(parts[0]);
      q.name = string_of(parts[1]);
      break;
    case 3:
      q.database = string_of(parts[0]);
      q.schema = string_of(parts[1]);
      q.name = string_of(parts[2]);
      break;
    default: q.valid = false;
  }
  return q;
}

std::string name_list_text(NodeList parts) {
  std::string out;
  for (const PgQuery__Node* part : parts) {
    if (!out.empty()) out += '.';
    out += is(part, PG_QUERY__NODE__NODE_A_STAR) ? std::string_view("*") : string_of(part);
  }
  return out;
}

std::vector<std::string> strings_of(NodeList parts) {
  std::vector<std::string> out;
  out.reserve(parts.size());
  for (const PgQuery__Node* part : parts) out.emplace_back(string_of(part));
  return out;
}

namespace {

// The leftmost of an expression's own location and its first operand's, as PostgreSQL's exprLocation.
int leftmost(int own, const PgQuery__Node* operand) {
  const int other = absent(operand) ? -1 : location_of(operand);
  if (own < 0) return other;
  if (other < 0) return own;
  return std::min(own, other);
}

int first_location(NodeList list) {
  for (const PgQuery__Node* n : list) {
    const int at = absent(n) ? -1 : location_of(n);
    if (at >= 0) return at;
  }
  return -1;
}

}  // namespace

int location_of(const PgQuery__Node* n) {
  if (n == nullptr) return -1;
  switch (n->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST: return n->a_const->location;
    case PG_QUERY__NODE__NODE_COLUMN_REF: return n->column_ref->location;
    case PG_QUERY__NODE__NODE_PARAM_REF: return n->param_ref->location;
    case PG_QUERY__NODE__NODE_A_EXPR: return leftmost(n->a_expr->location, n->a_expr->lexpr);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return leftmost(n->func_call->location, n->func_call->n_args ? n->func_call->args[0] : nullptr);
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: return n->a_array_expr->location;
    case PG_QUERY__NODE__NODE_A_INDIRECTION: return location_of(n->a_indirection->arg);
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      const int at = leftmost(n->type_cast->location, n->type_cast->arg);
      const int type_at = n->type_cast->type_name ? n->type_cast->type_name->location : -1;
      return at < 0 ? type_at : (type_at < 0 ? at : std::min(at, type_at));
    }
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return location_of(n->collate_clause->arg);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return leftmost(n->bool_expr->location, n->bool_expr->n_args ? n->bool_expr->args[0] : nullptr);
    case PG_QUERY__NODE__NODE_SUB_LINK: return leftmost(n->sub_link->location, n->sub_link->testexpr);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return n->case_expr->location;
    case PG_QUERY__NODE__NODE_CASE_WHEN: return n->case_when->location;
    case PG_QUERY__NODE__NODE_ROW_EXPR: return n->row_expr->location;
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: return n->coalesce_expr->location;
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: return n->min_max_expr->location;
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: return n->sqlvalue_function->location;
    case PG_QUERY__NODE__NODE_NULL_TEST: return leftmost(n->null_test->location, n->null_test->arg);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return leftmost(n->boolean_test->location, n->boolean_test->arg);
    case PG_QUERY__NODE__NODE_SET_TO_DEFAULT: return n->set_to_default->location;
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: return n->grouping_func->location;
    case PG_QUERY__NODE__NODE_GROUPING_SET: return n->grouping_set->location;
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR: return n->named_arg_expr->location;
    case PG_QUERY__NODE__NODE_RES_TARGET:
      return n->res_target->location >= 0 ? n->res_target->location : location_of(n->res_target->val);
    case PG_QUERY__NODE__NODE_TYPE_NAME: return n->type_name->location;
    case PG_QUERY__NODE__NODE_RANGE_VAR: return n->range_var->location;
    case PG_QUERY__NODE__NODE_SORT_BY: return location_of(n->sort_by->node);
    case PG_QUERY__NODE__NODE_WINDOW_DEF: return n->window_def->location;
    case PG_QUERY__NODE__NODE_XML_EXPR: return n->xml_expr->location;
    case PG_QUERY__NODE__NODE_LIST: return first_location(nodes(n->list->n_items, n->list->items));
    case PG_QUERY__NODE__NODE_COMMON_TABLE_EXPR: return n->common_table_expr->location;
    case PG_QUERY__NODE__NODE_INFER_CLAUSE: return n->infer_clause->location;
    case PG_QUERY__NODE__NODE_SELECT_STMT: {
      const PgQuery__SelectStmt* s = n->select_stmt;
      return first_location(nodes(s->n_target_list, s->target_list));
    }
    default: return -1;
  }
}

namespace {

// What a Node is one of: it has a field for each of 250 kinds, all in one place.
const ProtobufCMessage* node_message(const ProtobufCMessage* node) {
  const auto* n = reinterpret_cast<const PgQuery__Node*>(node);
  return n->node_case == PG_QUERY__NODE__NODE__NOT_SET ? nullptr : &n->alias->base;
}

}  // namespace

void walk_tree(const ProtobufCMessage* root, const std::function<bool(const ProtobufCMessage*)>& visit) {
  if (root == nullptr || !visit(root)) return;
  if (root->descriptor == &pg_query__node__descriptor) return walk_tree(node_message(root), visit);
  const ProtobufCMessageDescriptor* d = root->descriptor;
  const char* base = reinterpret_cast<const char*>(root);
  for (unsigned i = 0; i < d->n_fields; i++) {
    const ProtobufCFieldDescriptor& f = d->fields[i];
    if (f.type != PROTOBUF_C_TYPE_MESSAGE) continue;
    if (f.label == PROTOBUF_C_LABEL_REPEATED) {
      const size_t count = *reinterpret_cast<const size_t*>(base + f.quantifier_offset);
      auto* const* items = *reinterpret_cast<ProtobufCMessage* const* const*>(base + f.offset);
      for (size_t k = 0; k < count; k++) walk_tree(items[k], visit);
    } else {
      // A member of a oneof counts only when its case says so.
      if ((f.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
          *reinterpret_cast<const uint32_t*>(base + f.quantifier_offset) != f.id) {
        continue;
      }
      walk_tree(*reinterpret_cast<ProtobufCMessage* const*>(base + f.offset), visit);
    }
  }
}

namespace {

template <class T>
const T& member(const ProtobufCMessage* m, size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(m) + offset);
}

bool equal_fields(const ProtobufCMessage* a, const ProtobufCMessage* b, const ProtobufCFieldDescriptor& f) {
  if (f.label == PROTOBUF_C_LABEL_REPEATED) {
    const size_t count = member<size_t>(a, f.quantifier_offset);
    if (count != member<size_t>(b, f.quantifier_offset)) return false;
    if (f.type != PROTOBUF_C_TYPE_MESSAGE) return count == 0;  // the statements read here repeat messages only
    for (size_t i = 0; i < count; i++) {
      if (!equal_trees(member<ProtobufCMessage* const*>(a, f.offset)[i],
                       member<ProtobufCMessage* const*>(b, f.offset)[i])) {
        return false;
      }
    }
    return true;
  }
  if ((f.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
    const uint32_t kind = member<uint32_t>(a, f.quantifier_offset);
    if (kind != member<uint32_t>(b, f.quantifier_offset)) return false;
    if (kind != f.id) return true;
  }
  switch (f.type) {
    case PROTOBUF_C_TYPE_MESSAGE:
      return equal_trees(member<const ProtobufCMessage*>(a, f.offset), member<const ProtobufCMessage*>(b, f.offset));
    case PROTOBUF_C_TYPE_STRING: {
      const char *x = member<const char*>(a, f.offset), *y = member<const char*>(b, f.offset);
      return std::string_view(x ? x : "") == std::string_view(y ? y : "");
    }
    case PROTOBUF_C_TYPE_BOOL:
      return member<protobuf_c_boolean>(a, f.offset) == member<protobuf_c_boolean>(b, f.offset);
    default: return member<uint32_t>(a, f.offset) == member<uint32_t>(b, f.offset);
  }
}

}  // namespace

bool equal_trees(const ProtobufCMessage* a, const ProtobufCMessage* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->descriptor != b->descriptor) return false;
  if (a->descriptor == &pg_query__node__descriptor) return equal_trees(node_message(a), node_message(b));
  for (unsigned i = 0; i < a->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor& f = a->descriptor->fields[i];
    if (std::string_view(f.name) != "location" && !equal_fields(a, b, f)) return false;
  }
  return true;
}

}  // namespace indigo::sql
