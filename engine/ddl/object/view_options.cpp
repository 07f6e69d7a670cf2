#include "engine/ddl/object/view_options.h"

#include <algorithm>

#include "engine/ddl/tree.h"
#include "sql/analyze/change/target_view.h"
#include "types/text/ascii.h"
#include "types/text/boolean_word.h"

namespace indigo::engine::ddl {

namespace {

Status add_option(std::vector<std::string>& out, std::string_view name, const std::string& value) {
  const std::string prefix = std::string(name) + "=";
  if (std::any_of(out.begin(), out.end(), [&](const std::string& o) { return o.starts_with(prefix); })) {
    return Error(sqlstate::kInvalidParameterValue, "parameter " + quoted(name) + " specified more than once");
  }
  if (name == "check_option") {
    if (const std::string v = types::to_lower(value); v != "local" && v != "cascaded") {
      return Error(sqlstate::kInvalidParameterValue, "invalid value for enum option \"check_option\": " + value)
          .with_detail("Valid values are \"local\" and \"cascaded\".");
    }
  } else if (name == "security_barrier" || name == "security_invoker") {
    if (!types::boolean_word(value)) {
      return Error(sqlstate::kInvalidParameterValue, "invalid value for boolean option " + quoted(name) + ": " + value);
    }
  } else {
    return Error(sqlstate::kInvalidParameterValue, "unrecognized parameter " + quoted(name));
  }
  out.push_back(prefix + value);
  return {};
}

}  // namespace

Result<std::vector<std::string>> view_options(NodeList options) {
  std::vector<std::string> out;
  for (const PgQuery__Node* node : options) {
    const PgQuery__DefElem& d = *node->def_elem;
    INDIGO_TRY(add_option(out, d.defname, sql::absent(d.arg) ? "true" : text_value(d.arg)));
  }
  return out;
}

Result<std::vector<std::string>> view_options(const PgQuery__ViewStmt& s) {
  INDIGO_ASSIGN(std::vector<std::string> out, view_options(nodes(s.n_options, s.options)));
  if (s.with_check_option == PG_QUERY__VIEW_CHECK_OPTION__LOCAL_CHECK_OPTION) {
    INDIGO_TRY(add_option(out, "check_option", "local"));
  } else if (s.with_check_option == PG_QUERY__VIEW_CHECK_OPTION__CASCADED_CHECK_OPTION) {
    INDIGO_TRY(add_option(out, "check_option", "cascaded"));
  }
  return out;
}

Status check_check_option(const std::vector<std::string>& options, const sql::Query& query) {
  if (std::none_of(options.begin(), options.end(),
                   [](const std::string& o) { return o.starts_with("check_option="); })) {
    return {};
  }
  const char* obstacle = sql::view_obstacle(query, true);
  if (obstacle == nullptr) return {};
  return Error(sqlstate::kFeatureNotSupported, "WITH CHECK OPTION is supported only on automatically updatable views")
      .with_hint(obstacle);
}

}  // namespace indigo::engine::ddl
