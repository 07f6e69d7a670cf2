#include "storage/table/new_entries.h"

#include <limits>

#include "base/fiber/long_sort.h"
#include "base/key_prefix.h"

namespace indigo::storage {

namespace {

// Of a loop over as many things as a table has entries.
void take_turn_at(size_t i) {
  constexpr size_t kBetweenTurns = 1 << 14;
  constexpr uint64_t kUnitsOfOne = 4;
  if (i % kBetweenTurns == 0) [[unlikely]] {
    long_work::take_turn(kBetweenTurns * kUnitsOfOne);
  }
}

}  // namespace

void NewEntries::begin_row(Bytes primary_key, bool has_null) {
  if (rows_.size() == std::numeric_limits<Number>::max()) full_ = true;
  if (full_) return;
  rows_.push_back({arena_.copy(primary_key), has_null});
  bytes_ += sizeof(Row) + primary_key.size();
}

void NewEntries::add(Bytes key) {
  if (full_) return;
  const Number number = number_of(key);
  entries_.push_back({number, static_cast<Number>(rows_.size() - 1)});
  size_++;
  bytes_ += sizeof(Entry) + sizeof(Number);
}

NewEntries::Number NewEntries::number_of(Bytes key) {
  if (inverted_) {
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    if (keys_.size() == std::numeric_limits<Number>::max()) full_ = true;
  }
  const auto number = static_cast<Number>(keys_.size());
  keys_.push_back(arena_.copy(key));
  if (inverted_) numbers_.emplace(keys_.back(), number);
  constexpr uint64_t kWhileSorted = sizeof(uint64_t) + 2 * sizeof(Number);
  bytes_ += (inverted_ ? 2 : 1) * (sizeof(Bytes) + sizeof(Number)) + key.size() + kWhileSorted + sizeof(uint64_t);
  return number;
}

void NewEntries::sort() {
  sort_keys();
  sort_rows();
}

void NewEntries::sort_keys() {
  struct Place {
    uint64_t prefix;
    Number number;
  };
  std::vector<Place> places(keys_.size());
  for (Number i = 0; i < places.size(); i++) places[i] = {key_prefix(keys_[i]), i};
  constexpr uint64_t kUnitsOfComparison = 20;
  long_sort(places.begin(), places.end(), kUnitsOfComparison, [&](const Place& a, const Place& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const Bytes x = keys_[a.number], y = keys_[b.number];
    const int c = x.size() <= kPrefixBytes || y.size() <= kPrefixBytes
                      ? (x.size() < y.size() ? -1 : x.size() > y.size())
                      : x.substr(kPrefixBytes).compare(y.substr(kPrefixBytes));
    return c != 0 ? c < 0 : a.number < b.number;
  });
  order_.resize(places.size());
  for (size_t i = 0; i < places.size(); i++) order_[i] = places[i].number;
}

// By counting: where the rows of each key begin is known from how many every key has.
void NewEntries::sort_rows() {
  std::vector<uint64_t> next(keys_.size());
  for (size_t i = 0; i < entries_.size(); i++) {
    take_turn_at(i);
    next[entries_[i].key]++;
  }
  ends_.resize(keys_.size());
  uint64_t end = 0;
  for (size_t i = 0; i < order_.size(); i++) {
    const uint64_t begin = end;
    end += next[order_[i]];
    next[order_[i]] = begin;
    ends_[i] = end;
  }
  sorted_rows_.resize(entries_.size());
  for (size_t i = 0; i < entries_.size(); i++) {
    take_turn_at(i);
    sorted_rows_[next[entries_[i].key]++] = entries_[i].row;
  }
  std::vector<Entry>().swap(entries_);
}

const Bytes* NewEntries::first_duplicate(bool nulls_distinct) const {
  for (size_t i = 1; i < order_.size(); i++) {
    take_turn_at(i);
    const Row& row = rows_[sorted_rows_[ends_[i] - 1]];
    if (row.has_null && nulls_distinct) continue;
    if (keys_[order_[i - 1]] == keys_[order_[i]]) return &row.primary_key;
  }
  return nullptr;
}

void NewEntries::next(size_t most, std::vector<IndexEntry>& batch) {
  batch.clear();
  for (; at_key_ < order_.size() && batch.size() < most; at_key_++) {
    for (; at_row_ < ends_[at_key_] && batch.size() < most; at_row_++) {
      batch.push_back({keys_[order_[at_key_]], rows_[sorted_rows_[at_row_]].primary_key});
    }
    if (at_row_ < ends_[at_key_]) return;
  }
}

}  // namespace indigo::storage
