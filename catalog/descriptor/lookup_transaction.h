// The short transactions of look-ups outside any other. They end as commits that wait for nothing: what counts as rolled back
// is what clients have rolled back.
// Thread safety: one call belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace indigo::storage {
class Store;
class Transaction;
}  // namespace indigo::storage

namespace indigo::catalog {

// `txn`, or a short transaction of `session` when that is null.
class LookupTransaction {
 public:
  LookupTransaction(storage::Store& store, storage::Transaction* txn, uint64_t session);
  ~LookupTransaction();
  LookupTransaction(const LookupTransaction&) = delete;
  LookupTransaction& operator=(const LookupTransaction&) = delete;
  storage::Transaction& operator*() const { return *txn_; }

 private:
  storage::Store& store_;
  storage::Transaction* txn_;
  std::unique_ptr<storage::Transaction> own_;
};

// Runs `read` in such a transaction.
template <class F>
auto with_transaction(storage::Store& store, storage::Transaction* txn, uint64_t session, F&& read) {
  const LookupTransaction lookup(store, txn, session);
  return std::forward<F>(read)(*lookup);
}

}  // namespace indigo::catalog
