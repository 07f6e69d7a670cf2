#include "engine/ddl/table/storage_options.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "catalog/generated/columns.h"
#include "engine/ddl/table/index.h"
#include "engine/ddl/tree.h"
#include "storage/store.h"
#include "storage/table_options.h"
#include "types/text/ascii.h"
#include "types/text/boolean_word.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_attribute = catalog::pg_attribute;
namespace pg_class = catalog::pg_class;
using storage::LeafThresholds;

constexpr std::string_view kDegree = "m", kCandidates = "ef_construction";
constexpr std::string_view kLeafSize = "leaf_size", kFill = "fillfactor", kMerge = "leaf_merge_fill",
                           kDead = "leaf_dead_share", kInline = "toast_tuple_target";

enum class ValueKind : uint8_t { kInteger, kReal, kBoolean, kOnOffAuto, kCleanup, kPowerOfTwo, kMultipleOfFour };
enum Place : uint8_t { kOfTable = 1, kOfIndex = 2, kOfTablespace = 4, kOfClass = 8 };
constexpr double kMost = std::numeric_limits<int32_t>::max();

struct Option {
  std::string_view name;
  uint8_t places;
  ValueKind kind;
  double least = 0, most = 0;
  bool exclusive = false;                                        // changing it needs ACCESS EXCLUSIVE
  std::string_view owners = "btree griffin indexlet hydralist";  // methods of indexes, operator classes
};

constexpr Option threshold(std::string_view name, storage::Bounds bounds, uint8_t places = kOfTable,
                           ValueKind kind = ValueKind::kInteger) {
  return {name, places, kind, static_cast<double>(bounds.least), static_cast<double>(bounds.most)};
}
constexpr Option integer(std::string_view name, double least, double most) {
  return {name, kOfTable, ValueKind::kInteger, least, most};
}
constexpr Option real(std::string_view name) { return {name, kOfTable, ValueKind::kReal, 0, 100}; }
constexpr Option boolean(std::string_view name) { return {name, kOfTable, ValueKind::kBoolean}; }

constexpr Option kOptions[] = {
    threshold(kLeafSize, storage::kLeafBytes, kOfTable, ValueKind::kPowerOfTwo),
    threshold(kFill, LeafThresholds::kFill, kOfTable),
    {kFill, kOfIndex, ValueKind::kInteger, LeafThresholds::kFill.least, LeafThresholds::kFill.most, false,
     "btree griffin indexlet hydralist hash gist spgist"},
    threshold(kMerge, LeafThresholds::kMerge),
    threshold(kDead, LeafThresholds::kDead),
    threshold(kInline, LeafThresholds::kInline),
    boolean("autovacuum_enabled"),
    integer("autovacuum_vacuum_threshold", 0, kMost),
    integer("autovacuum_vacuum_insert_threshold", -1, kMost),
    integer("autovacuum_analyze_threshold", 0, kMost),
    integer("autovacuum_vacuum_cost_limit", 1, 10000),
    real("autovacuum_vacuum_cost_delay"),
    real("autovacuum_vacuum_scale_factor"),
    real("autovacuum_vacuum_insert_scale_factor"),
    real("autovacuum_analyze_scale_factor"),
    integer("autovacuum_freeze_min_age", 0, 1e9),
    integer("autovacuum_freeze_max_age", 1e5, 2e9),
    integer("autovacuum_freeze_table_age", 0, 2e9),
    integer("autovacuum_multixact_freeze_min_age", 0, 1e9),
    integer("autovacuum_multixact_freeze_max_age", 1e4, 2e9),
    integer("autovacuum_multixact_freeze_table_age", 0, 2e9),
    integer("log_autovacuum_min_duration", -1, kMost),
    integer("parallel_workers", 0, 1024),
    boolean("vacuum_truncate"),
    {"vacuum_index_cleanup", kOfTable, ValueKind::kCleanup},
    {"user_catalog_table", kOfTable, ValueKind::kBoolean, 0, 0, true},
    {"deduplicate_items", kOfIndex, ValueKind::kBoolean},
    {"vacuum_cleanup_index_scale_factor", kOfIndex, ValueKind::kReal, 0, 1e10},
    {"fastupdate", kOfIndex, ValueKind::kBoolean, 0, 0, true, "gin"},
    {"gin_pending_list_limit", kOfIndex, ValueKind::kInteger, 64, kMost, true, "gin"},
    {"buffering", kOfIndex, ValueKind::kOnOffAuto, 0, 0, true, "gist"},
    {kDegree, kOfIndex, ValueKind::kInteger, 2, 100, true, "hnsw"},
    {kCandidates, kOfIndex, ValueKind::kInteger, 4, 1000, true, "hnsw"},
    {"length", kOfIndex, ValueKind::kInteger, 1, 4096, true, "bloom"},
    {"lists", kOfIndex, ValueKind::kInteger, 1, 32768, true, "ivfflat"},
    {"pages_per_range", kOfIndex, ValueKind::kInteger, 1, 131072, true, "brin"},
    {"seq_page_cost", kOfTablespace, ValueKind::kReal, 0, std::numeric_limits<double>::max()},
    {"random_page_cost", kOfTablespace, ValueKind::kReal, 0, std::numeric_limits<double>::max()},
    {"effective_io_concurrency", kOfTablespace, ValueKind::kInteger, 0, 1000},
    {"maintenance_io_concurrency", kOfTablespace, ValueKind::kInteger, 0, 1000},
    {"autosummarize", kOfIndex, ValueKind::kBoolean, 0, 0, true, "brin"},
    {"siglen", kOfClass, ValueKind::kInteger, 1, 2024, true,
     "tsvector_ops gist_trgm_ops gist_hstore_ops gist__ltree_ops gist__intbig_ops"},
    {"siglen", kOfClass, ValueKind::kMultipleOfFour, 4, 2024, true, "gist_ltree_ops"},
    {"numranges", kOfClass, ValueKind::kInteger, 1, 252, true, "gist__int_ops"},
    {"n_distinct_per_range", kOfClass, ValueKind::kReal, -1, kMost, true, "*_bloom_ops"},
    {"false_positive_rate", kOfClass, ValueKind::kReal, 0.0001, 0.25, true, "*_bloom_ops"},
    {"values_per_range", kOfClass, ValueKind::kInteger, 8, 256, true, "*_minmax_multi_ops"},
};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; at < words.size(); at = std::min(words.find(' ', at), words.size()) + 1) {
    const std::string_view one = words.substr(at, words.find(' ', at) - at);
    if (one == word || (one.starts_with('*') && word.ends_with(one.substr(1)))) return true;
  }
  return false;
}

bool belongs_to(const Option& option, uint8_t place, std::string_view owner) {
  if ((option.places & place) == 0) return false;
  const bool of_any = owner.empty() || (place != kOfIndex && place != kOfClass);
  return of_any || has_word(option.owners, owner);
}

// col1 to col32 of bloom: bits for each column.
std::span<const Option> column_options() {
  static const auto kNames = [] {
    std::array<std::string, kMaxIndexColumns> names;
    for (size_t i = 0; i < names.size(); i++) names[i] = "col" + std::to_string(i + 1);
    return names;
  }();
  static const auto kColumns = [] {
    std::vector<Option> out;
    for (const std::string& name : kNames) out.push_back({name, kOfIndex, ValueKind::kInteger, 1, 4095, true, "bloom"});
    return out;
  }();
  return kColumns;
}

// An empty owner: any.
const Option* find_option(std::string_view name, uint8_t place, std::string_view owner) {
  for (const std::span<const Option> options : {std::span<const Option>(kOptions), column_options()}) {
    for (const Option& option : options) {
      if (option.name == name && belongs_to(option, place, owner)) return &option;
    }
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<double> number_of(std::string_view given) {
  std::string_view text = trimmed(given);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Fractions are rounded, as PostgreSQL does it.
std::optional<double> integer_of(std::string_view text) {
  const auto value = number_of(text);
  if (!value || std::abs(std::rint(*value)) > kMost) return std::nullopt;
  return std::rint(*value);
}

Error invalid(std::string_view kind, const Option& option, const std::string& value) {
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for " + std::string(kind) + " option " + quoted(option.name) + ": " + value);
}

Status check_value(const Option& option, const std::string& value) {
  if (option.kind == ValueKind::kBoolean) {
    return types::boolean_word(value) ? Status() : Status(invalid("boolean", option, value));
  }
  if (option.kind == ValueKind::kOnOffAuto) {
    const std::string text = types::to_lower(value);
    if (text == "on" || text == "off" || text == "auto") return {};
    return invalid("enum", option, value).with_detail("Valid values are \"on\", \"off\", and \"auto\".");
  }
  if (option.kind == ValueKind::kCleanup) {
    const std::string text = types::to_lower(value);
    for (const std::string_view word : {"on", "off", "auto", "true", "false", "yes", "no", "1", "0"}) {
      if (text == word) return {};
    }
    return invalid("enum", option, value).with_detail("Valid values are \"on\", \"off\", and \"auto\".");
  }
  const bool is_real = option.kind == ValueKind::kReal;
  const auto number = is_real ? number_of(value) : integer_of(value);
  if (!number) return invalid(is_real ? "floating point" : "integer", option, value);
  const auto text_of = [&](double bound) {
    return is_real ? std::to_string(bound) : std::to_string(static_cast<int64_t>(bound));
  };
  if (*number < option.least || *number > option.most) {
    return Error(sqlstate::kInvalidParameterValue,
                 "value " + value + " out of bounds for option " + quoted(option.name))
        .with_detail("Valid values are between \"" + text_of(option.least) + "\" and \"" + text_of(option.most) +
                     "\".");
  }
  if (option.kind == ValueKind::kPowerOfTwo && !std::has_single_bit(static_cast<uint64_t>(*number))) {
    return Error(sqlstate::kInvalidParameterValue,
                 "value " + value + " of option " + quoted(option.name) + " is not a power of two");
  }
  if (option.kind == ValueKind::kMultipleOfFour && std::fmod(*number, 4) != 0) {
    return Error(sqlstate::kInvalidParameterValue, std::string(option.name) + " value must be a multiple of 4");
  }
  return {};
}

uint8_t place_of(OptionsOf of) {
  switch (of) {
    case OptionsOf::kTable: return kOfTable;
    case OptionsOf::kIndex: return kOfIndex;
    case OptionsOf::kTablespace: return kOfTablespace;
    case OptionsOf::kClass: return kOfClass;
  }
  return 0;
}

// The value of a checked option; none when it is not given.
std::optional<uint32_t> value_of(std::span<const std::string> options, std::string_view name) {
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    if (std::string_view(option).substr(0, equals) != name || equals == std::string::npos) continue;
    if (const auto value = integer_of(std::string_view(option).substr(equals + 1)); value && *value >= 0) {
      return static_cast<uint32_t>(*value);
    }
  }
  return std::nullopt;
}

std::vector<std::string> options_of(const catalog::RowReader& row) {
  if (row.is_null(pg_class::c_reloptions)) return {};
  return read_texts(row.str(pg_class::c_reloptions));
}

}  // namespace

std::vector<std::string> options_of(DdlContext& c, Oid relation) {
  std::string image;
  const SystemTable& classes = table(c, pg_class::kOid);
  if (!classes.find_oid(c.txn, relation, image)) return {};
  return options_of(classes.reader(image));
}

std::vector<std::string> column_options_of(DdlContext& c, Oid relation, int16_t column) {
  std::vector<std::string> out;
  table(c, pg_attribute::kOid).scan(c.txn, {Datum::of_oid(relation), Datum::of(column)}, [&](catalog::RowReader row) {
    if (!row.is_null(pg_attribute::c_attoptions)) out = read_texts(row.str(pg_attribute::c_attoptions));
    return false;
  });
  return out;
}

namespace {

// toast.name: what VACUUM asks for, of rows that nobody looks at by themselves.
bool concerns_toast(std::string_view name) {
  const bool vacuum =
      name.starts_with("autovacuum_") || name.starts_with("vacuum_") || name.starts_with("log_autovacuum_");
  return vacuum && !name.starts_with("autovacuum_analyze_");
}

}  // namespace

Result<std::vector<std::string>> storage_options(OptionsOf of, NodeList options, std::string_view owner) {
  std::vector<std::string> out, of_toast;  // the latter is of a table that is not there
  const uint8_t place = place_of(of);
  if (of == OptionsOf::kClass && std::none_of(std::begin(kOptions), std::end(kOptions), [&](const Option& option) {
        return belongs_to(option, kOfClass, owner);
      })) {
    return Error(sqlstate::kInvalidParameterValue, "operator class " + std::string(owner) + " has no options");
  }
  for (const PgQuery__Node* node : options) {
    if (!is(node, PG_QUERY__NODE__NODE_DEF_ELEM)) continue;
    const PgQuery__DefElem* d = node->def_elem;
    const std::string_view name = d->defname;
    const bool toast = sql::has_text(d->defnamespace);
    if (toast && (of != OptionsOf::kTable || std::string_view(d->defnamespace) != "toast")) {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized parameter namespace " + quoted(d->defnamespace));
    }
    if (name == "oids" && !toast) {
      INDIGO_ASSIGN(const bool on, boolean_value(d));
      if (on) return Error(sqlstate::kFeatureNotSupported, "tables declared WITH OIDS are not supported");
      continue;
    }
    const Option* option = find_option(name, place, owner);
    if (option == nullptr || (toast && !concerns_toast(name))) {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized parameter " + quoted(name));
    }
    const std::string value = sql::absent(d->arg) ? "true" : text_value(d->arg);
    INDIGO_TRY(check_value(*option, value));
    const std::string prefix = std::string(name) + "=";
    std::vector<std::string>& list = toast ? of_toast : out;
    if (std::any_of(list.begin(), list.end(), [&](const std::string& o) { return o.starts_with(prefix); })) {
      return Error(sqlstate::kInvalidParameterValue, "parameter " + quoted(name) + " specified more than once");
    }
    list.push_back(prefix + value);
  }
  return out;
}

Result<std::vector<std::string>> reset_options(NodeList options) {
  std::vector<std::string> out;
  for (const PgQuery__Node* node : options) {
    if (!sql::absent(node->def_elem->arg)) {
      return Error(sqlstate::kSyntaxError, "RESET must not include values for parameters");
    }
    if (sql::has_text(node->def_elem->defnamespace)) continue;
    out.push_back(std::string(node->def_elem->defname) + "=");
  }
  return out;
}

void change_option_list(catalog::RowValues& v, int column, const std::vector<std::string>& given, bool reset) {
  std::vector<std::string> options;
  if (!v.get(column).null) options = read_texts(v.get(column).str);
  for (const std::string& option : given) {
    const std::string prefix = option.substr(0, option.find('=') + 1);
    std::erase_if(options, [&](const std::string& o) { return o.starts_with(prefix); });
    if (!reset) options.push_back(option);
  }
  if (options.empty()) {
    v.set_null(column);
  } else {
    v.texts(column, options);
  }
}

TableLockMode options_lock(NodeList options) {
  for (const PgQuery__Node* node : options) {
    const Option* option = find_option(node->def_elem->defname, kOfTable | kOfIndex, {});
    if (option == nullptr || option->exclusive) return TableLockMode::kAccessExclusive;
  }
  return TableLockMode::kShareUpdateExclusive;
}

storage::TableOptions table_options(std::span<const std::string> options) {
  storage::TableOptions out;
  LeafThresholds& t = out.thresholds;
  if (const auto v = value_of(options, kLeafSize)) out.leaf_bytes = *v;
  if (const auto v = value_of(options, kFill)) t.fill_percent = static_cast<uint8_t>(*v);
  if (const auto v = value_of(options, kMerge)) t.merge_percent = static_cast<uint8_t>(*v);
  if (const auto v = value_of(options, kDead)) t.dead_percent = static_cast<uint8_t>(*v);
  if (const auto v = value_of(options, kInline)) t.inline_bytes = *v;
  return out;
}

storage::TableOptions table_options(const catalog::RowReader& row) { return table_options(options_of(row)); }

uint8_t index_fill(DdlContext& c, Oid index) {
  return static_cast<uint8_t>(value_of(options_of(c, index), kFill).value_or(storage::IndexOptions().fill_percent));
}

storage::GraphShape index_graph(std::span<const std::string> options) {
  storage::GraphShape out;
  if (const auto v = value_of(options, kDegree)) out.degree = static_cast<uint16_t>(*v);
  if (const auto v = value_of(options, kCandidates)) out.candidates = static_cast<uint16_t>(*v);
  return out;
}
storage::GraphShape index_graph(DdlContext& c, Oid index) { return index_graph(options_of(c, index)); }

void apply_options(DdlContext& c, const RelationPtr& relation) {
  if (relation->kind == RelationKind::kTable && relation->table != nullptr) {
    const LeafThresholds thresholds = table_options(options_of(c, relation->oid)).thresholds;
    c.store().on_end(
        c.txn, [storage = relation->table, thresholds] { storage->set_thresholds(thresholds); }, [] {});
  }
  if (relation->kind != RelationKind::kIndex) return;
  std::string image;
  const SystemTable& indexes = table(c, pg_index::kOid);
  if (!indexes.find_oid(c.txn, relation->oid, image)) return;
  const RelationPtr of = current(c, indexes.reader(image).oid(pg_index::c_indrelid));
  if (of == nullptr || of->table == nullptr) return;
  for (const IndexInfo& index : of->indexes) {
    if (index.oid != relation->oid || !index.storage) continue;  // the primary key's is the table itself
    c.store().on_end(
        c.txn,
        [storage = of->table, id = index.storage, fill = index_fill(c, relation->oid)] {
          storage->set_index_fill(id, fill);
        },
        [] {});
  }
}

}  // namespace indigo::engine::ddl
