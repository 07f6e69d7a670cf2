#include "engine/exec/expression/subplan_cache.h"

namespace indigo::engine::exec {

void append_value(const Datum& value, std::string& key) {
  key.push_back(value.null ? '\0' : '\1');
  if (value.null) return;
  const auto append = [&](const void* bytes, size_t size) { key.append(static_cast<const char*>(bytes), size); };
  switch (value.phys) {
    case Phys::kBool: append(&value.b, sizeof(value.b)); break;
    case Phys::kI16: append(&value.i16, sizeof(value.i16)); break;
    case Phys::kI32: append(&value.i32, sizeof(value.i32)); break;
    case Phys::kI64: append(&value.i64, sizeof(value.i64)); break;
    case Phys::kF32: append(&value.f32, sizeof(value.f32)); break;
    case Phys::kF64: append(&value.f64, sizeof(value.f64)); break;
    case Phys::kB16: append(&value.block, sizeof(value.block)); break;
    case Phys::kStr: {
      const size_t size = value.str.size();
      append(&size, sizeof(size));
      append(value.str.data(), size);
      break;
    }
  }
}

void SubPlanCache::clear() {
  values_.clear();
  bytes_ = 0;
  asked_ = answered_ = 0;
  in_use_ = true;
}

const Datum* SubPlanCache::find() {
  asked_++;
  const auto at = values_.find(key_);
  if (at == values_.end()) {
    if (asked_ >= kTrial && answered_ * kWorthwhile < asked_) in_use_ = false;
    return nullptr;
  }
  answered_++;
  return &at->second.get();
}

void SubPlanCache::store(const Datum& value) {
  if (!in_use_) return;
  bytes_ += key_.size() + sizeof(OwnedDatum) + sizeof(std::string) + (value.phys == Phys::kStr ? value.str.size() : 0);
  if (bytes_ > kBytesMax) {
    in_use_ = false;
    return;
  }
  values_.emplace(key_, OwnedDatum(value));
}

}  // namespace indigo::engine::exec
