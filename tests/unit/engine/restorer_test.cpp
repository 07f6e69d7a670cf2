// Recovery's operations by one thread and by several: the same tables come out.
#include "engine/durability/restorer.h"

#include <array>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "log/record_stream.h"
#include "storage/durability.h"
#include "storage/store_options.h"
#include "storage/table.h"

namespace indigo::engine {
namespace {

using Rows = std::map<std::pair<uint64_t, std::string>, std::string>;

std::string key_of(uint64_t i) {
  const uint64_t big = big_endian(i);
  return {reinterpret_cast<const char*>(&big), sizeof big};
}

// Everything that the tables hold, read in a transaction.
Rows rows_of(storage::Store& store, catalog::RestoredObjects& restored) {
  Rows out;
  storage::start_clock(store, CommitStamp(100));
  auto txn = store.begin(storage::Isolation::kRepeatableRead, 0);
  txn->take_statement_snapshot();
  for (const auto& [id, table] : restored.tables) {
    const auto cursor = table->scan(*txn, txn->view(), storage::KeyRange::all());
    std::array<storage::RowRef, 64> rows;
    for (size_t count = 1; count > 0;) {
      EXPECT_EQ(cursor->next(rows, count), storage::StorageStatus::kOk);
      for (size_t i = 0; i < count; i++) out[{id.value, std::string(rows[i].key)}] = std::string(rows[i].row);
    }
  }
  store.rollback(*txn);
  return out;
}

// A checkpoint's chunks, then random operations on a few tables with clones between; `expected` follows in a map.
void replay(uint64_t seed, Restorer& restorer, Rows& expected) {
  std::mt19937_64 random(seed);
  constexpr uint64_t kTables = 3, kKeys = 3000;
  for (uint64_t chunk = 0; chunk < 20; chunk++) {
    auto text = std::make_shared<std::string>();
    for (uint64_t i = 0; i < 300; i++) {
      const log::DurableId table(1 + chunk % kTables);
      const std::string key = key_of(chunk * 300 + i), row(1 + random() % 60, 'c');
      log::encode_put(table, key, row, *text);
      expected[{table.value, key}] = row;
    }
    EXPECT_TRUE(restorer.chunk(text));
  }
  for (int stream = 0; stream < 300; stream++) {
    auto text = std::make_shared<std::string>();
    const auto put = [&](uint64_t table) {
      const std::string key = key_of(random() % kKeys);
      const std::string row(random() % 50 == 0 ? 5000 : random() % 100, static_cast<char>('a' + random() % 26));
      log::encode_put(log::DurableId(table), key, row, *text);
      expected[{table, key}] = row;
    };
    for (uint64_t n = random() % 200; n > 0; n--) {
      const uint64_t table = 1 + random() % (2 * kTables);
      if (random() % 4 != 0) {
        put(table);
        continue;
      }
      const std::string key = key_of(random() % kKeys);
      log::encode_erase(log::DurableId(table), key, *text);
      expected.erase({table, key});
    }
    restorer.keep(text);
    EXPECT_TRUE(restorer.stream(*text, log::RecordKind::kCommit));
    if (random() % 10 == 0) {
      const uint64_t source = 1 + random() % kTables, clone = kTables + 1 + random() % kTables;
      auto clones = std::make_shared<std::string>();
      log::encode_clone(log::DurableId(clone), log::DurableId(source), *clones);
      EXPECT_TRUE(restorer.stream(*clones, log::RecordKind::kClones));
      std::erase_if(expected, [&](const auto& row) { return row.first.first == clone; });
      Rows copies;
      for (const auto& [place, row] : expected) {
        if (place.first == source) copies[{clone, place.second}] = row;
      }
      expected.merge(copies);
    }
  }
}

TEST(Restorer, HasTheSameRowsOnAnyNumberOfThreads) {
  for (const uint64_t seed : {1, 2, 3}) {
    for (const unsigned threads : {1U, 2U, 5U}) {
      auto store = storage::Store::create({});
      Restorer restorer(*store, threads);
      Rows expected;
      replay(seed, restorer, expected);
      auto restored = restorer.finish();
      ASSERT_TRUE(restored.ok());
      EXPECT_EQ(rows_of(*store, *restored), expected) << "seed " << seed << ", threads " << threads;
    }
  }
}

}  // namespace
}  // namespace indigo::engine
