// The clauses of CREATE FUNCTION and ALTER FUNCTION behind the signature: language, body, volatility, cost, SET ...
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ddl/function/signature.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct RoutineAttributes {
  std::optional<std::string> language, source, object_file;
  std::optional<char> volatility, parallel;
  std::optional<bool> strict, security_definer, leakproof, window;
  std::optional<float> cost, rows;
  std::optional<Oid> support;
  // SET and RESET, in order: "name=value"; a name alone resets; "all" resets everything.
  struct Setting {
    std::string name;
    std::optional<std::string> value;
    bool all = false;
  };
  std::vector<Setting> settings;
};

// `procedure`: clauses that fit functions only are refused.
Result<RoutineAttributes> read_attributes(DdlContext& c, NodeList options, bool procedure);

// proconfig after these changes.
std::vector<std::string> changed_settings(std::vector<std::string> now,
                                          const std::vector<RoutineAttributes::Setting>& by);

}  // namespace indigo::engine::ddl
