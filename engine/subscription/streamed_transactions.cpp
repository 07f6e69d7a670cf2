#include "engine/subscription/streamed_transactions.h"

#include <utility>

#include "base/sqlstate.h"

namespace indigo::engine::subscription {

namespace {

uint64_t held_bytes(const std::string& message) { return sizeof(std::string) + message.size(); }

bool describes_relation(const std::string& message) { return message[0] == 'R' || message[0] == 'Y'; }

}  // namespace

Status StreamedTransactions::add(uint32_t transaction, StreamedMessage message) {
  const uint64_t bytes = held_bytes(message.message);
  if (bytes_ + bytes > most_bytes_) {
    return Error(sqlstate::kOutOfMemory, "out of memory")
        .with_detail("Transactions in progress that the publisher has streamed hold more than " +
                     std::to_string(most_bytes_) + " bytes.")
        .with_hint("Increase \"memory_limit\", or set the subscription's option streaming off.");
  }
  Streamed& streamed = transactions_[transaction];
  streamed.begins.try_emplace(message.subtransaction, streamed.messages.size());
  streamed.messages.push_back(std::move(message.message));
  streamed.bytes += bytes;
  bytes_ += bytes;
  return {};
}

void StreamedTransactions::cut(Streamed& streamed, size_t begin) {
  size_t end = begin;
  for (size_t i = begin; i < streamed.messages.size(); i++) {
    std::string& message = streamed.messages[i];
    if (describes_relation(message)) {
      if (end != i) streamed.messages[end] = std::move(message);
      end++;
      continue;
    }
    streamed.bytes -= held_bytes(message);
    bytes_ -= held_bytes(message);
  }
  streamed.messages.resize(end);
  std::erase_if(streamed.begins, [&](const auto& b) { return b.second >= begin; });
}

void StreamedTransactions::abort(uint32_t transaction, uint32_t subtransaction) {
  const auto at = transactions_.find(transaction);
  if (at == transactions_.end()) return;
  if (subtransaction == transaction) {
    (void)take(transaction);
    return;
  }
  const auto begin = at->second.begins.find(subtransaction);
  if (begin != at->second.begins.end()) cut(at->second, begin->second);
}

std::vector<std::string> StreamedTransactions::take(uint32_t transaction) {
  const auto at = transactions_.find(transaction);
  if (at == transactions_.end()) return {};
  std::vector<std::string> out = std::move(at->second.messages);
  bytes_ -= at->second.bytes;
  transactions_.erase(at);
  return out;
}

}  // namespace indigo::engine::subscription
