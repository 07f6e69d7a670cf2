// Transactions in progress whose changes a publisher has streamed (streaming = on): kept in memory until it says how they have
// ended. All together they may hold a part of what the server may have.
//
// Invariant: a transaction's messages are in the order in which they came, so all that came since the first one of a subtransaction
// belongs to it and to what began within it, until it has ended: taking it back cuts the end off. Descriptions of tables and types
// stay, because a publisher that has told them to a transaction does not tell them to it again.
// Thread safety: none; belongs to a worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/subscription/change_message.h"

namespace indigo::engine::subscription {

class StreamedTransactions {
 public:
  explicit StreamedTransactions(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // 53200 when they would hold more than they may.
  Status add(uint32_t transaction, StreamedMessage message);
  // The subtransaction was rolled back; of the same number: the whole transaction.
  void abort(uint32_t transaction, uint32_t subtransaction);
  // It has ended, and is forgotten here: its messages.
  std::vector<std::string> take(uint32_t transaction);

 private:
  struct Streamed {
    std::vector<std::string> messages;
    std::map<uint32_t, size_t> begins;  // of subtransactions
    uint64_t bytes = 0;
  };
  void cut(Streamed& streamed, size_t begin);

  uint64_t most_bytes_;
  uint64_t bytes_ = 0;
  std::map<uint32_t, Streamed> transactions_;
};

}  // namespace indigo::engine::subscription
