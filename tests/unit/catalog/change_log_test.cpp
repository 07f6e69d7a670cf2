#include "catalog/change_log.h"

#include <array>

#include <gtest/gtest.h>

namespace indigo::catalog {
namespace {

Dependences on(std::initializer_list<DependenceKey> keys) {
  Dependences out;
  for (const DependenceKey key : keys) out.add(key);
  out.seal();
  return out;
}

void change(ChangeLog& log, uint64_t version, DependenceKey key) { log.add(version, std::array{key}); }

TEST(ChangeLog, SaysWhatChangedAfterAVersion) {
  ChangeLog log;
  change(log, 5, object_key(Oid{20000}));
  change(log, 6, relation_or_type_name("t"));
  EXPECT_TRUE(log.touched_since(4, on({object_key(Oid{20000})})));
  EXPECT_FALSE(log.touched_since(5, on({object_key(Oid{20000})})));
  EXPECT_TRUE(log.touched_since(5, on({object_key(Oid{20000}), relation_or_type_name("t")})));
  EXPECT_FALSE(log.touched_since(4, on({relation_or_type_name("u"), object_key(Oid{20001})})));
  change(log, 7, object_key(Oid{20000}));
  EXPECT_TRUE(log.touched_since(6, on({object_key(Oid{20000})})));
}

TEST(ChangeLog, NamesOfFunctionsAndRelationsAreApart) {
  ChangeLog log;
  change(log, 1, function_name("t"));
  EXPECT_FALSE(log.touched_since(0, on({relation_or_type_name("t")})));
  EXPECT_TRUE(log.touched_since(0, on({function_name("t")})));
}

TEST(ChangeLog, EverythingIsEverything) {
  ChangeLog log;
  log.add_everything(3);
  EXPECT_TRUE(log.touched_since(2, on({})));
  EXPECT_FALSE(log.touched_since(3, on({})));
  Dependences all;
  all.add_everything();
  EXPECT_FALSE(log.touched_since(3, all));
  change(log, 4, object_key(Oid{20000}));
  EXPECT_TRUE(log.touched_since(3, all)) << "whoever depends on everything depends on each change";
  EXPECT_FALSE(log.touched_since(3, on({object_key(Oid{20001})})));
}

TEST(ChangeLog, WhatIsForgottenHasChanged) {
  ChangeLog log;
  change(log, 1, object_key(Oid{20000}));
  uint64_t version = 1;
  while (!log.touched_since(1, on({}))) {
    ASSERT_LT(version, 100000U);
    version++;
    change(log, version, object_key(static_cast<Oid>(30000 + version)));
  }
  EXPECT_TRUE(log.touched_since(version - 1, on({object_key(Oid{20000})})));
  EXPECT_FALSE(log.touched_since(version, on({object_key(Oid{20000})})));
}

TEST(Dependences, AreKeptOnce) {
  Dependences d;
  d.add(3);
  d.add(1);
  d.add(3);
  EXPECT_FALSE(d.add_new(1));
  EXPECT_TRUE(d.add_new(2));
  d.seal();
  EXPECT_EQ(d.keys(), (std::vector<DependenceKey>{1, 2, 3}));
}

}  // namespace
}  // namespace indigo::catalog
