#include "catalog/descriptor/lookup_transaction.h"

#include "storage/durability.h"
#include "storage/store.h"

namespace indigo::catalog {

LookupTransaction::LookupTransaction(storage::Store& store, storage::Transaction* txn, uint64_t session)
    : store_(store), txn_(txn) {
  if (txn_ != nullptr) return;
  own_ = store.begin(storage::Isolation::kReadCommitted, session);
  storage::set_asynchronous(*own_, true);
  txn_ = own_.get();
}

LookupTransaction::~LookupTransaction() {
  if (own_ != nullptr) (void)store_.commit(*own_);  // nothing was written: it cannot fail
}

}  // namespace indigo::catalog
