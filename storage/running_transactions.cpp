#include "storage/running_transactions.h"

#include "storage/store_impl.h"

namespace indigo::storage {

RunningTransactions running_transactions(Store& store) { return static_cast<StoreImpl&>(store).running_transactions(); }

uint64_t newest_stamp(Store& store) { return static_cast<StoreImpl&>(store).clock().stable().value; }

}  // namespace indigo::storage
