#include "types/value/defined_equality.h"

#include <utility>

#include "base/raised_error.h"

namespace indigo::types {

namespace {

std::string image_of_value(const Datum& value) {
  if (value.phys == Phys::kStr) return std::string(value.str);
  return std::string(reinterpret_cast<const char*>(&value.block), phys_bytes(value.phys));
}

void append_word(uint32_t word, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(word >> shift));
}

}  // namespace

// ClassCalls::compare() answers 0 where a function's answer is true.
bool DefinedEquality::equal(const Datum& a, const Datum& b) const {
  Result<int32_t> result = calls().compare(hash_.database, equality_, hash_.type, a, b);
  if (!result.ok()) throw RaisedError(std::move(*result.take_error()));
  return *result == 0;
}

uint32_t DefinedEquality::hash(const Datum& value) const {
  Result<int32_t> result = calls().hash(hash_.database, hash_.function, hash_.type, value);
  if (!result.ok()) throw RaisedError(std::move(*result.take_error()));
  return static_cast<uint32_t>(*result);
}

int DefinedEquality::compare(const Datum& a, const Datum& b) const {
  if (equal(a, b)) return 0;
  const uint32_t left = hash(a), right = hash(b);
  if (left != right) return left < right ? -1 : 1;
  return image_of_value(a) < image_of_value(b) ? -1 : 1;
}

void DefinedEquality::append_key(const Datum& value, Labels labels, std::string& out) const {
  std::string image = image_of_value(value);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_image_.find(image); known != by_image_.end()) {
      out += known->second;
      return;
    }
  }
  std::string key;
  const uint32_t h = hash(value);
  append_word(h, key);
  append_word(number_of(h, value, labels), key);
  out += key;
  if (labels == Labels::kLook) return;
  const std::lock_guard lock(mutex_);
  by_image_.emplace(std::move(image), std::move(key));
}

// Others may add values of the hash meanwhile: they are met in their turn.
uint32_t DefinedEquality::number_of(uint32_t hash, const Datum& value, Labels labels) const {
  for (uint32_t i = 0;; i++) {
    const OwnedDatum* other = nullptr;
    {
      const std::lock_guard lock(mutex_);
      auto& all = by_hash_[hash];
      if (i == all.size()) {
        if (labels == Labels::kKeep) all.push_back(std::make_unique<OwnedDatum>(value));
        return i;
      }
      other = all[i].get();
    }
    if (equal(value, other->get())) return i;
  }
}

}  // namespace indigo::types
