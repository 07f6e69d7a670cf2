// What the building of an index tells while it goes on, to who asks for it.
// Thread safety: called by the session that builds.
#pragma once

#include <cstdint>

namespace indigo::storage {

class IndexBuildWatch {
 public:
  enum class Step : uint8_t { kScan, kSort, kLoad };

  virtual ~IndexBuildWatch() = default;
  // A step begins. `total`: rows to scan (of a table to which others write: about), entries to sort or to load.
  virtual void began(Step step, uint64_t total) = 0;
  // So many of them are done.
  virtual void advanced(uint64_t done) = 0;
};

}  // namespace indigo::storage
