// A Device on a file, mapped block by block: persistent memory (DAX) through libpmem2, at cacheline granularity; any other file
// by mmap, at page granularity. PMEM2_FORCE_GRANULARITY=CACHE_LINE makes an ordinary file pass for persistent memory.
// libpmem2 is loaded when a device needs it.
// Thread safety: as Device. At page granularity write() only copies, and sync() is one fdatasync of the file.
#pragma once

#include <memory>
#include <string>

#include "log/device.h"

namespace indigo::log {

Result<std::unique_ptr<Device>> open_pmem2_device(const std::string& path, uint32_t block_bytes, bool create);

}  // namespace indigo::log
