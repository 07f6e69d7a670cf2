// Orders and hashes of operator classes that users have made: which function defines one, and in which class an operator is less,
// equal or greater.
// Thread safety: as the transaction.
#pragma once

#include <optional>

#include "catalog/database.h"
#include "catalog/descriptor/catalog_view.h"
#include "storage/transaction.h"
#include "types/value/defined_key.h"

namespace indigo::catalog {

// What the class makes keys of (Collator::values()), as its users' collation and in DDL; null: it is no btree or hash class of
// users' own.
const types::Collator* keys_of_class(CatalogView& catalog, Oid opclass);

// Of a btree or hash class: its support function 1, which a hash class may lack (kInvalidOid). None: the class is built in, of
// another method, or written in C, so that its type has its order from an extension here.
std::optional<types::ClassFunction> function_of_class(Database& database, storage::Transaction& txn, Oid opclass);

// The operator's strategy in the family of a class of users' own, for the class's type on both sides: a btree's numbers, so a hash
// class's equality is 3; 0: none.
int strategy_in_class(Database& database, storage::Transaction& txn, Oid opclass, Oid op);

// The other way round, of built-in classes, too; kInvalidOid: none.
Oid operator_in_class(Database& database, storage::Transaction& txn, Oid opclass, int strategy);

// Whether the operator's equality is that of its type's own hash and order, so that what hashes values of the type serves it.
bool hashes_as_type(CatalogView& catalog, const types::OperatorInfo& op);

// Support functions 1 of the hash family that the operator is the equality of, by its operands' types; none: kInvalidOid.
struct HashFunctions {
  Oid left = kInvalidOid, right = kInvalidOid;
};
HashFunctions hash_functions_of(CatalogView& catalog, const types::OperatorInfo& op);

// A class in whose family `op` is less or greater, of the type that it compares.
CatalogView::OrderingClass ordering_class(Database& database, storage::Transaction& txn, Oid op);

}  // namespace indigo::catalog
