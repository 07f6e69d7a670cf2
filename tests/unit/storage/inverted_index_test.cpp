// Inverted indexes: a row's keys are its letters. Whatever is written, undone, deleted or seen through an old snapshot, the
// candidates of a letter include each record whose visible version has it; when nothing older is left they are no others.
#include <algorithm>
#include <map>
#include <set>

#include "storage/index/btree_index.h"
#include "storage/index/key_list.h"
#include "storage/index_candidates.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {

namespace {

class LetterExtractor final : public KeyExtractor {
 public:
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    key.clear();
    has_null = false;
    if (row.starts_with("!")) return Outcome::kNotIndexed;
    const std::set<char> letters(row.begin(), row.end());
    for (const char letter : letters) append_to_key_list(Bytes(&letter, 1), key);
    return Outcome::kKey;
  }
};

}  // namespace

class InvertedIndex : public StoreFixture {
 protected:
  void make_index() {
    auto t = begin();
    ASSERT_EQ(create_index(*table, *t, id_, create_inverted_index, {}, std::make_shared<LetterExtractor>(), nullptr),
              StorageStatus::kOk);
    commit(*t);
  }
  Candidates candidates(Transaction& t, const KeyRange& range, size_t most = SIZE_MAX) {
    Candidates out;
    EXPECT_EQ(index_candidates(*table, t, t.view(), id_, {&range, 1}, nullptr, most, out), StorageStatus::kOk);
    return out;
  }
  std::vector<std::string> with_letter(Transaction& t, char letter) {
    return candidates(t, KeyRange::point(Bytes(&letter, 1))).primary_keys;
  }
  std::vector<std::string> really_with(Transaction& t, char letter) {
    std::vector<std::string> out;
    for (const auto& [key, row] : scan(t)) {
      if (!row.starts_with("!") && row.find(letter) != std::string::npos) out.push_back(key);
    }
    return out;
  }
  // `exact`: no version is left that nobody sees.
  void check(Transaction& t, bool exact) {
    for (char letter = 'a'; letter < 'a' + kLetters; letter++) {
      const auto found = with_letter(t, letter), wanted = really_with(t, letter);
      EXPECT_TRUE(std::includes(found.begin(), found.end(), wanted.begin(), wanted.end())) << letter;
      if (exact) {
        EXPECT_EQ(found, wanted) << letter;
      }
    }
  }

  static constexpr int kLetters = 6;
  const IndexId id_{77};
};

TEST_F(InvertedIndex, BuiltFromWhatIsThere) {
  put("1", "ab");
  put("2", "bcb");
  put("3", "!abc");
  put("4", "");
  make_index();
  auto t = begin();
  EXPECT_EQ(with_letter(*t, 'a'), (std::vector<std::string>{"1"}));
  EXPECT_EQ(with_letter(*t, 'b'), (std::vector<std::string>{"1", "2"}));
  KeyRange from_b;
  from_b.low = "b";
  from_b.has_low = true;
  EXPECT_EQ(candidates(*t, from_b).primary_keys, (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(candidates(*t, from_b, 1).all);
  EXPECT_FALSE(candidates(*t, KeyRange::point("a"), 1).all);
}

TEST_F(InvertedIndex, AnUpdateKeepsWhatBothVersionsHave) {
  make_index();
  put("1", "ab");
  auto old = begin(Isolation::kRepeatableRead);
  put("1", "bc");
  check(*old, false);
  auto now = begin();
  check(*now, false);
  EXPECT_EQ(with_letter(*old, 'a'), (std::vector<std::string>{"1"}));
}

TEST_F(InvertedIndex, SerializableReadersOfAKeyMeetItsWriters) {
  make_index();
  put("1", "ab");
  auto one = serializable(), two = serializable();
  EXPECT_EQ(with_letter(*one, 'c').size(), 0U);
  EXPECT_EQ(with_letter(*two, 'd').size(), 0U);
  EXPECT_EQ(insert(*one, "2", "d"), StorageStatus::kOk);
  EXPECT_EQ(insert(*two, "3", "c"), StorageStatus::kOk);
  commit(*one);
  expect_failure(*two);
}

TEST_F(InvertedIndex, SeveralRangesAndAFilterGiveWhatTheyHave) {
  class Vowels final : public KeyFilter {
   public:
    Answer meet(Bytes key, std::string& next) override {
      static constexpr std::string_view kVowels = "aeiou";
      if (kVowels.find(key[0]) != std::string_view::npos) return Answer::kWanted;
      const auto* after = std::upper_bound(kVowels.begin(), kVowels.end(), key[0]);
      if (after == kVowels.end()) return Answer::kDone;
      if (key[0] % 2 == 0) return Answer::kNot;
      next = std::string(1, *after);
      return Answer::kSkip;
    }
  };
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  make_index();
  std::map<char, std::set<std::string>> rows_with;
  for (int i = 0; i < 400; i++) {
    std::string row;
    for (uint32_t n = random() % 4; n > 0; n--) row += static_cast<char>('a' + random() % 26);
    put(key_of(i), row);
    for (const char letter : row) rows_with[letter].insert(key_of(i));
  }
  auto t = begin();
  for (int round = 0; round < 300; round++) {
    std::vector<KeyRange> ranges;
    std::set<std::string> all, vowels;
    for (char from = 'a'; from <= 'z';) {
      const char low = static_cast<char>(from + random() % 4),
                 high = static_cast<char>(std::min(low + random() % 8, 126UL));
      KeyRange range;
      range.has_low = range.has_high = true;
      range.low = std::string(1, low);
      range.high = std::string(1, high);
      range.low_inclusive = random() % 2 == 0;
      range.high_inclusive = random() % 2 == 0;
      for (const auto& [letter, keys] : rows_with) {
        if (letter < low || letter > high || (letter == low && !range.low_inclusive) ||
            (letter == high && !range.high_inclusive)) {
          continue;
        }
        all.insert(keys.begin(), keys.end());
        if (std::string_view("aeiou").find(letter) != std::string_view::npos) vowels.insert(keys.begin(), keys.end());
      }
      ranges.push_back(std::move(range));
      from = static_cast<char>(high + 1);
    }
    Candidates out;
    EXPECT_EQ(index_candidates(*table, *t, t->view(), id_, ranges, nullptr, SIZE_MAX, out), StorageStatus::kOk);
    EXPECT_EQ(out.primary_keys, std::vector<std::string>(all.begin(), all.end())) << round;
    Vowels filter;
    EXPECT_EQ(index_candidates(*table, *t, t->view(), id_, ranges, &filter, SIZE_MAX, out), StorageStatus::kOk);
    EXPECT_EQ(out.primary_keys, std::vector<std::string>(vowels.begin(), vowels.end())) << round;
  }
}

TEST_F(InvertedIndex, AgreesWithTheTableAfterRandomChanges) {
  make_index();
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  const auto letters = [&] {
    std::string row(random() % 5 == 0 ? "!" : "");
    for (uint32_t n = random() % 4; n > 0; n--) row += static_cast<char>('a' + random() % kLetters);
    return row;
  };
  std::vector<std::unique_ptr<Transaction>> old;
  for (int round = 0; round < 2000; round++) {
    auto t = begin();
    for (uint32_t n = 1 + random() % 4; n > 0; n--) {
      const std::string key = key_of(static_cast<int>(random() % 40));
      const uint32_t savepoint = t->savepoint();
      next(*t);
      if (get(*t, key) == "-") {
        EXPECT_EQ(insert(*t, key, letters()), StorageStatus::kOk);
      } else {
        EXPECT_EQ(random() % 4 == 0 ? erase(*t, key) : update(*t, key, letters()), StorageStatus::kOk);
      }
      if (random() % 4 == 0) t->rollback_to(savepoint);
    }
    if (random() % 4 == 0) {
      store->rollback(*t);
    } else {
      commit(*t);
    }
    if (round % 100 == 0) old.push_back(begin(Isolation::kRepeatableRead));
    if (round % 50 == 0) {
      for (const auto& view : old) check(*view, false);
      auto now = begin();
      check(*now, false);
    }
    if (old.size() > 3) {
      commit(*old.front());
      old.erase(old.begin());
    }
  }
  for (const auto& view : old) commit(*view);
  for (int i = 0; i < 10; i++) store->reclaim();
  auto now = begin();
  check(*now, true);
}

}  // namespace indigo::storage
