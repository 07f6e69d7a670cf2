#include "catalog/change_log.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace indigo::catalog {

namespace {

constexpr uint64_t kNameBit = uint64_t{1} << 63, kFunctionBit = uint64_t{1} << 62;

uint64_t name_bits(std::string_view name) { return std::hash<std::string_view>{}(name) >> 2; }

}  // namespace

DependenceKey relation_or_type_name(std::string_view name) { return kNameBit | name_bits(name); }

DependenceKey function_name(std::string_view name) { return kNameBit | kFunctionBit | name_bits(name); }

bool Dependences::add_new(DependenceKey key) {
  if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return false;
  keys_.push_back(key);
  return true;
}

void Dependences::seal() {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  keys_.shrink_to_fit();
}

void ChangeLog::add(uint64_t version, std::span<const DependenceKey> keys) {
  INDIGO_CHECK(version >= newest_);
  newest_ = version;
  if (last_.size() + keys.size() > kKeysMax) return add_everything(version);
  for (const DependenceKey key : keys) last_[key] = version;
}

void ChangeLog::add_everything(uint64_t version) {
  newest_ = version;
  everything_ = version;
  last_.clear();
}

bool ChangeLog::touched_since(uint64_t version, const Dependences& on) const {
  if (newest_ <= version) return false;
  if (everything_ > version || on.everything()) return true;
  return std::any_of(on.keys().begin(), on.keys().end(), [&](DependenceKey key) {
    const auto at = last_.find(key);
    return at != last_.end() && at->second > version;
  });
}

}  // namespace indigo::catalog
