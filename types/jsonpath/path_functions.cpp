// jsonb_path_exists, _match, _query and the like, and the operators @? and @@.
#include <unordered_map>

#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/jsonpath/path_executor.h"
#include "types/set/producer.h"

namespace indigo::types {

namespace {

using Outcome = PathExecutor::Outcome;

// The paths that this query has met.
struct PathCache {
  static constexpr size_t kMaxPaths = 100;
  std::unordered_map<std::string, std::unique_ptr<JsonPath>> paths;
};
const JsonPath* parsed(FuncContext& context, Str text) {
  auto& cache = context.cached<PathCache>();
  const auto it = cache.paths.find(std::string(text));
  if (it != cache.paths.end()) return it->second.get();
  auto path = std::make_unique<JsonPath>();
  if (!parse_json_path(context, text, *path, true)) return nullptr;
  if (cache.paths.size() >= PathCache::kMaxPaths) cache.paths.clear();
  return (cache.paths[std::string(text)] = std::move(path)).get();
}

// Without variables, as operators are: every variable is null.
Outcome run(FuncContext& context, Str document, Str path, std::optional<Str> variables, bool silent, bool zone,
            std::vector<PathValue>* found) {
  static const std::string kNull = jsonb_null();
  const JsonPath* tree = parsed(context, path);
  if (tree == nullptr) return Outcome::kError;
  const JsonbView vars(variables.value_or(kNull));
  if (variables && vars.kind() != JsonKind::kObject) {
    context.fail(Error(sqlstate::kInvalidParameterValue, "\"vars\" argument is not an object")
                     .with_detail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object."));
    return Outcome::kError;
  }
  PathExecutor executor(context, *tree, JsonbView(document), vars, silent, zone);
  return executor.run(found);
}

template <bool kZone>
std::optional<bool> exists_with(FuncContext& context, Str document, Str path, std::optional<Str> variables,
                                bool silent) {
  const Outcome o = run(context, document, path, variables, silent, kZone, nullptr);
  return o == Outcome::kError ? std::nullopt : std::optional<bool>(o == Outcome::kOk);
}
template <bool kZone>
std::optional<bool> exists(FuncContext& context, Str document, Str path, Str variables, bool silent) {
  return exists_with<kZone>(context, document, path, variables, silent);
}
std::optional<bool> exists_operator(FuncContext& context, Str document, Str path) {
  return exists_with<false>(context, document, path, std::nullopt, true);
}

template <bool kZone>
std::optional<bool> match_with(FuncContext& context, Str document, Str path, std::optional<Str> variables,
                               bool silent) {
  std::vector<PathValue> found;
  if (run(context, document, path, variables, silent, kZone, &found) == Outcome::kError && context.failed()) return {};
  if (found.size() == 1 && found[0].is(JsonKind::kBool)) return found[0].json.boolean();
  if (found.size() == 1 && found[0].is(JsonKind::kNull)) return {};
  if (!silent) context.fail(SqlState("22038"), "single boolean result is expected");
  return {};
}
template <bool kZone>
std::optional<bool> match(FuncContext& context, Str document, Str path, Str variables, bool silent) {
  return match_with<kZone>(context, document, path, variables, silent);
}
std::optional<bool> match_operator(FuncContext& context, Str document, Str path) {
  return match_with<false>(context, document, path, std::nullopt, true);
}

template <bool kZone>
std::string query_array(FuncContext& context, Str document, Str path, Str variables, bool silent) {
  std::vector<PathValue> found;
  (void)run(context, document, path, variables, silent, kZone, &found);
  std::vector<std::string> images;
  if (!context.failed())
    for (const PathValue& v : found) images.emplace_back(v.image(context));
  return jsonb_array(images);
}
template <bool kZone>
std::optional<Str> query_first(FuncContext& context, Str document, Str path, Str variables, bool silent) {
  std::vector<PathValue> found;
  (void)run(context, document, path, variables, silent, kZone, &found);
  if (context.failed() || found.empty()) return {};
  return found[0].image(context);
}
template <bool kZone>
std::unique_ptr<SetProducer> open_query(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  std::vector<PathValue> found;
  (void)run(context, arguments[0].str, arguments[1].str, arguments[2].str, arguments[3].b, kZone, &found);
  if (context.failed()) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const PathValue& v : found) rows->add_in_turn({rows->text(v.image(context))});
  return rows;
}

const ScalarEntry kPathEntries[] = {
    {"jsonb_path_exists", kernel<exists<false>>},           {"jsonb_path_exists_tz", kernel<exists<true>>},
    {"jsonb_path_exists_opr", kernel<exists_operator>},     {"jsonb_path_match", kernel<match<false>>},
    {"jsonb_path_match_tz", kernel<match<true>>},           {"jsonb_path_match_opr", kernel<match_operator>},
    {"jsonb_path_query_array", kernel<query_array<false>>}, {"jsonb_path_query_array_tz", kernel<query_array<true>>},
    {"jsonb_path_query_first", kernel<query_first<false>>}, {"jsonb_path_query_first_tz", kernel<query_first<true>>},
};
const SetEntry kSets[] = {
    {"jsonb_path_query", open_query<false>},
    {"jsonb_path_query_tz", open_query<true>},
};

}  // namespace

std::span<const ScalarEntry> json_path_functions() { return kPathEntries; }
std::span<const SetEntry> json_path_sets() { return kSets; }

}  // namespace indigo::types
