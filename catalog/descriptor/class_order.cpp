#include "catalog/descriptor/class_order.h"

#include <string>

#include "catalog/access_method.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::catalog {

namespace {

struct ClassRow {
  Oid family = kInvalidOid, type = kInvalidOid;
};

std::optional<ClassRow> btree_class(Database& database, storage::Transaction& txn, Oid opclass) {
  std::string image;
  const SystemTable& classes = database.table(pg_opclass::kOid);
  if (opclass < oid::kFirstUserOid || !classes.find_oid(txn, opclass, image)) return std::nullopt;
  const RowReader row = classes.reader(image);
  if (row.oid(pg_opclass::c_opcmethod) != default_access_method().oid) return std::nullopt;
  return ClassRow{row.oid(pg_opclass::c_opcfamily), row.oid(pg_opclass::c_opcintype)};
}

bool written_in_c(Database& database, storage::Transaction& txn, Oid function) {
  constexpr Oid kC = 13;
  std::string image;
  const SystemTable& functions = database.table(pg_proc::kOid);
  return function >= oid::kFirstUserOid && functions.find_oid(txn, function, image) &&
         functions.reader(image).oid(pg_proc::c_prolang) == kC;
}

// pg_amop's rows of the class's family for its type on both sides, until visit answers false.
template <class F>
void each_operator(Database& database, storage::Transaction& txn, Oid opclass, F&& visit) {
  const auto of = btree_class(database, txn, opclass);
  if (!of) return;
  database.table(pg_amop::kOid)
      .scan_index(txn, system_index::kAmopFamily,
                  {Datum::of_oid(of->family), Datum::of_oid(of->type), Datum::of_oid(of->type)}, visit);
}

}  // namespace

const types::Collator* order_of_class(CatalogView& catalog, Oid opclass) {
  const types::Collator* order = opclass < oid::kFirstUserOid ? nullptr : catalog.collator(opclass);
  return order != nullptr && order->values() != nullptr ? order : nullptr;
}

std::optional<types::DefinedComparison> comparison_of_class(Database& database, storage::Transaction& txn,
                                                            Oid opclass) {
  const auto of = btree_class(database, txn, opclass);
  if (!of) return std::nullopt;
  types::DefinedComparison out;
  out.database = database.oid();
  out.type = {of->type, -1, kInvalidOid};
  database.table(pg_amproc::kOid)
      .scan_index(txn, system_index::kAmprocFamily,
                  {Datum::of_oid(of->family), Datum::of_oid(of->type), Datum::of_oid(of->type)}, [&](RowReader row) {
                    if (row.i16(pg_amproc::c_amprocnum) != 1) return true;
                    out.function = row.oid(pg_amproc::c_amproc);
                    return false;
                  });
  if (out.function == kInvalidOid || written_in_c(database, txn, out.function)) return std::nullopt;
  return out;
}

int strategy_in_class(Database& database, storage::Transaction& txn, Oid opclass, Oid op) {
  int strategy = 0;
  each_operator(database, txn, opclass, [&](RowReader row) {
    if (row.oid(pg_amop::c_amopopr) == op) strategy = row.i16(pg_amop::c_amopstrategy);
    return strategy == 0;
  });
  return strategy;
}

Oid operator_in_class(Database& database, storage::Transaction& txn, Oid opclass, int strategy) {
  Oid op = kInvalidOid;
  each_operator(database, txn, opclass, [&](RowReader row) {
    if (row.i16(pg_amop::c_amopstrategy) == strategy) op = row.oid(pg_amop::c_amopopr);
    return op == kInvalidOid;
  });
  return op;
}

CatalogView::OrderingClass ordering_class(Database& database, storage::Transaction& txn, Oid op) {
  CatalogView::OrderingClass out;
  Oid family = kInvalidOid, type = kInvalidOid;
  database.table(pg_amop::kOid).scan_index(txn, system_index::kAmopOperator, {Datum::of_oid(op)}, [&](RowReader row) {
    const int strategy = row.i16(pg_amop::c_amopstrategy);
    if (row.oid(pg_amop::c_amopmethod) != default_access_method().oid || (strategy != 1 && strategy != 5)) return true;
    if (row.oid(pg_amop::c_amoplefttype) != row.oid(pg_amop::c_amoprighttype)) return true;
    family = row.oid(pg_amop::c_amopfamily);
    type = row.oid(pg_amop::c_amoplefttype);
    out.strategy = strategy;
    return false;
  });
  if (family == kInvalidOid) return {};
  const Datum method = Datum::of_oid(default_access_method().oid);
  database.table(pg_opclass::kOid).scan_index(txn, system_index::kOpclassName, {method}, [&](RowReader row) {
    if (row.oid(pg_opclass::c_opcfamily) != family || row.oid(pg_opclass::c_opcintype) != type) return true;
    out.opclass = row.oid(pg_opclass::c_oid);
    return false;
  });
  return out.opclass == kInvalidOid ? CatalogView::OrderingClass{} : out;
}

}  // namespace indigo::catalog
