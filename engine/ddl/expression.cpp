#include "engine/ddl/expression.h"

#include <algorithm>
#include <set>

#include "sql/analyze/analyzer.h"
#include "sql/expr.h"
#include "sql/parse/parser.h"

namespace indigo::engine::ddl {

namespace {

std::string_view place_of(ExpressionUse use) {
  switch (use) {
    case ExpressionUse::kDefault: return "DEFAULT expressions";
    case ExpressionUse::kGenerated: return "column generation expressions";
    case ExpressionUse::kCheck:
    case ExpressionUse::kDomainCheck: return "check constraints";
    case ExpressionUse::kIndex: return "index expressions";
    case ExpressionUse::kIndexPredicate: return "index predicates";
    case ExpressionUse::kUsing: return "transform expressions";
    case ExpressionUse::kPartitionKey: return "partition key expressions";
    case ExpressionUse::kPartitionBound: return "partition bound";
  }
  return "expressions";
}

std::string_view singular_place(ExpressionUse use) {
  switch (use) {
    case ExpressionUse::kDefault: return "DEFAULT expression";
    case ExpressionUse::kGenerated: return "column generation expression";
    case ExpressionUse::kCheck:
    case ExpressionUse::kDomainCheck: return "check constraint";
    case ExpressionUse::kIndex: return "index expression";
    case ExpressionUse::kIndexPredicate: return "index predicate";
    case ExpressionUse::kUsing: return "transform expression";
    case ExpressionUse::kPartitionKey: return "partition key expression";
    case ExpressionUse::kPartitionBound: return "partition bound";
  }
  return "expression";
}

// text || any and any || text.
constexpr Oid kTextAnyCat{2003}, kAnyTextCat{2004};

struct Collector {
  DdlContext& c;
  std::set<int16_t> columns;
  std::set<Address> references;
  bool immutable = true, constant = true;
  std::string_view forbidden;  // "aggregate functions" ...
  bool subquery = false;

  void function(Oid f) {
    const auto info = c.catalog.function(f);
    if (info == nullptr) return;
    if (info->volatility != catalog::Volatility::kImmutable) immutable = false;
    if (info->volatility == catalog::Volatility::kVolatile) constant = false;
    if (f >= oid::kFirstUserOid) references.insert({pg_proc::kOid, f, 0});
  }
  // A cast through text is what the types' output and input functions are: dates' depend on the session's settings.
  void text_form(Oid from, Oid to) {
    const auto source = c.catalog.type(from), target = c.catalog.type(to);
    if (source != nullptr) function(source->output);
    if (target != nullptr) function(target->input);
  }
  void type(Oid t) {
    if (t >= oid::kFirstUserOid) references.insert({pg_type::kOid, t, 0});
  }

  void visit(const sql::Expr& e) {
    type(e.type.oid);
    switch (e.kind) {
      case sql::ExprKind::kCollate:
        if (e.type.collation >= oid::kFirstUserOid) references.insert({pg_collation::kOid, e.type.collation, 0});
        break;
      case sql::ExprKind::kVar: {
        const int column = sql::as<sql::VarExpr>(e).column;
        if (column >= 0) columns.insert(static_cast<int16_t>(column + 1));
        constant = false;
        break;
      }
      case sql::ExprKind::kConst: {
        const Datum& d = sql::as<sql::ConstExpr>(e).value.get();
        if (e.type.oid == oid::kRegClass && !d.null && d.oid() >= oid::kFirstUserOid) {
          references.insert({pg_class::kOid, d.oid(), 0});
        }
        break;
      }
      case sql::ExprKind::kCall: {
        const auto& call = sql::as<sql::CallExpr>(e);
        if (call.function == kTextAnyCat || call.function == kAnyTextCat) {
          // In PostgreSQL these are SQL functions around a cast.
          text_form(call.arguments[call.function == kTextAnyCat ? 1 : 0]->type.oid, oid::kText);
        } else {
          function(call.function);
        }
        if (call.returns_set) forbidden = "set-returning functions are";
        break;
      }
      case sql::ExprKind::kArrayCompare: function(sql::as<sql::ArrayCompareExpr>(e).function); break;
      case sql::ExprKind::kSessionValue: immutable = false; break;
      case sql::ExprKind::kAggregate: forbidden = "aggregate functions are"; break;
      case sql::ExprKind::kWindowCall: forbidden = "window functions are"; break;
      case sql::ExprKind::kSubLink:
      case sql::ExprKind::kSubPlan: subquery = true; break;
      case sql::ExprKind::kIoCast: text_form(sql::as<sql::IoCastExpr>(e).argument->type.oid, e.type.oid); break;
      default: break;
    }
    sql::for_each_child(e, [&](const sql::ExprPtr& child) {
      if (child) visit(*child);
    });
  }
};

// Does the tree name a column? Asked before analysis where columns are not allowed.
int first_column_reference(const PgQuery__Node* node) {
  int location = -1;
  sql::walk_tree(&node->base, [&](const ProtobufCMessage* m) {
    if (location < 0 && m->descriptor == &pg_query__column_ref__descriptor) {
      location = reinterpret_cast<const PgQuery__ColumnRef*>(m)->location;
    }
    return location < 0;
  });
  return location;
}

}  // namespace

Result<StoredExpression> store_expression(DdlContext& c, const PgQuery__Node* node, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target) {
  if (use == ExpressionUse::kDefault || use == ExpressionUse::kPartitionBound) {
    if (const int at = first_column_reference(node); at >= 0) {
      return Error(sqlstate::kFeatureNotSupported, use == ExpressionUse::kDefault
                                                       ? "cannot use column reference in DEFAULT expression"
                                                       : "cannot use column reference in partition bound expression")
          .at(position(c, at));
    }
  }
  const bool condition = use == ExpressionUse::kCheck || use == ExpressionUse::kIndexPredicate;
  if (condition) {
    const auto plain = sql::analyze_to_print(c.host.session(), node, c.text, relation, TypeRef{});
    const auto info = plain.ok() ? c.catalog.type((*plain)->type.oid) : nullptr;
    const Oid base = info == nullptr ? oid::kBool : info->kind == 'd' ? info->base : info->oid;
    const bool literal = base == oid::kUnknown || (base == oid::kText && is(node, PG_QUERY__NODE__NODE_A_CONST));
    if (base != oid::kBool && !literal) {
      return Error(sqlstate::kDatatypeMismatch,
                   std::string("argument of ") + (use == ExpressionUse::kCheck ? "CHECK" : "WHERE") +
                       " must be type boolean, not type " + type_text(c, {(*plain)->type.oid, -1, kInvalidOid}))
          .at(position(c, sql::location_of(node)));
    }
  }
  INDIGO_ASSIGN(const sql::ExprPtr expr, sql::analyze_to_print(c.host.session(), node, c.text, relation, target));
  Collector collector{c, {}, {}, true, true, {}, false};
  collector.visit(*expr);
  const int at = use == ExpressionUse::kPartitionKey ? 0 : position(c, sql::location_of(node));
  if (collector.subquery) {
    return Error(sqlstate::kFeatureNotSupported, "cannot use subquery in " + std::string(singular_place(use))).at(at);
  }
  if (!collector.forbidden.empty()) {
    const SqlState state = collector.forbidden.starts_with("aggregate") ? sqlstate::kGroupingError
                           : collector.forbidden.starts_with("window")  ? sqlstate::kWindowingError
                                                                        : sqlstate::kFeatureNotSupported;
    return Error(state, std::string(collector.forbidden) + " not allowed in " + std::string(place_of(use))).at(at);
  }
  StoredExpression out;
  out.type = expr->type;
  out.sql = sql::deparse(c.catalog, *expr, relation.get());
  out.columns.assign(collector.columns.begin(), collector.columns.end());
  out.references.assign(collector.references.begin(), collector.references.end());
  out.immutable = collector.immutable;
  if (!out.immutable) {  // a function in language SQL is what its body is
    // (PostgreSQL does not ask this of the assignment to a generated column.)
    INDIGO_ASSIGN(const sql::ExprPtr inlined,
                  sql::analyze_expression(c.host.session(), node, c.text, relation,
                                          use == ExpressionUse::kGenerated ? TypeRef{} : target));
    Collector again{c, {}, {}, true, true, {}, false};
    again.visit(*inlined);
    out.immutable = again.immutable;
  }
  out.constant = collector.constant;
  return out;
}

Result<StoredExpression> store_expression(DdlContext& c, std::string_view text, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target) {
  const std::string statement = "SELECT " + std::string(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  const PgQuery__SelectStmt* select = parsed->statements().front().node->select_stmt;
  DdlContext within{c.catalog, c.txn, c.host, statement};
  return store_expression(within, select->target_list[0]->res_target->val, use, relation, target);
}

Status record_expression(DdlContext& c, const Address& depender, const StoredExpression& e, Oid relation,
                         char column_type) {
  INDIGO_TRY(record_column_dependencies(c, depender, relation, e.columns, column_type));
  for (const Address& a : e.references) INDIGO_TRY(record_dependency(c, depender, a, 'n'));
  return {};
}

// ---- renaming in stored texts

namespace {

struct Edit {
  size_t begin, length;
  std::string text;
};

std::string apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
  std::string out(text);
  for (const Edit& e : edits) out.replace(e.begin, e.length, e.text);
  return out;
}

// Length of the identifier token at `at`: quoted or plain.
size_t token_length(std::string_view text, size_t at) {
  size_t i = at;
  if (i < text.size() && text[i] == '"') {
    for (i++; i < text.size(); i++) {
      if (text[i] != '"') continue;
      if (i + 1 < text.size() && text[i + 1] == '"') {
        i++;
        continue;
      }
      return i + 1 - at;
    }
    return text.size() - at;
  }
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' ||
                             text[i] == '$' || static_cast<uint8_t>(text[i]) >= 0x80)) {
    i++;
  }
  return i - at;
}

// Begins of the parts of a dotted name at `at`.
std::vector<size_t> name_parts(std::string_view text, size_t at, size_t count) {
  std::vector<size_t> out;
  for (size_t i = 0; i < count; i++) {
    out.push_back(at);
    at += token_length(text, at);
    while (at < text.size() && (text[at] == ' ' || text[at] == '.')) at++;
  }
  return out;
}

}  // namespace

Result<std::string> rename_column_in(std::string_view text, std::string_view from, std::string_view to) {
  const std::string statement = "SELECT " + std::string(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  std::vector<Edit> edits;
  sql::walk_tree(&parsed->statements().front().node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor != &pg_query__column_ref__descriptor) return true;
    const auto* ref = reinterpret_cast<const PgQuery__ColumnRef*>(m);
    const NodeList fields = nodes(ref->n_fields, ref->fields);
    if (fields.empty() || string_of(fields.back()) != from || ref->location < 0) return true;
    const auto parts = name_parts(statement, static_cast<size_t>(ref->location), fields.size());
    edits.push_back({parts.back(), token_length(statement, parts.back()), identifier(to)});
    return true;
  });
  return apply_edits(statement, std::move(edits)).substr(7);
}

Result<std::string> rename_relation_in(std::string_view text, bool query, std::string_view schema,
                                       std::string_view name, std::string_view new_schema, std::string_view new_name) {
  const std::string statement = query ? std::string(text) : "SELECT " + std::string(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  std::vector<Edit> edits;
  sql::walk_tree(&parsed->statements().front().node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__range_var__descriptor) {
      const auto* v = reinterpret_cast<const PgQuery__RangeVar*>(m);
      if (schema != v->schemaname || name != v->relname || v->location < 0) return true;
      const auto parts = name_parts(statement, static_cast<size_t>(v->location), 2);
      const size_t end = parts[1] + token_length(statement, parts[1]);
      std::string replacement = qualified(new_schema, new_name);
      if (v->alias == nullptr && new_name != name) replacement += " " + identifier(name);
      edits.push_back({parts[0], end - parts[0], std::move(replacement)});
      return true;
    }
    // 'schema.name'::regclass
    if (m->descriptor == &pg_query__type_cast__descriptor) {
      const auto* cast = reinterpret_cast<const PgQuery__TypeCast*>(m);
      const NodeList type = nodes(cast->type_name->n_names, cast->type_name->names);
      if (type.empty() || string_of(type.back()) != "regclass" || !is(cast->arg, PG_QUERY__NODE__NODE_A_CONST))
        return true;
      const PgQuery__AConst* k = cast->arg->a_const;
      if (k->val_case != PG_QUERY__A__CONST__VAL_SVAL || k->location < 0) return true;
      const std::string_view value = k->sval->sval;
      if (value != qualified(schema, name) && value != identifier(name)) return true;
      const size_t at = static_cast<size_t>(k->location);
      size_t end = at + 1;
      while (end < statement.size() &&
             (statement[end] != '\'' || (end + 1 < statement.size() && statement[end + 1] == '\''))) {
        end += statement[end] == '\'' ? 2 : 1;
      }
      edits.push_back({at, end + 1 - at, literal(qualified(new_schema, new_name))});
    }
    return true;
  });
  const std::string out = apply_edits(statement, std::move(edits));
  return query ? out : out.substr(7);
}

Result<std::string> rename_type_in(std::string_view text, bool query, std::string_view schema, std::string_view name,
                                   std::string_view new_schema, std::string_view new_name) {
  const std::string statement = query ? std::string(text) : "SELECT " + std::string(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  std::vector<Edit> edits;
  sql::walk_tree(&parsed->statements().front().node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor != &pg_query__type_name__descriptor) return true;
    const auto* type = reinterpret_cast<const PgQuery__TypeName*>(m);
    const NodeList parts = nodes(type->n_names, type->names);
    if (type->location < 0 || parts.size() != 2 || string_of(parts[0]) != schema || string_of(parts[1]) != name) {
      return true;
    }
    const auto begins = name_parts(statement, static_cast<size_t>(type->location), 2);
    const size_t end = begins[1] + token_length(statement, begins[1]);
    edits.push_back({begins[0], end - begins[0], qualified(new_schema, new_name)});
    return true;
  });
  const std::string out = apply_edits(statement, std::move(edits));
  return query ? out : out.substr(7);
}

std::string rename_columns_at(const std::string& statement, const PgQuery__Node& root, const std::set<int>& locations,
                              std::string_view from, std::string_view to) {
  std::vector<Edit> edits;
  std::set<int> unnamed;  // output columns that are plain references
  sql::walk_tree(&root.base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__res_target__descriptor) {
      const auto* target = reinterpret_cast<const PgQuery__ResTarget*>(m);
      if (!sql::has_text(target->name) && is(target->val, PG_QUERY__NODE__NODE_COLUMN_REF)) {
        unnamed.insert(target->val->column_ref->location);
      }
      return true;
    }
    if (m->descriptor != &pg_query__column_ref__descriptor) return true;
    const auto* ref = reinterpret_cast<const PgQuery__ColumnRef*>(m);
    const NodeList fields = nodes(ref->n_fields, ref->fields);
    if (!locations.contains(ref->location) || ref->location < 0 || fields.empty()) return true;
    if (!is(fields.back(), PG_QUERY__NODE__NODE_STRING) || string_of(fields.back()) != from) return true;
    const auto parts = name_parts(statement, static_cast<size_t>(ref->location), fields.size());
    std::string name = identifier(to);
    if (unnamed.contains(ref->location)) name += " AS " + identifier(from);
    edits.push_back({parts.back(), token_length(statement, parts.back()), std::move(name)});
    return true;
  });
  return apply_edits(statement, std::move(edits));
}

}  // namespace indigo::engine::ddl
