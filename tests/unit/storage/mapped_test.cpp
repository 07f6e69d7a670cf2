// Tables over the leaves of an image: what is read when, what is counted where, and what is found when bytes are damaged.
// (tests/unit/storage/model_test.cpp, clone_test.cpp and clone_stress_test.cpp have their models over such tables, too.)
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "base/raised_error.h"
#include "storage/clone.h"
#include "storage/statistics.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/mapped_copy.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // who has the old one mapped keeps it
  std::ofstream(path, std::ios::binary) << bytes;
}

// The fixture's table has small leaves; what is mapped has stores of its own.
class MappedTest : public StoreFixture {
 protected:
  MappedTest() : StoreFixture(1024) {}

  struct Mapped {
    std::unique_ptr<Store> store = Store::create({});
    std::shared_ptr<Table> table;
    IndexId index;
    Status status;

    TableImpl& own() const { return static_cast<TableImpl&>(*table); }
    const MappedBlocks& blocks() const { return static_cast<StoreImpl&>(*store).mapped(); }
    std::unique_ptr<Transaction> begin() const {
      auto t = store->begin(Isolation::kReadCommitted, 0);
      t->take_statement_snapshot();
      return t;
    }
    Rows rows(Cursor& cursor) const {
      Rows out;
      std::vector<RowRef> batch(64);
      for (size_t n = 1; n > 0;) {
        EXPECT_EQ(cursor.next(batch, n), StorageStatus::kOk);
        for (size_t i = 0; i < n; i++) out[std::string(batch[i].key)] = batch[i].row;
      }
      return out;
    }
    Rows rows() const {
      auto t = begin();
      return rows(*table->scan(*t, t->view(), KeyRange::all()));
    }
    Rows rows_by_index() const {
      auto t = begin();
      return rows(*table->scan_index(*t, t->view(), index, KeyRange::all(), Direction::kBackward));
    }
    std::string get(Bytes key) const {
      auto t = begin();
      std::string row;
      return table->get(*t, t->view(), key, row) == StorageStatus::kOk ? row : "-";
    }
    StorageStatus change(Transaction& t, Bytes key, Bytes row) const {
      Claimed claimed;
      const StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed);
      return s == StorageStatus::kOk ? table->update(t, claimed.key, row, nullptr) : s;
    }
    void put(Bytes key, Bytes row) const {
      auto t = begin();
      const StorageStatus s = change(*t, key, row);
      ASSERT_EQ(s == StorageStatus::kNotFound ? table->insert(*t, key, row, nullptr) : s, StorageStatus::kOk);
      ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
    }
    void settle() const {
      for (int i = 0; i < 8; i++) store->reclaim();
    }
    std::string check() const {
      static_cast<StoreImpl&>(*store).reclaimer().stop();
      const std::string tree = own().tree().check();
      return tree.empty() ? own().indexes()->front()->index->check() : tree;
    }
  };
  void fill(int n) {
    auto t = begin();
    for (int i = 0; i < n; i++) {
      rows_[key_of(i)] = "s" + std::to_string(i % 700) + ":row " + std::to_string(i);
      ASSERT_EQ(insert(*t, key_of(i), rows_[key_of(i)]), StorageStatus::kOk);
    }
    commit(*t);
    add_colon_index(*store, *table);
    for (int i = 0; i < 8; i++) store->reclaim();
    ASSERT_TRUE(can_be_mapped(*table));
    ASSERT_TRUE(write_image(*table, path_).ok());
  }
  Mapped map() const {
    Mapped out;
    out.index = IndexId(out.store->next_id().value);
    auto table = map_image(*out.store, path_, out.index);
    if (table.ok()) {
      out.table = std::move(*table);
    } else {
      out.status = std::move(table.error());
    }
    return out;
  }

  const ImagePath path_;
  Rows rows_;
};

TEST_F(MappedTest, HasTheRows) {
  fill(20000);
  ASSERT_GT(static_cast<TableImpl&>(*table).tree().leaf_count(), Inner::kMaxChildren + 0U)
      << "two levels of inner nodes";
  const Mapped m = map();
  ASSERT_TRUE(m.status.ok());
  EXPECT_EQ(m.table->rows(), rows_.size());
  EXPECT_EQ(m.rows(), rows_);
  EXPECT_EQ(m.rows_by_index(), rows_);
  EXPECT_EQ(m.get(key_of(777)), rows_[key_of(777)]);
  EXPECT_EQ(m.get("nothing"), "-");
  std::vector<std::string> found;
  EXPECT_EQ(m.own().indexes()->front()->index->lookup("s5", found), 29U);
  EXPECT_EQ(m.check(), "");
  EXPECT_EQ(m.own().tree().copy_count(), 0U);
}

TEST_F(MappedTest, ReadsWhatIsAskedFor) {
  fill(20000);
  const Mapped m = map();
  EXPECT_EQ(m.blocks().examined(), 0U);
  EXPECT_EQ(m.get(key_of(777)), rows_[key_of(777)]);
  EXPECT_EQ(m.blocks().examined(), 1U);
  m.put(key_of(777), "changed");  // its neighbours are not looked at
  EXPECT_EQ(m.blocks().examined(), 2U) << "the leaf of the old index entry";
  m.settle();
  EXPECT_EQ(m.blocks().examined(), 2U);
}

TEST_F(MappedTest, ChangesAreItsOwn) {
  fill(5000);
  const Mapped one = map();
  std::filesystem::remove(static_cast<const std::string&>(path_));  // the mapping does not need its name
  const std::string image = std::string(one.blocks().data(), one.blocks().size());
  const Rows before = rows_;
  std::mt19937 random(seed_or(1));
  for (int i = 0; i < 3000; i++) {
    const std::string key = key_of(static_cast<int>(random() % 5000)) + (random() % 3 == 0 ? "x" : "");
    const std::string row = "t" + std::to_string(random() % 50) + ":" + std::string(random() % 100, 'z');
    one.put(key, row);
    rows_[key] = row;
  }
  for (int i = 1000; i < 3000; i++) {  // whole leaves
    auto t = one.begin();
    Claimed claimed;
    ASSERT_EQ(one.table->claim(*t, t->view(), key_of(i), RowLockMode::kUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    ASSERT_EQ(one.table->erase(*t, key_of(i)), StorageStatus::kOk);
    ASSERT_EQ(one.store->commit(*t), StorageStatus::kOk);
    rows_.erase(key_of(i));
  }
  one.settle();
  EXPECT_EQ(one.rows(), rows_);
  EXPECT_EQ(one.check(), "");
  EXPECT_TRUE(image == std::string(one.blocks().data(), one.blocks().size()));
  write_bytes(path_, image);
  const Mapped two = map();
  EXPECT_EQ(two.rows(), before);
}

TEST_F(MappedTest, ClonesShareItAndGoInAnyOrder) {
  fill(5000);
  for (const bool source_first : {true, false}) {
    Mapped m = map();
    Mapped copy;
    copy.store = nullptr;
    ASSERT_EQ(clone_tables(*m.store,
                           [&](Cloner& cloner) {
                             copy.table = cloner.clone(
                                 *m.table, {}, [&](IndexId) { return copy.index = IndexId(m.store->next_id().value); });
                           }),
              StorageStatus::kOk);
    m.put(key_of(7), "source");
    std::swap(m.table, copy.table);
    std::swap(m.index, copy.index);
    m.put(key_of(8), "clone");
    EXPECT_EQ(m.get(key_of(7)), rows_[key_of(7)]);
    EXPECT_EQ(m.get(key_of(8)), "clone");
    if (!source_first) {
      std::swap(m.table, copy.table);
      std::swap(m.index, copy.index);
    }
    copy.table.reset();
    m.settle();
    Rows wanted = rows_;
    source_first ? wanted[key_of(8)] = "clone" : wanted[key_of(7)] = "source";
    EXPECT_EQ(m.rows(), wanted);
    EXPECT_EQ(m.check(), "");
  }
}

TEST_F(MappedTest, IsCountedWhereItIsReached) {
  fill(5000);
  const Mapped m = map();
  const auto bytes_of = [&](MemoryKind kind) {
    static_cast<StoreImpl&>(*m.store).trim();
    return statistics_of(*m.store).bytes_of(kind);
  };
  const TableMemory memory = m.own().memory();
  EXPECT_EQ(memory.leaf_bytes, m.own().tree().leaf_count() * 1024);
  EXPECT_EQ(m.own().tree().leaf_count(), static_cast<TableImpl&>(*table).tree().leaf_count());
  EXPECT_GE(memory.index_bytes(), static_cast<TableImpl&>(*table).memory().index_bytes() / 2);
  EXPECT_EQ(bytes_of(MemoryKind::kLeaves), 0);
  const auto index_bytes = bytes_of(MemoryKind::kIndexes);
  EXPECT_LT(index_bytes, static_cast<int64_t>(memory.index_bytes() / 4)) << "inner nodes";
  m.put(key_of(7), "changed");
  EXPECT_EQ(bytes_of(MemoryKind::kLeaves), 1024);
  EXPECT_EQ(m.own().memory().leaf_bytes, memory.leaf_bytes);
  m.settle();
  EXPECT_EQ(bytes_of(MemoryKind::kIndexes), index_bytes + BtreeNode::kDefaultBytes) << "the leaf of the old entry";
  EXPECT_EQ(m.own().memory().index_bytes(), memory.index_bytes());
}

TEST_F(MappedTest, HiddenRowIdsContinue) {
  fill(100);
  for (int i = 0; i < 10; i++) table->next_row_id();
  std::filesystem::remove(static_cast<const std::string&>(path_));
  ASSERT_TRUE(write_image(*table, path_).ok());
  EXPECT_EQ(map().table->next_row_id(), 11U);
}

TEST_F(MappedTest, NotWithRowsThatLieElsewhere) {
  fill(100);
  put(key_of(50), std::string(900, 'l'));
  EXPECT_FALSE(can_be_mapped(*table));
}

TEST_F(MappedTest, IsRefusedWhenItIsAnothers) {
  fill(100);
  Mapped m;
  const auto opened = open_image(*m.store, path_, "another program");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().state.text(), "0A000");
}

TEST_F(MappedTest, IsRefusedWhenItIsCutOff) {
  fill(100);
  const std::string image = bytes_of(path_);
  for (size_t size = 0; size < image.size(); size += 1 + size / 50) {
    write_bytes(path_, image.substr(0, size));
    const Mapped m = map();
    ASSERT_FALSE(m.status.ok()) << size;
    ASSERT_EQ(m.status.error().state.text(), "XX001") << size;
  }
  write_bytes(path_, image + '\0');
  EXPECT_FALSE(map().status.ok());
}

// Whatever byte is another: the image is refused, or a statement is told, or the byte does not matter to it. No row is another.
TEST_F(MappedTest, EachDamagedByteIsFound) {
  fill(60);
  const std::string image = bytes_of(path_);
  std::mt19937 random(seed_or(1));
  size_t refused = 0, told = 0;
  for (size_t at = 0; at < image.size(); at++) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ (random() % 2 == 0 ? 0xff : 1 << random() % 8));
    write_bytes(path_, damaged);
    const Mapped m = map();
    if (!m.status.ok()) {
      refused++;
      continue;
    }
    bool raised = false;
    for (const bool by_index : {false, true}) {
      try {
        ASSERT_EQ(by_index ? m.rows_by_index() : m.rows(), rows_);
      } catch (const RaisedError& e) {
        ASSERT_EQ(e.error.state.text(), "XX001");
        raised = true;
      }
    }
    ASSERT_TRUE(raised) << "byte " << at;
    told++;
  }
  EXPECT_GT(refused, 4096U);
  EXPECT_GT(told, 4096U);
}

// Statements that need the damaged block fail, whatever they are; the others and the reclaimer go on beside it.
TEST_F(MappedTest, WhatIsDamagedStaysAlone) {
  fill(600);
  const std::string image = bytes_of(path_);
  const Mapped whole = map();
  uint64_t damaged_key = 0;
  std::string damaged = image;
  {  // the leaf of this key
    uint64_t version;
    EpochManager::Guard guard(whole.own().epochs());
    const Leaf* leaf = whole.own().tree().find_leaf(KeyView(key_of(300)), version);
    damaged_key = 300;
    const auto place = static_cast<size_t>(reinterpret_cast<const char*>(leaf) - whole.blocks().data());
    damaged[place + 500] = static_cast<char>(damaged[place + 500] ^ 4);
  }
  write_bytes(path_, damaged);
  const Mapped m = map();
  ASSERT_TRUE(m.status.ok());
  const std::string key = key_of(static_cast<int>(damaged_key));
  const auto fails = [&](const std::function<void(Transaction&)>& work) {
    auto t = m.begin();
    EXPECT_THROW(work(*t), RaisedError);
    m.store->rollback(*t);
  };
  fails([&](Transaction& t) { (void)m.change(t, key, "new"); });
  fails([&](Transaction& t) { (void)m.table->insert(t, key + "x", "new", nullptr); });
  fails([&](Transaction& t) {
    std::string row;
    (void)m.table->get(t, t.view(), key, row);
  });
  fails([&](Transaction& t) {
    std::vector<std::string> rows(2);
    bool found[2];
    const std::string other = key_of(1);
    const Bytes keys[] = {other, key};
    (void)m.table->get_many(t, t.view(), keys, rows, found);
  });
  fails([&](Transaction& t) { m.rows(*m.table->scan(t, t.view(), KeyRange::all())); });
  fails([&](Transaction& t) { m.rows(*m.table->scan(t, t.view(), KeyRange::all(), Direction::kBackward)); });
  // The leaves on both sides of it: copied, emptied, split.
  for (int i = 0; i < 600; i++) {
    if (i > 250 && i < 350) continue;
    m.put(key_of(i), std::string(static_cast<size_t>(i % 90), 'n'));
  }
  EXPECT_EQ(m.get(key_of(249)), std::string(249 % 90, 'n'));
  for (int i = 0; i < 600; i++) {
    if (i > 250 && i < 350) continue;
    auto t = m.begin();
    Claimed claimed;
    ASSERT_EQ(m.table->claim(*t, t->view(), key_of(i), RowLockMode::kUpdate, LockWait::kWait, claimed),
              StorageStatus::kOk);
    ASSERT_EQ(m.table->erase(*t, key_of(i)), StorageStatus::kOk);
    ASSERT_EQ(m.store->commit(*t), StorageStatus::kOk);
  }
  m.settle();
  EXPECT_EQ(m.get(key_of(1)), "-");
  EXPECT_EQ(m.get(key_of(599)), "-");
  fails([&](Transaction& t) { (void)m.change(t, key, "new"); });
}

// An entry in a damaged leaf of an index: who adds one is told, who gives one up is not kept from committing.
TEST_F(MappedTest, ADamagedIndexKeepsNobodyFromCommitting) {
  fill(600);
  std::string image = bytes_of(path_);
  {
    const Mapped whole = map();
    static_cast<const BtreeIndex&>(*whole.own().indexes()->front()->index)
        .for_each_leaf([&](const BtreeNode& leaf, const BtreePlace&) {
          const auto place = static_cast<size_t>(reinterpret_cast<const char*>(&leaf) - whole.blocks().data());
          image[place + 100] = static_cast<char>(image[place + 100] ^ 1);
        });
  }
  write_bytes(path_, image);
  const Mapped m = map();
  EXPECT_EQ(m.rows(), rows_);
  EXPECT_THROW(m.rows_by_index(), RaisedError);
  m.put(key_of(5), "no entry");
  m.settle();
  EXPECT_EQ(m.get(key_of(5)), "no entry");
  auto t = m.begin();
  EXPECT_THROW((void)m.change(*t, key_of(6), "t:new"), RaisedError);
  m.store->rollback(*t);
  m.settle();
  EXPECT_EQ(m.get(key_of(6)), rows_[key_of(6)]);
  m.put(key_of(6), "no entry");
}

}  // namespace
}  // namespace indigo::storage
