// CRC-32C (Castagnoli), by the processor's instruction where it has one. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo::log {

// Of `size` bytes that follow those whose checksum is `crc` (0: none).
uint32_t crc32c(const void* data, size_t size, uint32_t crc = 0);
// The same without the instruction: what other processors run, and what the tests compare with.
uint32_t crc32c_portable(const void* data, size_t size, uint32_t crc = 0);

}  // namespace indigo::log
