// Every function that the function library leaves to the session has its answer here, under the same name.
#include "engine/system/system_functions.h"

#include <set>

#include <gtest/gtest.h>

#include "engine/system/privilege_check.h"
#include "types/function/families.h"

namespace indigo::engine {
namespace {

TEST(SystemFunctions, EveryDelegatedFunctionIsAnswered) {
  for (const types::ScalarEntry& e : types::delegated_functions())
    EXPECT_NE(find_system_value(e.name), nullptr) << e.name;
  for (const types::SetEntry& e : types::delegated_sets()) EXPECT_NE(find_system_rows(e.name), nullptr) << e.name;
}

TEST(SystemFunctions, EveryAnswerCanBeAskedFor) {
  std::set<std::string> names;
  for (const types::ScalarEntry& e : types::delegated_functions()) names.insert(e.name);
  names.insert("next_identity");  // asked for by expressions only (engine/exec/expression/call_kernel.h)
  for (auto family : {activity_values(), advisory_lock_values(), size_values(), visibility_values(), comment_values(),
                      privilege_values(), relation_values(), counter_values(), expression_values(),
                      index_definition_values(), function_definition_values(), view_definition_values()})
    for (const SystemValue& v : family) EXPECT_TRUE(names.contains(v.name)) << v.name;
}

TEST(Privileges, AreReadFromText) {
  const auto two = parse_privileges("select, Update with grant option", kTablePrivilegeNames);
  ASSERT_TRUE(two.ok());
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].bits, uint32_t{types::kPrivilegeSelect});
  EXPECT_FALSE((*two)[0].grant_option);
  EXPECT_TRUE((*two)[1].grant_option);
  const auto wrong = parse_privileges("select,selec", kTablePrivilegeNames);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "unrecognized privilege type: \"selec\"");
  EXPECT_EQ(wrong.error().state.text(), "22023");
}

}  // namespace
}  // namespace indigo::engine
