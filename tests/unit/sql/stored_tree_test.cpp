// Trees as the catalog keeps them: what was written is read, whatever things are called by then; bad bytes are an error.
#include "sql/stored/stored_tree.h"

#include <fstream>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "base/memory/arena.h"
#include "log/crc32c.h"
#include "sql/deparse.h"
#include "sql/deparse_query.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "tests/random_seed.h"
#include "tests/unit/sql/analyze_harness.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql::testing {
namespace {

std::vector<std::string> lines(const char* path) {
  std::ifstream in(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

const std::vector<std::string> kQueries = {
    "select a, b as \"B\", a + 1 from ta where a in (1, 2) or b like 'x%' order by 2 desc, 1 limit 3 offset 1",
    "select t.a, u.a from ta t left join ta u using (a) where exists (select 1 from tb where tb.ta_id = t.id)",
    "select a, count(*) filter (where b is not null), sum(a) over w from ta group by a, b window w as (partition by a)",
    "with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select n from r",
    "select a from ta union all (select 1 except select id from tv) order by 1",
    "select * from generate_series(1, 3) with ordinality as g(x, n), lateral (select g.x * 2 as y) q",
    "select distinct on (a) a, array(select id from tb) from ta order by a, b",
    "select a from ta for update of ta skip locked",
    "select a, grouping(a) from ta group by rollup (a, b) having count(*) > 1",
    "select (values (1)), 'happy'::mood, row(1, 'x'), (array[1, 2])[1:1] from tv where tv.id = any (select 1)",
};

// Values inside constants are trusted as those of rows are: only texts stand any bytes.
struct Constants {
  bool any_bytes = true;
  bool operator()(const Expr& e, int) {
    const auto* c = e.kind == ExprKind::kConst ? &as<ConstExpr>(e) : nullptr;
    const bool text = c != nullptr && (c->type.oid == oid::kText || c->type.oid == oid::kVarchar ||
                                       c->type.oid == oid::kBpchar || c->type.oid == oid::kUnknown);
    any_bytes = any_bytes && (c == nullptr || text || c->value.get().phys != Phys::kStr || c->value.get().null);
    return true;
  }
};
bool can_be_printed(const ExprPtr& e) {
  Constants constants;
  visit_expressions(e, std::ref(constants));
  return constants.any_bytes;
}
bool can_be_printed(const Query& q) {
  Constants constants;
  visit_query(q, std::ref(constants));
  return constants.any_bytes;
}

struct Trees {
  Harness harness;
  std::vector<std::string> all;

  Trees() {
    const auto relation = harness.catalog().find_relation("public", "ta");
    for (const std::string& text : lines("tests/unit/sql/deparse/expressions.expressions")) {
      auto e = analyze_to_print(harness.session(), "(" + text + ") is null", relation, {oid::kBool, -1, kInvalidOid});
      if (!e.ok()) continue;
      auto tree = store_tree(*e);
      EXPECT_TRUE(tree.ok()) << text;
      auto again = analyze_to_print(harness.session(), *tree, relation, TypeRef{});
      EXPECT_TRUE(again.ok()) << text << ": " << (again.ok() ? "" : again.error().message);
      if (!again.ok()) continue;
      EXPECT_EQ(*deparse(harness.catalog(), **again, relation.get()), *deparse(harness.catalog(), **e, relation.get()));
      EXPECT_EQ(*store_tree(*again), *tree);
      all.push_back(*tree);
    }
    for (const std::string& text : kQueries) {
      auto parsed = parse(text);
      EXPECT_TRUE(parsed.ok()) << text;
      if (!parsed.ok()) continue;
      AnalyzeInput input{(*parsed)->statements()[0].node, text};
      input.inline_functions = false;
      auto analyzed = analyze(harness.session(), input);
      EXPECT_TRUE(analyzed.ok()) << text << ": " << (analyzed.ok() ? "" : analyzed.error().message);
      if (!analyzed.ok()) continue;
      auto tree = store_tree(analyzed->query);
      EXPECT_TRUE(tree.ok()) << text;
      auto again = load(*tree, LoadFor::kPrinting);
      EXPECT_TRUE(again.ok()) << text << ": " << (again.ok() ? "" : again.error().message);
      if (!again.ok()) continue;
      EXPECT_EQ(print(**again), print(*analyzed->query));
      EXPECT_EQ(*store_tree(*again), *tree);
      EXPECT_TRUE(load(*tree, LoadFor::kUse).ok()) << text;
      all.push_back(*tree);
    }
  }

  Result<std::shared_ptr<const Query>> load(std::string_view tree, LoadFor purpose) {
    sql::Analysis analysis(harness.session(), {});
    return load_query(analysis, tree, purpose);
  }
  std::string print(const Query& query) {
    auto text = deparse_query(harness.catalog(), query, {}, false);
    return text.ok() ? *text : text.error().message;
  }
};

TEST(StoredTree, IsReadAsItWasWritten) {
  const Trees trees;
  EXPECT_GT(trees.all.size(), kQueries.size());
  for (const std::string& tree : trees.all) EXPECT_EQ(tree.find_first_of(",'\"() "), std::string::npos);
}

// Written by version 4.
constexpr const char* kEarlierTree =
    "{T4:DSABHVECBAIAAgAAAAIILgEABAABAAAAAmEAAAAAAAAAAAAAAAAAAAAAAAAAAAACdwICYQIuAQAAAAAAAAEAAAAAAAIAAgAA"
    "AAQILgEABAACAAAAAmEAAAAIMgHIAQ4AAngCYgAAAAAAAAAAAAAAAAAAAAAAAAAAAAJzBAJhAmIELgEAMgHIAQAAAAAAAQAAAAAA"
    "AgEAAAIAAgAAAAAAAAAAAAAAAAICAgAAAAAAAAAAAAAAAA4gAQCCAcABAgAABAQuAQAAAAAELgEAAgAAAgJhAgIGAAACAAAADiAB"
    "AKQN8hICyAEABAQyAcgBAgIACDIByAEOAAR4JQQELgEAAAAAAmEAAAAEMgHIAQICAAJiAAAAAAAAAAAAAAAAAAAAAAAAAAAA}";

TEST(StoredTree, OfAnEarlierVersionIsRead) {
  Trees trees;
  auto query = trees.load(kEarlierTree, LoadFor::kUse);
  ASSERT_TRUE(query.ok()) << query.error().message;
  const std::string text = trees.print(**query);
  EXPECT_NE(text.find("FROM (( SELECT 1 AS a) w\n     JOIN ( SELECT 2 AS a,"), std::string::npos) << text;
  const auto written = store_tree(*query);
  ASSERT_TRUE(written.ok());
  EXPECT_TRUE(written->starts_with("{T6:"));
}

TEST(StoredTree, BadBytesAreAnError) {
  Trees trees;
  const uint64_t seed = random_seed();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto relation = trees.harness.catalog().find_relation("public", "ta");
  size_t refused = 0, printed = 0, tried = 0;
  for (const std::string& tree : trees.all) {
    for (int i = 0; i < 200; i++) {
      Arena arena;
      types::FuncContext context(trees.harness.session());
      context.set_arena(&arena);
      std::string bytes(types::decode_base64(context, Str(tree).substr(4, tree.size() - 5)));
      const size_t at = 5 + below(bytes.size() - 5);
      switch (below(3)) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.erase(at, 1 + below(4)); break;
        default: bytes.insert(at, 1, static_cast<char>(random())); break;
      }
      const bool repaired = below(8) != 0;  // a checksum that fits: the tree itself is looked at
      const uint32_t crc = log::crc32c(bytes.data() + 4, bytes.size() - 4);
      for (int k = 0; repaired && k < 4; k++) bytes[static_cast<size_t>(k)] = static_cast<char>(crc >> (8 * k));
      const std::string damaged = "{T6:" + types::encode_base64(bytes, false) + "}";
      tried++;
      bool ok = false;
      if (bytes[4] == 'Q') {
        auto query = trees.load(damaged, LoadFor::kPrinting);
        ok = query.ok();
        if (ok && can_be_printed(**query)) trees.print(**query);
      } else {
        auto e = analyze_to_print(trees.harness.session(), damaged, relation, TypeRef{});
        ok = e.ok();
        if (ok && can_be_printed(*e)) printed += deparse(trees.harness.catalog(), **e, relation.get()).ok() ? 1 : 0;
      }
      EXPECT_TRUE(repaired || !ok || damaged == tree);
      refused += ok ? 0 : 1;
    }
  }
  std::cout << refused << " of " << tried << " damaged trees refused, the others still trees, " << printed
            << " expressions of them printed\n";
}

}  // namespace
}  // namespace indigo::sql::testing
