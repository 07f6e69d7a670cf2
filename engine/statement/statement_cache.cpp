#include "engine/statement/statement_cache.h"

#include <algorithm>

#include "base/memory/memory_reserve.h"

namespace indigo::engine {

void StatementCache::Seen::add(uint64_t hash) {
  if (places_.empty()) places_.resize(kPlaces);
  places_[hash % kPlaces] = static_cast<uint32_t>(hash >> 32) | 1;
}

bool StatementCache::Seen::has(uint64_t hash) const {
  return !places_.empty() && places_[hash % kPlaces] == (static_cast<uint32_t>(hash >> 32) | 1);
}

void StatementCache::clear() {
  entries_.clear();
  on_probation_.clear();
  key_bytes_ = 0;
  shapes_ = 0;
}

size_t StatementCache::entries_most() {
  return std::clamp(kOfProcessMax / std::max<size_t>(caches.load(std::memory_order_relaxed), 1), kEntriesMin,
                    kEntriesMax);
}

void StatementCache::forget_shapes(Entry& entry) {
  shapes_ -= entry.by_shape.size();
  entry.by_shape.clear();
}

void StatementCache::end_probation() {
  while (on_probation_.size() >= kOnProbation) {
    const std::string& key = on_probation_.front();
    if (const auto at = entries_.find(std::string_view(key)); at != entries_.end() && at->second.on_probation) {
      seen_.add(hash_of(key));
      key_bytes_ -= key.size();
      shapes_ -= at->second.by_shape.size();
      entries_.erase(at);
    }
    on_probation_.pop_front();
  }
}

void StatementCache::shape_of(const ScannedText& scanned, const std::vector<bool>& used, std::string& out) {
  out.clear();
  for (size_t i = 0; i < scanned.raw.size(); i++) {
    if (i < used.size() && used[i]) continue;
    out.append(scanned.raw[i].text);
    out.push_back('\0');
  }
}

PreparedPtr StatementCache::find(const ScannedText& scanned, uint64_t generation) {
  if (generation != generation_) return nullptr;
  auto at = entries_.find(std::string_view(scanned.key));
  if (at == entries_.end()) return nullptr;
  Entry& entry = at->second;
  entry.on_probation = false;
  if (entry.all_used) return entry.only;
  shape_of(scanned, entry.used, shape_);
  auto plan = entry.by_shape.find(shape_);
  return plan == entry.by_shape.end() ? nullptr : plan->second;
}

bool StatementCache::returns(const ScannedText& scanned) {
  const uint64_t hash = hash_of(scanned.key);
  if (seen_.has(hash)) return true;
  seen_.add(hash);
  return false;
}

void StatementCache::put_off(const ScannedText& scanned, uint32_t times) {
  const uint64_t hash = hash_of(scanned.key);
  if (put_off_.contains(hash)) return;
  const MustNotFail scope;
  if (put_off_.size() >= kPutOff) put_off_.clear();
  put_off_.emplace(hash, times);
}

bool StatementCache::is_put_off(const ScannedText& scanned) {
  const auto at = put_off_.find(hash_of(scanned.key));
  if (at == put_off_.end() || at->second == 0) return false;
  at->second--;
  return true;
}

void StatementCache::insert(const ScannedText& scanned, uint64_t generation, PreparedPtr prepared) {
  insert(scanned, {}, generation, std::move(prepared));
}

void StatementCache::insert(const ScannedText& scanned, const std::vector<bool>& free_names, uint64_t generation,
                            PreparedPtr prepared) {
  if (scanned.key.size() > kKeyBytesMax / 4) return;
  if (generation != generation_ || plan_count() >= entries_most() || key_bytes_ + scanned.key.size() > kKeyBytesMax) {
    clear();
    generation_ = generation;
  }
  // What is copied is copied before: a hash table of Abseil's is broken by an exception out of it.
  std::string key = scanned.key;
  std::vector<bool> used = prepared->lifted_used;
  if (!free_names.empty()) {
    used.resize(scanned.literals.size());
    used.insert(used.end(), free_names.begin(), free_names.end());
  }
  shape_of(scanned, used, shape_);
  std::string shape = shape_;
  const MustNotFail scope;
  const bool again = seen_.has(hash_of(key));
  if (!again && !entries_.contains(std::string_view(key))) {
    end_probation();
    on_probation_.push_back(key);
  }
  const auto [place, fresh] = entries_.try_emplace(std::move(key));
  if (fresh) key_bytes_ += scanned.key.size();
  Entry& entry = place->second;
  if (again) entry.on_probation = false;
  if (entry.used != used) {  // the first plan, or one that needed more of its literals
    entry.used = std::move(used);
    forget_shapes(entry);
    entry.only = nullptr;
  }
  entry.all_used = true;
  for (size_t i = 0; i < scanned.raw.size(); i++) entry.all_used &= i < entry.used.size() && entry.used[i];
  if (entry.all_used) {
    entry.only = std::move(prepared);
    return;
  }
  const auto [of_shape, added] = entry.by_shape.insert_or_assign(std::move(shape), std::move(prepared));
  if (added) shapes_++;
}

void StatementCache::erase(const ScannedText& scanned, uint64_t generation) {
  if (generation != generation_) return;
  if (auto at = entries_.find(std::string_view(scanned.key)); at != entries_.end()) {
    key_bytes_ -= at->first.size();
    shapes_ -= at->second.by_shape.size();
    entries_.erase(at);
  }
}

void StatementCache::erase_if(const std::function<bool(const Prepared&)>& wanted) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = at->second;
    if (entry.only != nullptr && wanted(*entry.only)) entry.only = nullptr;
    shapes_ -= absl::erase_if(entry.by_shape, [&](const auto& plan) { return wanted(*plan.second); });
    if (entry.only == nullptr && entry.by_shape.empty()) {
      key_bytes_ -= at->first.size();
      entries_.erase(at++);
    } else {
      ++at;
    }
  }
}

}  // namespace indigo::engine
