#include "catalog/descriptor/class_order.h"

#include <string>

#include "catalog/access_method.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "types/builtin/index_methods.h"
#include "types/oids.h"
#include "types/value/collator.h"
#include "types/value/defined_equality.h"

namespace indigo::catalog {

namespace {

constexpr int kEqual = 3;      // btree's strategy
constexpr int kHashEqual = 1;  // hash's

struct ClassRow {
  Oid family = kInvalidOid, type = kInvalidOid;
  bool hash = false;
};

// Of a btree or hash class.
std::optional<ClassRow> class_row(Database& database, storage::Transaction& txn, Oid opclass) {
  std::string image;
  const SystemTable& classes = database.table(pg_opclass::kOid);
  if (!classes.find_oid(txn, opclass, image)) return std::nullopt;
  const RowReader row = classes.reader(image);
  const Oid method = row.oid(pg_opclass::c_opcmethod);
  if (method != default_access_method().oid && method != oid::kHashMethod) return std::nullopt;
  return ClassRow{row.oid(pg_opclass::c_opcfamily), row.oid(pg_opclass::c_opcintype), method == oid::kHashMethod};
}

bool written_in_c(Database& database, storage::Transaction& txn, Oid function) {
  constexpr Oid kC = 13;
  std::string image;
  const SystemTable& functions = database.table(pg_proc::kOid);
  return function >= oid::kFirstUserOid && functions.find_oid(txn, function, image) &&
         functions.reader(image).oid(pg_proc::c_prolang) == kC;
}

// Operators of the class's family for its type on both sides, with their strategies as in a btree, until visit answers false.
template <class F>
void each_operator(Database& database, storage::Transaction& txn, Oid opclass, F&& visit) {
  const auto of = class_row(database, txn, opclass);
  if (!of) return;
  database.table(pg_amop::kOid)
      .scan_index(txn, system_index::kAmopFamily,
                  {Datum::of_oid(of->family), Datum::of_oid(of->type), Datum::of_oid(of->type)}, [&](RowReader row) {
                    const int strategy = row.i16(pg_amop::c_amopstrategy);
                    if (!of->hash) return visit(row.oid(pg_amop::c_amopopr), strategy);
                    return strategy != kHashEqual || visit(row.oid(pg_amop::c_amopopr), kEqual);
                  });
}

}  // namespace

const types::Collator* keys_of_class(CatalogView& catalog, Oid opclass) {
  const types::Collator* keys = opclass < oid::kFirstUserOid ? nullptr : catalog.collator(opclass);
  return keys != nullptr && keys->values() != nullptr ? keys : nullptr;
}

std::optional<types::ClassFunction> function_of_class(Database& database, storage::Transaction& txn, Oid opclass) {
  if (opclass < oid::kFirstUserOid) return std::nullopt;
  const auto of = class_row(database, txn, opclass);
  if (!of) return std::nullopt;
  types::ClassFunction out;
  out.database = database.oid();
  out.type = {of->type, -1, kInvalidOid};
  out.hash = of->hash;
  bool in_c = false;
  database.table(pg_amproc::kOid)
      .scan_index(txn, system_index::kAmprocFamily,
                  {Datum::of_oid(of->family), Datum::of_oid(of->type), Datum::of_oid(of->type)}, [&](RowReader row) {
                    const Oid function = row.oid(pg_amproc::c_amproc);
                    in_c = in_c || written_in_c(database, txn, function);
                    if (row.i16(pg_amproc::c_amprocnum) == 1) out.function = function;
                    return true;
                  });
  if (in_c || (out.function == kInvalidOid && !of->hash)) return std::nullopt;
  return out;
}

int strategy_in_class(Database& database, storage::Transaction& txn, Oid opclass, Oid op) {
  int found = 0;
  if (opclass < oid::kFirstUserOid) return found;
  each_operator(database, txn, opclass, [&](Oid other, int strategy) {
    if (other == op) found = strategy;
    return found == 0;
  });
  return found;
}

Oid operator_in_class(Database& database, storage::Transaction& txn, Oid opclass, int strategy) {
  Oid found = kInvalidOid;
  each_operator(database, txn, opclass, [&](Oid op, int its) {
    if (its == strategy) found = op;
    return found == kInvalidOid;
  });
  return found;
}

bool hashes_as_type(CatalogView& catalog, const types::OperatorInfo& op) {
  if (!op.can_hash || op.oid < oid::kFirstUserOid) return op.can_hash;
  if (catalog.btree_strategy(op.oid) == kEqual) return true;
  const types::Collator* keys = op.left == op.right ? catalog.defined_order(op.left) : nullptr;
  const auto* hashed = keys == nullptr ? nullptr : dynamic_cast<const types::DefinedEquality*>(keys->values());
  if (hashed != nullptr) return hashed->op() == op.oid;
  const types::OperatorInfo* own =
      op.left == op.right ? catalog.operator_by_oid(catalog.btree_operator(op.left, kEqual)) : nullptr;
  return own != nullptr && own->function == op.function;
}

HashFunctions hash_functions_of(CatalogView& catalog, const types::OperatorInfo& op) {
  Oid family = kInvalidOid;
  const Datum key = Datum::of_oid(op.oid);
  catalog.system_table_rows(pg_amop::kOid, system_index::kAmopOperator, {&key, 1}, [&](const RowReader& row) {
    const bool its = row.oid(pg_amop::c_amopmethod) == oid::kHashMethod &&
                     row.i16(pg_amop::c_amopstrategy) == kHashEqual && row.oid(pg_amop::c_amoplefttype) == op.left &&
                     row.oid(pg_amop::c_amoprighttype) == op.right;
    if (its) family = row.oid(pg_amop::c_amopfamily);
    return !its;
  });
  const auto function_for = [&](Oid type) {
    Oid found = kInvalidOid;
    const Datum prefix[] = {Datum::of_oid(family), Datum::of_oid(type), Datum::of_oid(type)};
    catalog.system_table_rows(pg_amproc::kOid, system_index::kAmprocFamily, prefix, [&](const RowReader& row) {
      if (row.i16(pg_amproc::c_amprocnum) == 1) found = row.oid(pg_amproc::c_amproc);
      return found == kInvalidOid;
    });
    return found;
  };
  return family == kInvalidOid ? HashFunctions{} : HashFunctions{function_for(op.left), function_for(op.right)};
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
