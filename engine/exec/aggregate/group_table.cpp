#include "engine/exec/aggregate/group_table.h"

#include <algorithm>

#include "base/fiber/long_work.h"

namespace indigo::engine::exec {

namespace {

// For the selected rows, by their numbers; what is new is zero, and most chunks of what is asked for once are small.
void make_room(std::vector<uint64_t>& hashes, Selection selection) {
  const size_t rows = selection.rows == nullptr ? selection.count : kChunkRows;
  if (hashes.size() < rows) hashes.resize(rows);
}

}  // namespace

void GroupTable::init(KeyOps ops, std::vector<Phys> keys) {
  ops_ = std::move(ops);
  keys_.init(std::move(keys));
  clear();
}

void GroupTable::clear() {
  keys_.clear();
  hashes_.clear();
  if (directory_.size() > 4096) directory_ = {};
  directory_.assign(std::max<size_t>(directory_.size(), 64), 0);
}

uint32_t GroupTable::probe(std::span<const Vector* const> keys, uint32_t row, uint64_t hash, size_t& slot) const {
  size_t mask = directory_.size() - 1;
  slot = hash & mask;
  uint32_t found = kNone, steps = 0;
  for (; directory_[slot] != 0; slot = (slot + 1) & mask, steps++) {
    uint32_t group = directory_[slot] - 1;
    if (hashes_[group] != hash || !ops_.equal(keys, row, keys_, group, 0)) continue;
    found = group;
    break;
  }
  note_steps(steps);
  return found;
}

void GroupTable::grow() {
  std::vector<uint32_t> bigger(directory_.size() * 2, 0);
  size_t mask = bigger.size() - 1;
  for (uint32_t group = 0; group < hashes_.size(); group++) {
    size_t slot = hashes_[group] & mask;
    const size_t wanted = slot;
    while (bigger[slot] != 0) slot = (slot + 1) & mask;
    note_work(4 + ((slot - wanted) & mask));
    bigger[slot] = group + 1;
  }
  directory_ = std::move(bigger);
}

void GroupTable::find_or_add(std::span<const Vector* const> keys, Selection selection, uint32_t* groups) {
  make_room(row_hashes_, selection);
  ops_.hash(keys, selection, row_hashes_.data());
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    size_t slot;
    uint32_t group = probe(keys, r, row_hashes_[r], slot);
    if (group == kNone) {
      auto row = static_cast<uint16_t>(r);
      group = keys_.append(keys, {&row, 1});
      hashes_.push_back(row_hashes_[r]);
      directory_[slot] = group + 1;
      if (hashes_.size() * 2 > directory_.size()) grow();
    }
    groups[i] = group;
  }
}

void GroupTable::find(std::span<const Vector* const> keys, Selection selection, uint32_t* groups) {
  make_room(row_hashes_, selection);
  ops_.hash(keys, selection, row_hashes_.data());
  for (uint32_t i = 0; i < selection.count; i++) {
    size_t slot;
    groups[i] = probe(keys, selection[i], row_hashes_[selection[i]], slot);
  }
}

}  // namespace indigo::engine::exec
