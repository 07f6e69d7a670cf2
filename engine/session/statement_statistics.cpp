#include "engine/session/statement_statistics.h"

#include <algorithm>
#include <cmath>

namespace indigo::engine {

double StatementStatistics::Times::standard_deviation() const {
  return calls > 1 ? std::sqrt(deviations / static_cast<double>(calls)) : 0;
}

void StatementStatistics::Times::add(double milliseconds) {
  calls++;
  total += milliseconds;
  least = calls == 1 ? milliseconds : std::min(least, milliseconds);
  most = std::max(most, milliseconds);
  const double before = milliseconds - mean;
  mean += before / static_cast<double>(calls);
  deviations += before * (milliseconds - mean);
}

bool StatementStatistics::count(const Key& key, Kind kind, std::chrono::nanoseconds time, uint64_t rows) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  Entry& e = found->second;
  (kind == Kind::kPlan ? e.plans : e.runs).add(static_cast<double>(time.count()) / 1e6);
  e.rows += static_cast<int64_t>(rows);
  return true;
}

void StatementStatistics::add(const Key& key, std::string text) {
  const std::lock_guard lock(mutex_);
  if (entries_.contains(key)) return;
  if (entries_.size() >= most_) make_room();
  entries_.emplace(key, Entry{.key = key, .text = std::move(text), .plans = {}, .runs = {}});
}

// A twentieth of the statements go, those that have run least often.
void StatementStatistics::make_room() {
  std::vector<std::pair<int64_t, Key>> by_calls;
  by_calls.reserve(entries_.size());
  for (const auto& [key, e] : entries_) by_calls.emplace_back(e.runs.calls + e.plans.calls, key);
  const auto end = by_calls.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(1, by_calls.size() / 20));
  std::nth_element(by_calls.begin(), end, by_calls.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto it = by_calls.begin(); it != end; ++it) entries_.erase(it->second);
  info_.dropped++;
}

std::vector<StatementStatistics::Entry> StatementStatistics::entries() const {
  std::vector<Entry> out;
  const std::lock_guard lock(mutex_);
  out.reserve(entries_.size());
  for (const auto& [key, e] : entries_) out.push_back(e);
  return out;
}

void StatementStatistics::reset(Oid user, Oid database, int64_t query, int64_t now) {
  const std::lock_guard lock(mutex_);
  const bool all = user == kInvalidOid && database == kInvalidOid && query == 0;
  if (all) {
    entries_.clear();
    info_ = {0, now};
    return;
  }
  std::erase_if(entries_, [&](const auto& item) {
    const Key& k = item.first;
    return (user == kInvalidOid || k.user == user) && (database == kInvalidOid || k.database == database) &&
           (query == 0 || k.query == query);
  });
}

StatementStatistics::Info StatementStatistics::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

void StatementStatistics::set_start(int64_t now) {
  const std::lock_guard lock(mutex_);
  info_.reset_at = now;
}

}  // namespace indigo::engine
