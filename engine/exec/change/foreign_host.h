// What the executor asks of the session about foreign tables that are changed: who writes their rows where they are.
//
// Data flow. Rows go there and come back as images in the layout of the foreign table. A row that is to be updated or deleted is
// known by its place, which the scan that found it has put into its key, with the row as it was found (foreign_row_key).
// Constraints of a foreign table are not looked at here: the other server has its own.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::engine::exec {

struct ForeignChangeSpec {
  int16_t event = 0;            // catalog::TriggerType
  std::vector<size_t> columns;  // UPDATE: that get values
  bool returning = false;       // the row is wanted as it is there afterwards
  bool places = false;          // and its ctid
  bool one_by_one = false;      // each row has triggers or conditions of its own here
  bool do_nothing = false;      // ON CONFLICT DO NOTHING
};

class ForeignChange {
 public:
  virtual ~ForeignChange() = default;
  // How many of the rows are written: with `returning` those that are not become empty, and without it the last ones are not.
  virtual Result<size_t> insert(std::span<std::string> rows) = 0;
  // False: the row is not there, or is left as it is.
  virtual Result<bool> update(Bytes place, std::string& row) = 0;
  virtual Result<bool> erase(Bytes place) = 0;
  // With `places`: the ctid (a value of that type) of a row of the last insert() or update().
  virtual Bytes place_of(size_t row) const = 0;
};

class ForeignHost {
 public:
  virtual ~ForeignHost() = default;
  // 0A000 for a wrapper that changes nothing, 55000 for a table that takes no such change.
  virtual Status check(const catalog::RelationInfo& relation, int16_t event) = 0;
  virtual Result<std::unique_ptr<ForeignChange>> change(std::shared_ptr<const catalog::RelationInfo> relation,
                                                        ForeignChangeSpec spec) = 0;
};

// A foreign row's key: its place, and its image.
inline std::string foreign_row_key(Bytes place, Bytes image) {
  std::string out(1, static_cast<char>(place.size()));
  out.append(place).append(image);
  return out;
}
struct ForeignRowKey {
  Bytes place, image;
};
inline ForeignRowKey split_foreign_row_key(Bytes key) {
  if (key.empty()) return {};
  const size_t size = static_cast<unsigned char>(key[0]);
  return {key.substr(1, size), key.substr(1 + size)};
}

}  // namespace indigo::engine::exec
