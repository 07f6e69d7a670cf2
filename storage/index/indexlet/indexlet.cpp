#include "storage/index/indexlet/indexlet.h"

#include <cstring>

#include "base/check.h"

namespace indigo::storage {

Indexlet::Indexlet(EpochManager& epochs, uint32_t capacity, const Phantomlet& phantoms)
    : epochs_(epochs), mask_(capacity - 1), phantoms_(phantoms), slots_(new Slot[capacity]) {}

Indexlet::Indexlet(const Indexlet& source)
    : epochs_(source.epochs_),
      mask_(source.mask_),
      closed_(source.closed()),
      phantoms_(source.phantoms_),
      slots_(new Slot[source.capacity()]) {
  for (uint32_t i = 0; i <= mask_; i++) {
    const Slot& from = source.slots_[i];
    Slot& to = slots_[i];
    to.overflow_.store(from.overflow_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (from.state() == State::kFree) continue;
    to.hash_ = from.hash_;
    to.set_state(from.state());
    to.key_length_ = from.key_length_;
    to.primary_length_ = from.primary_length_;
    to.partition_ = from.partition_;
    const size_t bytes = size_t{from.key_length_} + from.primary_length_;
    if (too_long(bytes)) {
      char* entry = new char[bytes];
      std::memcpy(entry, address(from), bytes);
      std::memcpy(to.bytes_, &entry, sizeof entry);
    } else {
      std::memcpy(to.bytes_, from.bytes_, bytes);
    }
  }
}

Indexlet::~Indexlet() {
  for (uint32_t i = 0; i <= mask_; i++) {
    const Slot& at = slots_[i];
    if (at.state() != State::kFree && too_long(size_t{at.key_length_} + at.primary_length_)) delete[] address(at);
  }
}

char* Indexlet::address(const Slot& slot) { return load_shared(reinterpret_cast<char* const*>(slot.bytes_)); }

bool Indexlet::copy(const Slot& slot, const uint64_t* hash, Copy& out) {
  for (;;) {
    const uint64_t version = slot.latch_.read_begin();
    out.state = slot.state();
    out.hash = load_shared(&slot.hash_);
    const bool wanted = out.state != State::kFree && (hash == nullptr || out.hash == *hash);
    if (wanted) {
      out.key_length = load_shared(&slot.key_length_);
      out.primary_length = load_shared(&slot.primary_length_);
      const size_t bytes = size_t{out.key_length} + out.primary_length;
      if (too_long(bytes)) {
        out.entry = address(slot);
      } else {
        copy_from_shared(out.bytes, slot.bytes_, bytes);
        out.entry = out.bytes;
      }
    }
    if (slot.latch_.validate(version)) return wanted;
  }
}

Indexlet::Slot* Indexlet::find(const EntryKey& entry, uint64_t hash) {
  Copy found;
  for (uint32_t probe = 0; probe < kMostProbes; probe++) {
    Slot& at = slot(hash, probe);
    if (copy(at, &hash, found) && found.key() == entry.key && found.primary_key() == entry.primary_key) return &at;
    if (at.overflow_.load(std::memory_order_acquire) == 0) break;  // pairs with release()
  }
  return nullptr;
}

void Indexlet::set(Slot& slot, State state) {
  slot.latch_.lock();
  slot.set_state(state);
  slot.latch_.unlock();
}

Indexlet::Slot* Indexlet::claim(const EntryKey& entry, uint64_t hash, State state) {
  const size_t bytes = entry.key.size() + entry.primary_key.size();
  const uint16_t partition = phantoms_.partition(entry.key);
  for (uint32_t probe = 0; probe < kMostProbes; probe++) {
    Slot& at = slot(hash, probe);
    if (at.state() != State::kFree) continue;
    at.latch_.lock();
    if (at.state() != State::kFree) {
      at.latch_.unlock_unchanged();
      continue;
    }
    for (uint32_t i = 0; i < probe; i++) slot(hash, i).overflow_.fetch_add(1, std::memory_order_relaxed);
    phantoms_.add(partition);
    store_shared(&at.hash_, hash);
    store_shared(&at.key_length_, static_cast<uint16_t>(entry.key.size()));
    store_shared(&at.primary_length_, static_cast<uint16_t>(entry.primary_key.size()));
    store_shared(&at.partition_, partition);
    if (too_long(bytes)) {
      char* copy = new char[bytes];
      std::memcpy(copy, entry.key.data(), entry.key.size());
      std::memcpy(copy + entry.key.size(), entry.primary_key.data(), entry.primary_key.size());
      store_shared(reinterpret_cast<char**>(at.bytes_), copy);
    } else {
      copy_to_shared(at.bytes_, entry.key.data(), entry.key.size());
      copy_to_shared(at.bytes_ + entry.key.size(), entry.primary_key.data(), entry.primary_key.size());
    }
    at.set_state(state);
    at.latch_.unlock();
    return &at;
  }
  return nullptr;
}

void Indexlet::release(Slot& at, uint64_t hash) {
  const uint16_t partition = at.partition_;
  if (too_long(size_t{at.key_length_} + at.primary_length_)) {
    epochs_.retire(
        address(at), [](void*, void* entry) { delete[] static_cast<char*>(entry); }, nullptr);
  }
  at.latch_.lock();
  at.set_state(State::kFree);
  at.latch_.unlock();
  phantoms_.remove(partition);
  // Release: a reader that misses the count finds the entry in the tree.
  const auto own = static_cast<uint32_t>((static_cast<uint64_t>(&at - slots_.get()) - hash) & mask_);
  for (uint32_t i = 0; i < own; i++) slot(hash, i).overflow_.fetch_sub(1, std::memory_order_release);
}

void Indexlet::pass_all_homes() {
  for (uint32_t i = 0; i <= mask_; i++) {
    const std::lock_guard wait(slots_[i].home_);
  }
}

std::string Indexlet::check() const {
  std::unique_ptr<uint32_t[]> passed(new uint32_t[capacity()]());
  for (uint32_t i = 0; i <= mask_; i++) {
    const Slot& at = slots_[i];
    if (at.state() == State::kFree) continue;
    const uint64_t distance = (i - at.hash_) & mask_;
    if (distance >= kMostProbes) return "an entry of the indexlet is far from its home";
    for (uint32_t probe = 0; probe < distance; probe++) passed[(at.hash_ + probe) & mask_]++;
  }
  for (uint32_t i = 0; i <= mask_; i++) {
    if (slots_[i].overflow_.load(std::memory_order_relaxed) != passed[i])
      return "an overflow count of the indexlet is wrong";
  }
  return phantoms_.check([this](auto visit) {
    for (uint32_t i = 0; i <= mask_; i++) {
      if (slots_[i].state() != State::kFree) visit(slots_[i].partition_);
    }
  });
}

}  // namespace indigo::storage
