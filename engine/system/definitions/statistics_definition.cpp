// CREATE STATISTICS as a statement, from pg_statistic_ext, and what ANALYZE has found for it.
#include "catalog/descriptor/extended_statistics.h"
#include "engine/system/definitions/expression_text.h"
#include "types/builtin/function_text.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

struct Statistics {
  std::string name, kinds;
  Oid schema = kInvalidOid;
  std::shared_ptr<const RelationInfo> relation;
  std::vector<std::string> columns, expressions;  // as text
  std::vector<std::string> keys;                  // the expressions as the definition writes them
};

std::optional<Statistics> read_statistics(SessionParts& session, Oid oid) {
  Statistics out;
  std::vector<std::string> trees;
  std::vector<int16_t> keys;
  Oid relation = kInvalidOid;
  const bool found = CatalogRows(session).find(pg_statistic_ext::kOid, oid, [&](RowReader row) {
    out.name = row.str(pg_statistic_ext::c_stxname);
    out.schema = row.oid(pg_statistic_ext::c_stxnamespace);
    relation = row.oid(pg_statistic_ext::c_stxrelid);
    keys = read_i16s(row.str(pg_statistic_ext::c_stxkeys));
    for (const std::string& kind : read_texts(row.str(pg_statistic_ext::c_stxkind))) out.kinds += kind;
    trees = types::split_default_texts(row.str(pg_statistic_ext::c_stxexprs));
  });
  if (!found) return std::nullopt;
  out.relation = session.session_catalog().relation(relation);
  if (out.relation == nullptr) return std::nullopt;
  for (const int16_t key : keys) {
    out.columns.push_back(types::quote_identifier(out.relation->columns[static_cast<size_t>(key) - 1].name));
  }
  for (const std::string& tree : trees) {
    out.expressions.push_back(expression_text(session, tree, out.relation, false));
    out.keys.push_back(key_expression_text(session, tree, out.relation, true));
  }
  return out;
}

std::string all_columns(const Statistics& s) {
  std::string out;
  for (const std::string& column : s.columns) out += (out.empty() ? "" : ", ") + column;
  for (const std::string& key : s.keys) out += (out.empty() ? "" : ", ") + key;
  return out;
}

Result<OwnedDatum> statistics_definition(SessionParts& session, std::span<const Datum> arguments) {
  const auto s = read_statistics(session, arguments[0].oid());
  if (!s) return text_null();
  std::string kinds;
  const bool alone = s->columns.empty() && s->expressions.size() == 1;
  const auto has = [&](char kind) { return s->kinds.find(kind) != std::string::npos; };
  if (!alone && !(has('d') && has('f') && has('m'))) {
    for (const auto& [kind, name] :
         {std::pair('d', "ndistinct"), std::pair('f', "dependencies"), std::pair('m', "mcv")}) {
      if (has(kind)) kinds += (kinds.empty() ? "" : ", ") + std::string(name);
    }
    kinds = " (" + kinds + ")";
  }
  NameContext names(session);
  return text_value("CREATE STATISTICS " + types::quote_identifier(session.session_catalog().schema_name(s->schema)) +
                    "." + types::quote_identifier(s->name) + kinds + " ON " + all_columns(*s) + " FROM " +
                    types::relation_name(names.context, s->relation->oid));
}

Result<OwnedDatum> statistics_columns(SessionParts& session, std::span<const Datum> arguments) {
  const auto s = read_statistics(session, arguments[0].oid());
  if (!s) return text_null();
  return text_value(all_columns(*s));
}

Result<OwnedDatum> statistics_expressions(SessionParts& session, std::span<const Datum> arguments) {
  const auto s = read_statistics(session, arguments[0].oid());
  if (!s || s->expressions.empty()) return text_null();
  std::vector<Datum> elements;
  for (const std::string& e : s->expressions) elements.push_back(Datum::of(Str(e)));
  const std::string array = make_array(oid::kText, Phys::kStr, elements);
  return OwnedDatum(Datum::of(Str(array)));
}

Status common_items(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  std::vector<Oid> attribute_types;
  if (arguments[0].null) return {};
  const CommonCombinations common = read_common(arguments[0].str, &attribute_types);
  types::FuncContext context(session.context());
  Arena arena;
  context.set_arena(&arena);
  for (size_t i = 0; i < common.frequencies.size(); i++) {
    arena.reset();
    std::vector<std::string> texts(common.values.size());
    std::vector<Datum> values, nulls;
    for (size_t a = 0; a < common.values.size(); a++) {
      const Datum& d = common.values[a][i].get();
      if (!d.null) types::type_output(context, {attribute_types[a], -1, kInvalidOid}, d, texts[a]);
      if (context.failed()) return *context.take_error();
      values.push_back(d.null ? Datum::make_null(Phys::kStr) : Datum::of(Str(texts[a])));
      nulls.push_back(Datum::of(d.null));
    }
    const std::string value_array = make_array(oid::kText, Phys::kStr, values);
    const std::string null_array = make_array(oid::kBool, Phys::kBool, nulls);
    sink(std::vector<Datum>{Datum::of(static_cast<int32_t>(i)), Datum::of(Str(value_array)), Datum::of(Str(null_array)),
                            Datum::of(common.frequencies[i]), Datum::of(common.base_frequencies[i])});
  }
  return {};
}

constexpr SystemValue kStatisticsValues[] = {
    {"pg_get_statisticsobjdef", statistics_definition},
    {"pg_get_statisticsobjdef_columns", statistics_columns},
    {"pg_get_statisticsobjdef_expressions", statistics_expressions},
};

constexpr SystemRows kStatisticsRows[] = {{"pg_stats_ext_mcvlist_items", common_items}};

}  // namespace

std::span<const SystemValue> statistics_definition_values() { return kStatisticsValues; }
std::span<const SystemRows> statistics_definition_rows() { return kStatisticsRows; }

}  // namespace indigo::engine
