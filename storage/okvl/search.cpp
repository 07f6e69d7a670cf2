#include "storage/okvl/search.h"

#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

void search_to_change(Transaction& txn, const Table& table) {
  static_cast<TransactionImpl&>(txn).will_change(table.id());
}

}  // namespace indigo::storage
