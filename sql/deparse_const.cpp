#include "base/memory/arena.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/deparse.h"
#include "sql/deparse_session.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql {
namespace {

std::string value_text(catalog::CatalogView& catalog, const ConstExpr& e, const types::FormatSettings* format) {
  if (e.type.oid == oid::kUnknown) return std::string(e.value.get().str);
  CatalogOnlySession session(catalog, format);
  types::FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  std::string out;
  type_output(context, e.type, e.value.get(), out);
  return out;
}

// 'schema.name' of a relation, for text that any session must understand.
std::string qualified_relation(catalog::CatalogView& catalog, Oid relation) {
  const auto info = catalog.relation(relation);
  if (!info) return std::to_string(relation);
  return types::quote_identifier(info->schema_name) + "." + types::quote_identifier(info->name);
}

}  // namespace

std::string deparse_type(catalog::CatalogView& catalog, const TypeRef& type, bool always_qualify) {
  std::string name = format_type(catalog, type.oid, type.typmod);
  if (!always_qualify) return name;
  const Oid element = element_of(catalog, type.oid);
  const auto info = catalog.type(element != kInvalidOid ? element : type.oid);
  if (!info || info->schema == oid::kPgCatalogSchema || name.find('.') != std::string::npos) return name;
  return types::quote_identifier(catalog.schema_name(info->schema)) + "." + name;
}

std::optional<std::string> deparse_operator(catalog::CatalogView& catalog, Oid op, bool always_qualify) {
  const auto* info = catalog.operator_by_oid(op);
  if (info == nullptr) return std::nullopt;
  if (info->schema == oid::kPgCatalogSchema) return info->name;
  if (!always_qualify) {
    for (const auto* other : catalog.operators_named("", info->name)) {
      if (other->left != info->left || other->right != info->right) continue;
      if (other == info) return info->name;
      break;
    }
  }
  return "OPERATOR(" + types::quote_identifier(catalog.schema_name(info->schema)) + "." + info->name + ")";
}

const Expr* ordered_by_class(catalog::CatalogView& catalog, const SortKey& key) {
  if (key.expr->kind != ExprKind::kCollate || key.less == kInvalidOid) return nullptr;
  if (catalog.btree_strategy(key.less) != 0) return nullptr;
  return as<CollateExpr>(*key.expr).argument.get();
}

bool is_class_order(catalog::CatalogView& catalog, const Expr& e) {
  return e.kind == ExprKind::kCollate && catalog::keys_of_class(catalog, e.type.collation) != nullptr;
}

std::string deparse_collation(catalog::CatalogView& catalog, Oid collation, bool always_qualify) {
  const std::string name = catalog.collation_name(collation);
  std::string quoted_name = types::quote_identifier(name);
  if (!always_qualify && catalog.find_collation("", name) == collation) return quoted_name;
  Oid schema = oid::kPgCatalogSchema;
  const Datum key = Datum::of_oid(collation);
  catalog.system_table_rows(catalog::pg_collation::kOid, -1, {&key, 1}, [&](const catalog::RowReader& row) {
    schema = row.oid(catalog::pg_collation::c_collnamespace);
    return false;
  });
  if (schema == oid::kPgCatalogSchema) return quoted_name;
  return types::quote_identifier(catalog.schema_name(schema)) + "." + quoted_name;
}

std::string deparse_const(catalog::CatalogView& catalog, const ConstExpr& e, bool always_qualify) {
  const std::string type = deparse_type(catalog, e.type, always_qualify);
  if (e.value.get().null) return "NULL::" + type;
  std::string text = value_text(catalog, e, always_qualify ? nullptr : catalog.formats());
  switch (e.type.oid) {
    case oid::kBool: return e.value.get().b ? "true" : "false";
    case oid::kUnknown: return types::standard_literal(text);
    case oid::kInt4: return text[0] == '-' ? "'" + text + "'::integer" : text;
    case oid::kNumeric: {
      // Without quotes only what reads as numeric again: digits alone would be an integer.
      const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
      if (number && text.find('.') != std::string::npos) return e.type.typmod < 0 ? text : text + "::" + type;
      break;
    }
    case oid::kFloat4:
    case oid::kFloat8: return "'" + text + "'::" + type;
    case oid::kRegClass:
      if (always_qualify) text = qualified_relation(catalog, e.value.get().oid());
      break;
    default: break;
  }
  return types::standard_literal(text) + "::" + type;
}

}  // namespace indigo::sql
