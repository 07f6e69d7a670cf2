#include "catalog/descriptor/inverted_key.h"

#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace {

// The class's support function 3, for values of its own type; kInvalidOid: none.
Oid extract_query_function(CatalogView& catalog, Oid family, Oid type) {
  constexpr int16_t kExtractQuery = 3;
  Oid out = kInvalidOid;
  const Datum key[] = {Datum::of_oid(family), Datum::of_oid(type), Datum::of_oid(type)};
  catalog.system_table_rows(pg_amproc::kOid, system_index::kAmprocFamily, key, [&](const RowReader& row) {
    if (row.i16(pg_amproc::c_amprocnum) != kExtractQuery) return true;
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

}  // namespace

InvertedKey inverted_key(CatalogView& catalog, const IndexColumn& column) {
  InvertedKey out;
  Oid input = kInvalidOid;
  const Datum key[] = {Datum::of_oid(column.opclass)};
  catalog.system_table_rows(pg_opclass::kOid, -1, key, [&](const RowReader& row) {
    out.family = row.oid(pg_opclass::c_opcfamily);
    input = row.oid(pg_opclass::c_opcintype);
    return false;
  });
  const Oid function = extract_query_function(catalog, out.family, input);
  const types::InvertedClass* known =
      types::inverted_class(function == kInvalidOid ? std::string() : source_of(catalog, function));
  if (known == nullptr) return out;
  if (known->of_arrays || known->of_scalars) {
    TypeRef type = column.type;
    if (known->of_arrays) {
      auto array = catalog.type(type.oid);
      while (array != nullptr && array->kind == 'd') array = catalog.type(array->base);
      if (array == nullptr || !array->is_array()) return out;
      type.oid = array->element;
    }
    types::KeyColumn element = key_column_of(
        type, [&](Oid oid) { return catalog.type(oid); }, [&](Oid oid) { return catalog.collator(oid); });
    if (!types::KeyLayout::encodable(element.type, element.phys)) return out;
    element.nullable = false;
    out.column.element = types::KeyLayout({element});
  }
  out.keys = known;
  return out;
}

int inverted_strategy(CatalogView& catalog, const InvertedKey& key, Oid op) {
  int strategy = 0;
  const Datum of_operator[] = {Datum::of_oid(op)};
  catalog.system_table_rows(pg_amop::kOid, system_index::kAmopOperator, of_operator, [&](const RowReader& row) {
    if (row.oid(pg_amop::c_amopfamily) != key.family) return true;
    strategy = row.i16(pg_amop::c_amopstrategy);
    return false;
  });
  if (key.keys == nullptr || !key.keys->knows(strategy)) return 0;
  // Without support functions nothing but the types' own order is known.
  return key.keys->of_scalars && catalog.btree_strategy(op) != strategy ? 0 : strategy;
}

}  // namespace indigo::catalog
