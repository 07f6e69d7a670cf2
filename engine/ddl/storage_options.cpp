#include "engine/ddl/storage_options.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "catalog/generated/columns.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_class = catalog::pg_class;

constexpr std::string_view kLeafSize = "leaf_size";

// An integer between the bounds, both included.
Result<int64_t> bounded(const PgQuery__DefElem& option, int64_t least, int64_t most) {
  const std::string_view name = option.defname;
  auto value = integer_value(option.arg);
  if (!value && is(option.arg, PG_QUERY__NODE__NODE_STRING)) {  // '70', as pg_dump writes
    const std::string text = text_value(option.arg);
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size()) value = number;
  }
  if (!value) {
    return Error(sqlstate::kInvalidParameterValue,
                 "invalid value for integer option " + quoted(name) + ": " + text_value(option.arg));
  }
  if (*value < least || *value > most) {
    return Error(sqlstate::kInvalidParameterValue,
                 "value " + std::to_string(*value) + " out of bounds for option " + quoted(name))
        .with_detail("Valid values are between \"" + std::to_string(least) + "\" and \"" + std::to_string(most) +
                     "\".");
  }
  return *value;
}

bool known(OptionsOf of, const PgQuery__DefElem& option) {
  const std::string_view name = option.defname;
  if (name == kLeafSize) return of == OptionsOf::kTable && !sql::has_text(option.defnamespace);
  return name == "fillfactor" || name.starts_with("autovacuum_") || name.starts_with("toast.") ||
         name == "parallel_workers" || name == "user_catalog_table" || name.starts_with("vacuum_") ||
         name.starts_with("log_autovacuum") || name == "deduplicate_items" || name == "buffering" ||
         name == "fastupdate" || name == "toast_tuple_target" || name == "n_distinct" ||
         std::string_view(option.defnamespace) == "toast";
}

Status check_value(const PgQuery__DefElem& option) {
  const std::string_view name = option.defname;
  if (name == "fillfactor") INDIGO_TRY(bounded(option, 10, 100));
  if (name == kLeafSize) {
    INDIGO_ASSIGN(const int64_t bytes, bounded(option, 4096, 131072));
    if (!std::has_single_bit(static_cast<uint64_t>(bytes))) {
      return Error(sqlstate::kInvalidParameterValue,
                   "value " + std::to_string(bytes) + " of option " + quoted(name) + " is not a power of two");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> storage_options(OptionsOf of, NodeList options) {
  std::vector<std::string> out;
  for (const PgQuery__Node* node : options) {
    if (!is(node, PG_QUERY__NODE__NODE_DEF_ELEM)) continue;
    const PgQuery__DefElem* d = node->def_elem;
    const std::string_view name = d->defname;
    if (name == "oids") {
      INDIGO_ASSIGN(const bool on, boolean_value(d));
      if (on) return Error(sqlstate::kFeatureNotSupported, "tables declared WITH OIDS are not supported");
      continue;
    }
    if (!known(of, *d)) return Error(sqlstate::kInvalidParameterValue, "unrecognized parameter " + quoted(name));
    INDIGO_TRY(check_value(*d));
    if (std::string_view(d->defnamespace) == "toast") continue;  // of a table that is not there
    const std::string prefix = std::string(name) + "=";
    if (std::any_of(out.begin(), out.end(), [&](const std::string& o) { return o.starts_with(prefix); })) {
      return Error(sqlstate::kInvalidParameterValue, "parameter " + quoted(name) + " specified more than once");
    }
    out.push_back(prefix + (sql::absent(d->arg) ? "true" : text_value(d->arg)));
  }
  return out;
}

storage::TableOptions table_options(std::span<const std::string> options) {
  storage::TableOptions out;
  for (const std::string& option : options) {
    if (!option.starts_with(std::string(kLeafSize) + "=")) continue;
    out.leaf_bytes = static_cast<uint32_t>(std::strtoul(option.c_str() + kLeafSize.size() + 1, nullptr, 10));
  }
  return out;
}

storage::TableOptions table_options(const catalog::RowReader& row) {
  if (row.is_null(pg_class::c_reloptions)) return {};
  return table_options(catalog::read_texts(row.str(pg_class::c_reloptions)));
}

}  // namespace indigo::engine::ddl
