#include "storage/ssn/write_log.h"

#include <algorithm>
#include <utility>

namespace indigo::storage {

void WriteLog::append(uint64_t c, uint64_t pi, uint64_t hash, uint64_t space, Bytes key) {
  uint64_t number = first_ + records_.size();
  KeySlot& slot = slots_[hash];
  uint64_t before_in_space = 0;
  if (space != 0) before_in_space = std::exchange(spaces_[space], number);
  records_.push_back({c, pi, hash, space, slot.newest_record, before_in_space, std::string(key)});
  slot.newest_record = number;
  slot.written.store(c, std::memory_order_relaxed);
  if (records_.size() <= kMaxRecords) return;
  forgotten_c_ = records_.front().c;
  forgotten_pi_ = std::min(forgotten_pi_, records_.front().pi);
  forget_first();
}

void WriteLog::forget_first() {
  const Record& r = records_.front();
  if (r.space != 0) {
    auto s = spaces_.find(r.space);
    if (s->second == first_) spaces_.erase(s);
  }
  records_.pop_front();
  first_++;
}

uint64_t WriteLog::least_pi(uint64_t hash, uint64_t stamp) const {
  uint64_t least = forgotten_pi(stamp);
  for (const Record* r = at(slots_[hash].newest_record); r != nullptr && r->c > stamp; r = at(r->before_in_slot)) {
    if (r->hash == hash) least = std::min(least, r->pi);
  }
  return least;
}

uint64_t WriteLog::least_pi(uint64_t space, const KeyInterval& interval, uint64_t stamp) const {
  uint64_t least = forgotten_pi(stamp);
  auto s = spaces_.find(space);
  if (s == spaces_.end()) return least;
  for (const Record* r = at(s->second); r != nullptr && r->c > stamp; r = at(r->before_in_space)) {
    if (r->pi < least && interval.contains(r->key)) least = r->pi;
  }
  return least;
}

uint64_t WriteLog::least_pi_since(uint64_t stamp) const {
  uint64_t least = forgotten_pi(stamp);
  for (auto r = records_.rbegin(); r != records_.rend() && r->c > stamp; ++r) least = std::min(least, r->pi);
  return least;
}

uint64_t WriteLog::newest(uint64_t hash, uint64_t stamp) const {
  for (const Record* r = at(slots_[hash].newest_record); r != nullptr && r->c > stamp; r = at(r->before_in_slot)) {
    if (r->hash == hash) return r->c;
  }
  return stamp < forgotten_c_ && slots_[hash].written.load(std::memory_order_relaxed) > stamp ? forgotten_c_ : 0;
}

void WriteLog::trim(uint64_t oldest) {
  while (!records_.empty() && records_.front().c <= oldest) forget_first();
  if (forgotten_c_ > oldest) return;
  forgotten_c_ = 0;
  forgotten_pi_ = kInfinity;
}

}  // namespace indigo::storage
