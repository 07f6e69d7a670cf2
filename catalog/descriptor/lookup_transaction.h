// The short transactions of look-ups outside any other. They end as commits that wait for nothing: what counts as rolled back
// is what clients have rolled back.
// Thread safety: one call belongs to one thread.
#pragma once

#include <utility>

#include "storage/durability.h"
#include "storage/store.h"

namespace indigo::catalog {

// Runs `read` in `txn`, or in a short transaction of `session` when that is null.
template <class F>
auto with_transaction(storage::Store& store, storage::Transaction* txn, uint64_t session, F&& read) {
  if (txn != nullptr) return std::forward<F>(read)(*txn);
  auto own = store.begin(storage::Isolation::kReadCommitted, session);
  storage::set_asynchronous(*own, true);
  struct End {
    storage::Store& store;
    storage::Transaction& txn;
    ~End() { (void)store.commit(txn); }  // nothing was written: it cannot fail
  } end{store, *own};
  return std::forward<F>(read)(*own);
}

}  // namespace indigo::catalog
