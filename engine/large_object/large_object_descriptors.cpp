#include "engine/large_object/large_object_descriptors.h"

#include <algorithm>

#include "base/sqlstate.h"

namespace indigo::engine {

int32_t LargeObjectDescriptors::add(OpenLargeObject opened) {
  auto at = std::find(open_.begin(), open_.end(), std::nullopt);
  if (at == open_.end()) at = open_.emplace(at);
  *at = std::move(opened);
  return static_cast<int32_t>(at - open_.begin());
}

Result<OpenLargeObject*> LargeObjectDescriptors::find(int32_t number) {
  if (number >= 0 && static_cast<size_t>(number) < open_.size() && open_[number]) return &*open_[number];
  return Error(sqlstate::kUndefinedObject, "invalid large-object descriptor: " + std::to_string(number));
}

Status LargeObjectDescriptors::close(int32_t number) {
  INDIGO_TRY(find(number));
  open_[number].reset();
  return {};
}

void LargeObjectDescriptors::close_object(Oid object) {
  for (auto& slot : open_) {
    if (slot && slot->object == object) slot.reset();
  }
}

void LargeObjectDescriptors::roll_back_to(size_t depth) {
  for (auto& slot : open_) {
    if (slot && slot->depth > depth) slot.reset();
  }
}

void LargeObjectDescriptors::release_to(size_t depth) {
  for (auto& slot : open_) {
    if (slot) slot->depth = std::min(slot->depth, depth);
  }
}

}  // namespace indigo::engine
