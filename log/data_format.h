// The file `format` of a data directory: that it is complete, whose it is, and what a program must know to read it.
//
//   Indigo data directory, format 2
//   system identifier 7312345678901234567
//   catalog layout 9f3c21aa
//   collations ICU 72.1
//
// Format 1 had the first line alone. Thread safety: one user at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "log/device.h"

namespace indigo::log {

inline constexpr const char* kFormatName = "format";

struct DataFormat {
  uint64_t system_identifier = 0;  // made with the directory; copies and backups have it, too
  std::string catalog_layout;      // of the system tables, as the program that wrote last has them; empty: unknown
  std::string collations;          // the library that made the sort keys of text and its version; empty: unknown

  bool operator==(const DataFormat&) const = default;
};

// Nullopt: there is no such file. 0A000 for a format of another version, XX001 when it cannot be understood.
Result<std::optional<DataFormat>> read_data_format(Directory& directory);
// In the place of what is there, durably. After the first start of a new database: from then on a directory without a log is a
// damaged one.
Status write_data_format(Directory& directory, const DataFormat& format);

}  // namespace indigo::log
