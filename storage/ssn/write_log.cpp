#include "storage/ssn/write_log.h"

#include <algorithm>
#include <utility>

namespace indigo::storage {

void WriteLog::begin_chunk(uint64_t number) {
  if (spare_.empty()) spare_.push_back(std::make_unique<Chunk>());
  chunk(number) = std::move(spare_.back());
  spare_.pop_back();
}

void WriteLog::append(uint64_t c, uint64_t pi, uint64_t hash, uint64_t space, Bytes key) {
  const uint64_t number = next_;
  if (number % kChunkRecords == 0 || chunk(number) == nullptr) begin_chunk(number);
  next_++;
  newest_c_ = c;
  KeySlot& slot = slots_[hash];
  Chunk& to = *chunk(number);
  const uint64_t before_in_space = space == 0 ? 0 : std::exchange(spaces_[space % kSpaceChains], number);
  to.records[number % kChunkRecords] = {c,
                                        pi,
                                        hash,
                                        space,
                                        slot.newest_record,
                                        before_in_space,
                                        static_cast<uint32_t>(to.keys.size()),
                                        static_cast<uint32_t>(key.size())};
  to.keys.append(key);
  slot.newest_record = number;
  slot.written.store(c, std::memory_order_relaxed);
  if (size() <= kMaxRecords) return;
  const Record& oldest = record(first_);
  forgotten_c_ = oldest.c;
  forgotten_pi_ = std::min(forgotten_pi_, oldest.pi);
  forget_below(first_ + 1);
}

void WriteLog::forget_below(uint64_t number) {
  constexpr size_t kKeepBytes = 64 * kChunkRecords, kKeepChunks = 16;
  for (uint64_t c = first_ / kChunkRecords; c < number / kChunkRecords; c++) {
    std::unique_ptr<Chunk> gone = std::move(chunk(c * kChunkRecords));
    gone->keys.clear();
    if (gone->keys.capacity() > kKeepBytes) gone->keys.shrink_to_fit();
    if (spare_.size() < kKeepChunks) spare_.push_back(std::move(gone));
  }
  first_ = number;
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
  for (uint64_t number = spaces_[space % kSpaceChains]; number >= first_;) {
    const Chunk& in = chunk(number);
    const Record& r = in.records[number % kChunkRecords];
    if (r.c <= stamp) break;
    if (r.pi < least && r.space == space && interval.contains(Bytes(in.keys).substr(r.key_begin, r.key_size))) {
      least = r.pi;
    }
    number = r.before_in_space;
  }
  return least;
}

uint64_t WriteLog::least_pi_since(uint64_t stamp) const {
  uint64_t least = forgotten_pi(stamp);
  for (uint64_t number = next_; number > first_; number--) {
    const Record& r = record(number - 1);
    if (r.c <= stamp) break;
    least = std::min(least, r.pi);
  }
  return least;
}

uint64_t WriteLog::newest(uint64_t hash, uint64_t stamp) const {
  const KeySlot& slot = slots_[hash];
  if (slot.written.load(std::memory_order_relaxed) <= stamp) return 0;
  for (const Record* r = at(slot.newest_record); r != nullptr && r->c > stamp; r = at(r->before_in_slot)) {
    if (r->hash == hash) return r->c;
  }
  return stamp < forgotten_c_ ? forgotten_c_ : 0;
}

void WriteLog::trim(uint64_t oldest) {
  uint64_t kept = newest_c_ <= oldest ? next_ : first_;
  while (kept < next_ && record(kept).c <= oldest) {
    // Whole chunks by their last records.
    const uint64_t last = kept | (kChunkRecords - 1);
    kept = last < next_ && record(last).c <= oldest ? last + 1 : kept + 1;
  }
  forget_below(kept);
  if (forgotten_c_ > oldest) return;
  forgotten_c_ = 0;
  forgotten_pi_ = kInfinity;
}

}  // namespace indigo::storage
