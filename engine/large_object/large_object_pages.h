// The bytes of one large object: rows of pg_largeobject, one for each page of kLargeObjectPageBytes that has been written.
// A page that is missing, and what a page is short of, reads as zeros.
//
// Reading takes any view. Writing changes the newest pages, and waits for who else changes them.
// Thread safety: belongs to one session's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/tables/system_table.h"
#include "storage/transaction.h"

namespace indigo::engine {

inline constexpr int64_t kLargeObjectPageBytes = 2048;  // LOBLKSIZE
inline constexpr int64_t kLargeObjectMaxBytes = INT32_MAX * kLargeObjectPageBytes;

class LargeObjectPages {
 public:
  // `table`: pg_largeobject of the session's database.
  LargeObjectPages(catalog::SystemTable& table, storage::Transaction& txn, Oid object)
      : table_(table), txn_(txn), object_(object) {}

  Result<int64_t> size(const storage::ReadView& view) const;
  // At most `count` bytes from `offset`, fewer at the end.
  Status read(const storage::ReadView& view, int64_t offset, size_t count, std::string& out) const;
  // offset + bytes.size() is at most kLargeObjectMaxBytes.
  Status write(int64_t offset, std::string_view bytes);
  // Cuts the object, or makes it longer.
  Status truncate(int64_t length);
  Status erase() { return erase_from(0); }

 private:
  std::string key(int32_t page) const;
  Status put(int32_t page, std::string_view data);
  Status erase_from(int32_t page);
  // The newest page, claimed; false when it is missing.
  Result<bool> claim(int32_t page, std::string& data, std::string& image) const;

  catalog::SystemTable& table_;
  storage::Transaction& txn_;
  const Oid object_;
};

}  // namespace indigo::engine
