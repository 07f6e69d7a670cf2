// Orders of operator classes that users have made: which function defines one, and in which class an operator is less or greater.
// Thread safety: as the transaction.
#pragma once

#include <optional>

#include "catalog/database.h"
#include "catalog/descriptor/catalog_view.h"
#include "storage/transaction.h"
#include "types/value/defined_order.h"

namespace indigo::catalog {

// The class's order (Collator::values()), as its users' collation and in DDL; null: it is no btree class of users' own.
const types::Collator* order_of_class(CatalogView& catalog, Oid opclass);

// Of a btree class: its support function 1. None: the class is built in, of another method, or written in C, so that its type
// has its order from an extension here.
std::optional<types::DefinedComparison> comparison_of_class(Database& database, storage::Transaction& txn, Oid opclass);

// The operator's btree strategy in the class's family, for the class's type on both sides; 0: none.
int strategy_in_class(Database& database, storage::Transaction& txn, Oid opclass, Oid op);

// The other way round.
Oid operator_in_class(Database& database, storage::Transaction& txn, Oid opclass, int strategy);

// A class in whose family `op` is less or greater, of the type that it compares.
CatalogView::OrderingClass ordering_class(Database& database, storage::Transaction& txn, Oid op);

}  // namespace indigo::catalog
