#include "storage/table/new_entries.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace indigo::storage {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string row_key(int row) { return std::to_string(100000 + row); }

Pairs taken(NewEntries& entries, size_t most) {
  Pairs out;
  std::vector<IndexEntry> batch;
  for (entries.next(most, batch); !batch.empty(); entries.next(most, batch)) {
    EXPECT_LE(batch.size(), most);
    for (const IndexEntry& entry : batch) out.emplace_back(entry.key, entry.primary_key);
  }
  return out;
}

class NewEntriesOf : public testing::TestWithParam<bool> {};

TEST_P(NewEntriesOf, ComeInTheOrderOfKeysAndThenOfPrimaryKeys) {
  std::mt19937_64 random(11);
  for (const size_t most : {1, 7, 1000}) {
    NewEntries entries(GetParam());
    Pairs wanted;
    for (int row = 0; row < 500; row++) {
      entries.begin_row(row_key(row), false);
      const int keys = GetParam() ? static_cast<int>(random() % 5) : 1;
      std::vector<std::string> of_row;
      for (int i = 0; i < keys; i++) {
        std::string key(random() % 12, '\0');
        for (char& c : key) c = "\0a\xff"[random() % 3];
        if (std::ranges::find(of_row, key) != of_row.end()) continue;
        of_row.push_back(key);
        entries.add(key);
        wanted.emplace_back(key, row_key(row));
      }
    }
    std::ranges::sort(wanted);
    EXPECT_EQ(entries.size(), wanted.size());
    entries.sort();
    EXPECT_EQ(taken(entries, most), wanted);
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, NewEntriesOf, testing::Bool());

TEST(NewEntries, TheFirstDuplicateIsTheLaterRow) {
  NewEntries entries(false);
  const auto add = [&](int row, Bytes key, bool has_null) {
    entries.begin_row(row_key(row), has_null);
    entries.add(key);
  };
  add(1, "same key of more than eight bytes", false);
  add(2, "null", true);
  add(3, "a", false);
  add(4, "same key of more than eight bytes", false);
  add(5, "null", true);
  entries.sort();
  ASSERT_NE(entries.first_duplicate(false), nullptr);
  EXPECT_EQ(*entries.first_duplicate(false), row_key(5));
  ASSERT_NE(entries.first_duplicate(true), nullptr);
  EXPECT_EQ(*entries.first_duplicate(true), row_key(4));
}

}  // namespace
}  // namespace indigo::storage
