// Which paths are kept.
#include "sql/plan/path/path_choice.h"

#include <gtest/gtest.h>

#include "sql/plan/level.h"
#include "tests/unit/sql/analyze_harness.h"

namespace indigo::sql::planning {
namespace {

class PathChoice : public ::testing::Test {
 protected:
  Path path(double total) {
    Path p;
    p.rows = 1;
    p.total = total;
    return p;
  }
  testing::Harness harness_;
  Statement statement_{harness_.session(), {}};
  Level level_{statement_, nullptr};
};

TEST_F(PathChoice, OfTwoThatDifferInCostAloneTheCheaperIsKept) {
  Path dear = path(1000), cheap = path(999);
  for (const bool cheap_first : {false, true}) {
    Rel rel;
    add_path(level_, rel, cheap_first ? &cheap : &dear);
    add_path(level_, rel, cheap_first ? &dear : &cheap);
    EXPECT_EQ(rel.paths, std::vector<Path*>{&cheap});
    EXPECT_EQ(rel.cheapest, &cheap);
  }
}

TEST_F(PathChoice, AnOrderThatCostsHardlyMoreStandsForBoth) {
  Path plain = path(1000), ordered = path(1005), dear = path(1100);
  ordered.keys = dear.keys = {{1, false, false}};
  Rel rel;
  add_path(level_, rel, &plain);
  add_path(level_, rel, &dear);
  EXPECT_EQ(rel.paths.size(), 2u) << "a tenth more buys the order";
  add_path(level_, rel, &ordered);
  EXPECT_EQ(rel.paths, std::vector<Path*>{&ordered});
}

}  // namespace
}  // namespace indigo::sql::planning
