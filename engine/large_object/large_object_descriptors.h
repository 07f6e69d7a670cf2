// The large objects that a session has open: what lo_open's numbers stand for. They end with the transaction, and those that a
// subtransaction has opened with its roll-back.
//
// Invariant: a descriptor that only reads sees its object as it was for the statement that opened it.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "storage/transaction.h"

namespace indigo::engine {

struct OpenLargeObject {
  Oid object = kInvalidOid;
  int64_t position = 0;
  bool writes = false;  // and reads the newest state
  storage::ReadView view{};
  std::shared_ptr<storage::Transaction::PinnedView> pinned;
  size_t depth = 0;  // savepoints that were open
};

class LargeObjectDescriptors {
 public:
  // The smallest number that is free.
  int32_t add(OpenLargeObject opened);
  // 42704.
  Result<OpenLargeObject*> find(int32_t number);
  Status close(int32_t number);
  void close_object(Oid object);
  void clear() { open_.clear(); }
  // Those that are deeper than `depth` savepoints: closed, or kept as if opened there.
  void roll_back_to(size_t depth);
  void release_to(size_t depth);

 private:
  std::vector<std::optional<OpenLargeObject>> open_;
};

}  // namespace indigo::engine
