#include "sql/parse/grammar_tree.h"

#include <string>

#include <gtest/gtest.h>

#include "sql/parse/node.h"
#include "sql/parse/parser.h"

namespace indigo::sql {
namespace {

std::string packed(const PgQuery__Node& node) {
  std::string out(protobuf_c_message_get_packed_size(&node.base), '\0');
  protobuf_c_message_pack(&node.base, reinterpret_cast<uint8_t*>(out.data()));
  return out;
}

// Each with texts of a kind: names, lists of names, literals of every class, options, one-character fields.
constexpr const char* kTexts[] = {
    "select a.b.c, 1, 1.5, 'text', b'101', x'1f', null, true, -3, e'\\n', '{1}'::int[] from a order by 1 using <",
    "select t.*, f(x => 1, variadic y), (r).f[1:2], interval '1' day, 1 operator(pg_catalog.+) 2 from only t as q (a, "
    "b)",
    "insert into s.t as u (a, b.c[1]) values (default, 'x'), (2, $1) on conflict (a) do update set b = excluded.b",
    "create table if not exists s.t (a numeric(10, 2) collate \"C\" default 'it''s' check (a > 0.5), like u including "
    "all, "
    "foreign key (a, b) references x (c, d) match full on delete set null (a)) with (fillfactor = 70, o = 'v')",
    "alter table t alter column a type text using a::text, add constraint c unique nulls not distinct (a, b)",
    "create function f(a int default 1, out b text) returns setof record language sql as 'select 1' set search_path to "
    "a, b",
    "grant select (a, b), update on t to \"R\", public with grant option",
    "copy t (a, b) from stdin with (format csv, delimiter ';', header true)",
    "with recursive w (n) as (select 1 union all select n + 1 from w) search breadth first by n set o select * from w",
    "create trigger x before update of a, b on t for each row when (old.a is distinct from new.a) execute function "
    "f('1', 2)",
    "merge into t using s on t.a = s.a when matched and s.b = 'x' then update set b = s.b when not matched then insert "
    "values (1)",
    "drop operator if exists s.+ (int, none), public.@@ (none, text)",
    "comment on column s.t.c is 'words'; set a.b to 'x', 1, 2.5; select '' as \"A b\"",
};

TEST(GrammarTree, OutlivesTheLibrarysMemoryAndIsWhatPackingWouldGive) {
  for (const char* text : kTexts) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    for (const auto& statement : (*parsed)->statements()) {
      const std::string before = packed(*statement.node);
      for (const char* other : kTexts) EXPECT_TRUE(parse(other).ok()) << other;
      EXPECT_EQ(packed(*statement.node), before) << text;
      PgQuery__Node* copy =
          pg_query__node__unpack(nullptr, before.size(), reinterpret_cast<const uint8_t*>(before.data()));
      ASSERT_NE(copy, nullptr) << text;
      EXPECT_TRUE(equal_trees(&statement.node->base, &copy->base)) << text;
      pg_query__node__free_unpacked(copy, nullptr);
    }
  }
}

TEST(GrammarTree, WalksFindWhatIsInEveryKindOfNode) {
  const auto parsed = parse("select $3 from t where f(array[$1]) and x in (select case when $2 then 1 end)");
  ASSERT_TRUE(parsed.ok());
  int found = 0;
  walk_tree(&(*parsed)->statements()[0].node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__param_ref__descriptor) found++;
    return true;
  });
  EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace indigo::sql
