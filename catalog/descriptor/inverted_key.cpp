#include "catalog/descriptor/inverted_key.h"

#include <vector>

#include "catalog/access_method.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "types/extension/vector/vector.h"
#include "types/oids.h"
#include "types/range/range_keys.h"
#include "types/value/collator.h"

namespace indigo::catalog {

namespace {

// The support function of the class that says what its strategies mean, for values of its own type; kInvalidOid: none.
Oid meaning_function(CatalogView& catalog, Oid method, Oid family, Oid type) {
  const AccessMethod* known = access_method(method);
  if (known == nullptr) return kInvalidOid;
  Oid out = kInvalidOid;
  const Datum key[] = {Datum::of_oid(family), Datum::of_oid(type), Datum::of_oid(type)};
  catalog.system_table_rows(pg_amproc::kOid, system_index::kAmprocFamily, key, [&](const RowReader& row) {
    if (row.i16(pg_amproc::c_amprocnum) != known->meaning) return true;
    out = row.oid(pg_amproc::c_amproc);
    return false;
  });
  return out;
}

std::string source_of(CatalogView& catalog, Oid function) {
  std::string out;
  const Datum key[] = {Datum::of_oid(function)};
  catalog.system_table_rows(pg_proc::kOid, -1, key, [&](const RowReader& row) {
    out = row.str(pg_proc::c_prosrc);
    return false;
  });
  return out;
}

// What a nearest method keeps, by the function of the operator that the class orders by.
const types::InvertedClass* nearest_keys(CatalogView& catalog, Oid family, Oid type) {
  const OperatorInfo* op = catalog.operator_by_oid(nearest_operator(catalog, family, type));
  return op == nullptr ? nullptr : types::vectors::nearest_class(source_of(catalog, op->function));
}

}  // namespace

Oid nearest_operator(CatalogView& catalog, Oid family, Oid type) {
  Oid found = kInvalidOid;
  const Datum key[] = {Datum::of_oid(family), Datum::of_oid(type), Datum::of_oid(type)};
  catalog.system_table_rows(pg_amop::kOid, system_index::kAmopFamily, key, [&](const RowReader& row) {
    if (row.chr(pg_amop::c_amoppurpose) != 'o' || row.i16(pg_amop::c_amopstrategy) != 1) return true;
    found = row.oid(pg_amop::c_amopopr);
    return false;
  });
  return found;
}

bool orders_by_distance(CatalogView& catalog, const InvertedKey& key, Oid op) {
  if (key.keys == nullptr || key.keys->rings == nullptr) return false;
  bool found = false;
  const Datum of_operator[] = {Datum::of_oid(op)};
  catalog.system_table_rows(pg_amop::kOid, system_index::kAmopOperator, of_operator, [&](const RowReader& row) {
    found = row.oid(pg_amop::c_amopfamily) == key.family && row.chr(pg_amop::c_amoppurpose) == 'o' &&
            key.keys->rings->strategies.has(row.i16(pg_amop::c_amopstrategy));
    return !found;
  });
  return found;
}

InvertedKey inverted_key(CatalogView& catalog, const IndexColumn& column) {
  InvertedKey out;
  Oid input = kInvalidOid, method = kInvalidOid;
  const Datum key[] = {Datum::of_oid(column.opclass)};
  catalog.system_table_rows(pg_opclass::kOid, -1, key, [&](const RowReader& row) {
    method = row.oid(pg_opclass::c_opcmethod);
    out.family = row.oid(pg_opclass::c_opcfamily);
    input = row.oid(pg_opclass::c_opcintype);
    return false;
  });
  const AccessMethod* access = access_method(method);
  const types::InvertedClass* known = nullptr;
  if (access != nullptr && access->nearest) {
    out.order = nearest_operator(catalog, out.family, input);
    known = nearest_keys(catalog, out.family, input);
  } else {
    const Oid function = meaning_function(catalog, method, out.family, input);
    known = types::inverted_class(function == kInvalidOid ? std::string() : source_of(catalog, function));
  }
  if (known == nullptr) return out;
  auto type = catalog.type(column.type.oid);
  while (type != nullptr && type->kind == 'd') type = catalog.type(type->base);
  if (type == nullptr) return out;
  out.column.type = type->oid;
  out.column.c_letters = column.type.collation == kInvalidOid || catalog.orders_by_bytes(column.type.collation);
  if (known->element != types::InvertedClass::Element::kNone) {
    TypeRef of = column.type;
    if (known->element == types::InvertedClass::Element::kOfArray) {
      if (!type->is_array()) return out;
      of.oid = type->element;
    }
    if (known->element == types::InvertedClass::Element::kOfRange) of = {type->range_subtype, -1, kInvalidOid};
    if (of.oid == kInvalidOid) return out;
    types::KeyColumn element = key_column_of(of, catalog);
    element.nullable = false;
    const types::Collator* order = catalog.defined_order(type->oid);
    const auto* own = order == nullptr ? nullptr : dynamic_cast<const types::RangeKeys*>(order->values());
    if (own != nullptr && known->element == types::InvertedClass::Element::kOfRange) element = own->element();
    const bool defined = element.collator != nullptr && element.collator->values() != nullptr;
    if (!defined && !types::KeyLayout::encodable(element.type, element.phys)) return out;
    out.column.element = types::KeyLayout({element});
  }
  out.keys = known;
  return out;
}

std::optional<size_t> compound_column(std::span<const InvertedKey> keys) {
  std::optional<size_t> cells;
  for (size_t i = 0; i < keys.size(); i++) {
    if (keys[i].keys == nullptr) return std::nullopt;
    if (keys[i].keys->of_scalars()) continue;
    if (cells || !keys[i].keys->of_cells) return std::nullopt;
    cells = i;
  }
  return keys.size() > 1 ? cells : std::nullopt;
}

bool append_compound_prefix(std::span<const InvertedKey> keys, std::span<const Datum> values, std::string& out) {
  constexpr char kCompound = '\xff';  // no column's number: an index has 32 at most
  out += kCompound;
  std::vector<std::string> key;
  for (size_t i = 0; i < keys.size(); i++) {
    if (!keys[i].keys->of_scalars()) continue;
    if (values[i].null) return false;
    key.clear();
    keys[i].keys->keys_of(keys[i].column, values[i], key);
    out += key[0];
  }
  return true;
}

int inverted_strategy(CatalogView& catalog, const InvertedKey& key, Oid op) {
  int strategy = 0;
  const Datum of_operator[] = {Datum::of_oid(op)};
  catalog.system_table_rows(pg_amop::kOid, system_index::kAmopOperator, of_operator, [&](const RowReader& row) {
    if (row.oid(pg_amop::c_amopfamily) != key.family || row.chr(pg_amop::c_amoppurpose) != 's') return true;
    strategy = row.i16(pg_amop::c_amopstrategy);
    return false;
  });
  if (key.keys == nullptr || !key.keys->knows(strategy)) return 0;
  // Without support functions nothing but the types' own order is known.
  return key.keys->of_scalars() && catalog.btree_strategy(op) != strategy ? 0 : strategy;
}

}  // namespace indigo::catalog
