// Random changes of a table and of an ordered map, which foresees what each of them answers.
//
// Rows are "group:name;rest", or have no colon. A table may have an index over the groups (ColonExtractor) and a unique one over
// the names.
//
// Thread safety: a writer belongs to one thread; others may change keys with other letters, and the names that begin with them.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "storage/table.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {

// A row "group:name;rest" is indexed under its name, which is unique.
class NameExtractor final : public KeyExtractor {
 public:
  static Bytes name_of(Bytes row) {
    const size_t colon = row.find(':');
    return colon == Bytes::npos ? Bytes() : row.substr(colon + 1, row.find(';') - colon - 1);
  }
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    key.assign(name_of(row));
    has_null = false;
    return key.empty() ? Outcome::kNotIndexed : Outcome::kKey;
  }
};

// One writer, in a table where all keys with its letter are its own. Without a lane: no other thread writes there.
class ModelWriter {
 public:
  ModelWriter(Table& table, char letter, std::mt19937& random) : table_(table), letter_(1, letter), random_(random) {}

  // One change of both, of a transaction that has begun its command. kSerialization: it must end. Others are failures.
  StorageStatus change(Transaction& t, Rows& rows, bool shrinking) {
    std::string key = random_key();
    const std::string row = random_row();
    uint32_t what = random_() % 8;
    if (shrinking && what != 6) what = 7;
    if (auto near = rows.lower_bound(key); shrinking && near != rows.end() && near->first[8] != '#') key = near->first;
    const bool there = rows.contains(key);
    const StorageStatus found = there ? StorageStatus::kOk : StorageStatus::kNotFound;
    const uint32_t level = t.savepoint();
    StorageStatus wanted = found, s;
    Rows after = rows;
    Claimed claimed;
    if (what < 3) {
      wanted = there || taken(rows, row, {}) ? StorageStatus::kDuplicateKey : StorageStatus::kOk;
      s = table_.insert(t, key, row, nullptr);
      after[key] = row;
    } else {
      const auto mode = what < 6 ? RowLockMode::kNoKeyUpdate : RowLockMode::kUpdate;
      s = table_.claim(t, t.view(), key, mode, LockWait::kWait, claimed);
      if (s == StorageStatus::kOk) {
        EXPECT_EQ(claimed.row, there ? rows[key] : "-");
        if (what < 6) {
          if (taken(rows, row, key)) wanted = StorageStatus::kDuplicateKey;
          s = table_.update(t, key, row, nullptr);
          after[key] = row;
        } else if (what == 6) {
          const std::string to = random_key();
          if ((to != key && rows.contains(to)) || taken(rows, row, key)) wanted = StorageStatus::kDuplicateKey;
          s = table_.update_key(t, key, to, row, nullptr);
          after.erase(key);
          after[to] = row;
        } else {
          s = table_.erase(t, key);
          after.erase(key);
        }
      }
    }
    if (s == StorageStatus::kSerialization && t.isolation() == Isolation::kSerializable) return s;
    EXPECT_EQ(s, wanted) << "of change " << what << " of " << key;
    if (s == StorageStatus::kOk) {
      t.release(level);
      rows = std::move(after);
    } else {
      t.rollback_to(level);
      t.release(level);
    }
    return StorageStatus::kOk;
  }

 private:
  std::string random_key() {
    std::string key = digits_of(random_() % 200);
    if (random_() % 8 == 0) key = "a rather long key, longer than the prefix " + digits_of(random_() % 40);
    return key + letter_;
  }
  static std::string digits_of(uint64_t n) {
    const std::string digits = std::to_string(n);
    return std::string(8 - digits.size(), '0') + digits;
  }
  std::string random_row() {
    const size_t rest = random_() % 40 == 0 ? random_() % 2000 : random_() % 60;
    const std::string name = random_() % 4 == 0 ? "" : letter_ + std::to_string(random_() % 2000);
    return "g" + std::to_string(random_() % 15) + ":" + name + ";" +
           std::string(rest, static_cast<char>('a' + random_() % 26));
  }
  // Does another row have this row's name?
  static bool taken(const Rows& rows, const std::string& row, const std::string& key) {
    const Bytes name = NameExtractor::name_of(row);
    if (name.empty()) return false;
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& r) { return r.first != key && NameExtractor::name_of(r.second) == name; });
  }

  Table& table_;
  const std::string letter_;
  std::mt19937& random_;
};

}  // namespace indigo::storage
