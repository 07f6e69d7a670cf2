// A Device on a file, mapped block by block through libpmem2: persistent memory (DAX) at cacheline granularity, any other
// file at page granularity. PMEM2_FORCE_GRANULARITY=CACHE_LINE makes an ordinary file pass for persistent memory.
// libpmem2 is loaded when the first device is opened: a server without a data directory does not pay for it.
// Thread safety: as Device. At page granularity libpmem2's own flushing would be an msync for every record, so write()
// only copies there, and sync() is one fdatasync of the file.
#pragma once

#include <memory>
#include <string>

#include "log/device.h"

namespace indigo::log {

Result<std::unique_ptr<Device>> open_pmem2_device(const std::string& path, uint32_t block_bytes, bool create);

}  // namespace indigo::log
