#include "storage/lock/mode_vector.h"

namespace indigo::storage {

std::string ModeVector::text() const {
  static constexpr const char* kNames[kBasicModeCount] = {"N", "IS", "IX", "S", "SIX", "U", "X"};
  std::string text = kNames[static_cast<size_t>(whole())];
  if (gap() != BasicMode::kN) text += std::string(" gap ") + kNames[static_cast<size_t>(gap())];
  const size_t partitions = (64 - kPartitionShift) / 2 + 32 * more_.size();
  for (size_t i = 0; i < partitions; i++) {
    const BasicMode mode = partition(static_cast<uint16_t>(i));
    if (mode == BasicMode::kN) continue;
    text += " " + std::to_string(i) + ":" + kNames[static_cast<size_t>(mode)];
  }
  return text;
}

}  // namespace indigo::storage
