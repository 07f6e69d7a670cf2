#include "engine/statement/result_shape.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "types/function/registry.h"

namespace indigo::engine {

std::shared_ptr<const ResultShape> make_shape(catalog::CatalogView& catalog, const sql::PlannedStatement& plan) {
  if (plan.command != sql::CommandKind::kSelect && plan.targets.empty()) return nullptr;
  auto shape = std::make_shared<ResultShape>();
  shape->columns.reserve(plan.targets.size());
  shape->formats.assign(plan.targets.size(), Format::kText);
  for (size_t i = 0; i < plan.targets.size(); i++) {
    const auto& target = plan.targets[i];
    ResultColumn column;
    column.name = target.name;
    column.type = column.declared = plan.root->columns[i].type;
    column.table = target.origin_table;
    column.column = target.origin_column;
    auto type = catalog.type(column.type.oid);
    // Domains are described as their base types.
    while (type != nullptr && type->kind == 'd') {
      column.type = {type->base, type->base_typmod, type->collation};
      type = catalog.type(column.type.oid);
    }
    if (type != nullptr) column.type_length = type->length;
    shape->columns.push_back(std::move(column));
  }
  return shape;
}

std::shared_ptr<const ResultShape> as_binary(const std::shared_ptr<const ResultShape>& shape) {
  if (shape == nullptr) return nullptr;
  auto out = std::make_shared<ResultShape>(*shape);
  std::fill(out->formats.begin(), out->formats.end(), Format::kBinary);
  return out;
}

Result<std::shared_ptr<const ResultShape>> with_formats(const std::shared_ptr<const ResultShape>& text,
                                                        const std::shared_ptr<const ResultShape>& binary,
                                                        std::span<const Format> formats) {
  if (formats.empty() || text == nullptr) return text;
  if (formats.size() == 1) return formats[0] == Format::kText ? text : binary;
  if (formats.size() != text->columns.size()) {
    return Error(sqlstate::kProtocolViolation, "bind message has " + std::to_string(formats.size()) +
                                                   " result formats but query has " +
                                                   std::to_string(text->columns.size()) + " columns");
  }
  auto shape = std::make_shared<ResultShape>(*text);
  shape->formats.assign(formats.begin(), formats.end());
  return std::shared_ptr<const ResultShape>(std::move(shape));
}

namespace {

template <class Same>
bool columns_match(const ResultShape* told, const ResultShape* now, Same same) {
  static const std::vector<ResultColumn> kNone;
  const auto& a = told != nullptr ? told->columns : kNone;
  const auto& b = now != nullptr ? now->columns : kNone;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

bool same_columns(const ResultShape* told, const ResultShape* now) {
  return columns_match(told, now, [](const auto& x, const auto& y) { return x.type == y.type && x.name == y.name; });
}

bool same_types(const ResultShape* told, const ResultShape* now) {
  return columns_match(told, now, [](const auto& x, const auto& y) { return x.type.oid == y.type.oid; });
}

Error result_type_changed() { return Error(sqlstate::kFeatureNotSupported, "cached plan must not change result type"); }

std::shared_ptr<const ResultShape> text_columns(std::initializer_list<std::pair<const char*, Oid>> columns) {
  auto shape = std::make_shared<ResultShape>();
  for (const auto& [name, type] : columns) {
    ResultColumn column;
    column.name = name;
    column.type.oid = column.declared.oid = type;
    Phys phys = types::physical_of(type);
    column.type_length = phys == Phys::kStr ? int16_t{-1} : static_cast<int16_t>(phys_bytes(phys));
    shape->columns.push_back(std::move(column));
    shape->formats.push_back(Format::kText);
  }
  return shape;
}

}  // namespace indigo::engine
