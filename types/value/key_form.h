// How a value becomes ordered bytes (key_codec.cpp says what each form writes): a part of its type's definition.
#pragma once

#include <cstdint>

namespace indigo::types {

enum class KeyForm : uint8_t {
  kNone,  // cannot be a key
  kBool,
  kI16,
  kI32,
  kI64,
  kU32,
  kU64,
  kF32,
  kF64,
  kText,
  kBpchar,
  kNumeric,
  kInterval,
  kUuid,
  kTimeTz,
  kFixedBytes,
  kNetwork,
  kBit,
  kArray,
  kRange,
  kMultirange
};

}  // namespace indigo::types
