#include "sql/analyze/type/type_name.h"

#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

Result<std::vector<std::string>> modifier_texts(Analysis& a, const PgQuery__TypeName* t) {
  std::vector<std::string> out;
  for (const PgQuery__Node* n : nodes(t->n_typmods, t->typmods)) {
    if (is(n, PG_QUERY__NODE__NODE_A_CONST)) {
      const PgQuery__AConst* c = n->a_const;
      switch (c->val_case) {
        case PG_QUERY__A__CONST__VAL_IVAL: out.push_back(std::to_string(c->ival->ival)); continue;
        case PG_QUERY__A__CONST__VAL_FVAL: out.emplace_back(c->fval->fval); continue;
        case PG_QUERY__A__CONST__VAL_SVAL: out.emplace_back(c->sval->sval); continue;
        default: break;
      }
      if (c->val_case == PG_QUERY__A__CONST__VAL__NOT_SET && !c->isnull) {  // a zero
        out.emplace_back("0");
        continue;
      }
    } else if (is(n, PG_QUERY__NODE__NODE_COLUMN_REF) && n->column_ref->n_fields == 1) {
      out.emplace_back(string_of(n->column_ref->fields[0]));
      continue;
    }
    return a.error(sqlstate::kSyntaxError, "type modifiers must be simple constants or identifiers", t->location);
  }
  return out;
}

Result<std::shared_ptr<const types::TypeInfo>> find_info(Analysis& a, const PgQuery__TypeName* t) {
  if (t->type_oid != 0) return a.catalog.type(t->type_oid);
  const QualifiedName q = qualified_name(nodes(t->n_names, t->names));
  if (!q.valid) {
    return a.error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + type_name_text(t), -1);
  }
  if (!q.database.empty() && q.database != a.catalog.database_name()) {
    return a.error(sqlstate::kFeatureNotSupported,
                   "cross-database references are not implemented: " + type_name_text(t), -1);
  }
  if (!q.schema.empty() && a.catalog.schema_named(q.schema) == kInvalidOid) {
    return a.error(sqlstate::kInvalidSchemaName, "schema \"" + std::string(q.schema) + "\" does not exist",
                   t->location);
  }
  INDIGO_TRY(a.check_schema(q.schema, t->location));
  return a.catalog.find_type(q.schema, q.name);
}

}  // namespace

std::string type_name_text(const PgQuery__TypeName* t) {
  std::string out = name_list_text(nodes(t->n_names, t->names));
  if (t->pct_type) out += "%TYPE";
  if (t->n_array_bounds > 0) out += "[]";
  return out;
}

Result<TypeRef> find_type_name(Analysis& a, const PgQuery__TypeName* t) {
  if (t->pct_type) return a.error(sqlstate::kFeatureNotSupported, "%TYPE references are not supported", t->location);
  INDIGO_ASSIGN(auto info, find_info(a, t));
  if (!info) return TypeRef{};
  int32_t typmod = t->typemod;
  if (t->n_typmods > 0) {
    INDIGO_ASSIGN(const auto texts, modifier_texts(a, t));
    if (info->modifier_in == kInvalidOid) {
      return a.error(sqlstate::kSyntaxError, "type modifier is not allowed for type \"" + type_name_text(t) + "\"",
                     t->location);
    }
    auto parsed = types::typmod_input(*info, texts);
    if (!parsed.ok()) {
      parsed.error().position = a.position(t->location);
      return parsed.take_error();
    }
    typmod = *parsed;
  }
  if (t->n_array_bounds > 0) {
    if (info->array == kInvalidOid) {
      return a.error(sqlstate::kUndefinedObject,
                     "could not find array type for data type " + format_type(a.catalog, info->oid), t->location);
    }
    return type_with_collation(a.catalog, {info->array, typmod, kInvalidOid});
  }
  return TypeRef{info->oid, typmod, info->collation};
}

Result<TypeRef> resolve_type_name(Analysis& a, const PgQuery__TypeName* t) {
  INDIGO_ASSIGN(const TypeRef type, find_type_name(a, t));
  if (type.oid == kInvalidOid) {
    return a.error(sqlstate::kUndefinedObject, "type \"" + type_name_text(t) + "\" does not exist", t->location);
  }
  const auto info = type.oid < oid::kFirstUserOid ? nullptr : a.catalog.type(type.oid);
  if (info != nullptr && info->kind == 'p')
    return a.error(sqlstate::kUndefinedObject, "type \"" + type_name_text(t) + "\" is only a shell", t->location);
  return type;
}

Result<Oid> resolve_collation(Analysis& a, const PgQuery__CollateClause* clause) {
  const NodeList parts = nodes(clause->n_collname, clause->collname);
  const QualifiedName q = qualified_name(parts);
  INDIGO_TRY(a.check_qualified(q, parts, clause->location));
  const Oid found = q.valid ? a.catalog.find_collation(q.schema, q.name) : kInvalidOid;
  if (found == kInvalidOid) {
    return a.error(sqlstate::kUndefinedObject,
                   "collation \"" + name_list_text(parts) + "\" for encoding \"UTF8\" does not exist",
                   clause->location);
  }
  return found;
}

}  // namespace indigo::sql
