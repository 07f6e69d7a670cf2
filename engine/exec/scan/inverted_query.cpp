#include "engine/exec/scan/inverted_query.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace indigo::engine::exec {

using types::KeyQuery;

namespace {

Result<KeyQuery> part_of(types::FuncContext& context, std::span<const catalog::InvertedKey> keys,
                         const InvertedQuestion& question) {
  const catalog::InvertedKey& key = keys[question.column];
  KeyQuery part = key.keys->query_of(context, key.column, question.strategy, question.value);
  if (context.failed()) return std::move(*context.take_error());
  return part;
}

// By the compound key, when each scalar is given and something is asked of the cells; else kAll.
Result<KeyQuery> compound_query(types::FuncContext& context, std::span<const catalog::InvertedKey> keys,
                                std::span<const InvertedQuestion> questions) {
  const auto cells = catalog::compound_column(keys);
  if (!cells) return types::every_row();
  std::vector<const InvertedQuestion*> of_column(keys.size());
  std::vector<Datum> values(keys.size());
  for (const InvertedQuestion& q : questions) {
    if (q.column != *cells && q.strategy != types::kScalarEqual) continue;
    of_column[q.column] = &q;
    values[q.column] = q.value;
  }
  if (std::find(of_column.begin(), of_column.end(), nullptr) != of_column.end()) return types::every_row();
  std::string prefix;
  if (!catalog::append_compound_prefix(keys, values, prefix)) return types::no_row();
  INDIGO_ASSIGN(KeyQuery part, part_of(context, keys, *of_column[*cells]));
  types::put_before_keys(prefix, part);
  return part;
}

}  // namespace

Result<KeyQuery> inverted_query(types::FuncContext& context, std::span<const catalog::InvertedKey> keys,
                                std::span<const InvertedQuestion> questions) {
  for (const InvertedQuestion& q : questions) {
    if (q.value.null) return types::no_row();
  }
  INDIGO_ASSIGN(KeyQuery compound, compound_query(context, keys, questions));
  if (compound.kind != KeyQuery::Kind::kAll) return compound;
  std::vector<KeyQuery> parts;
  for (size_t column = 0; column < keys.size(); column++) {
    std::vector<KeyQuery> of_column;
    for (const InvertedQuestion& q : questions) {
      if (q.column != column) continue;
      INDIGO_ASSIGN(KeyQuery part, part_of(context, keys, q));
      of_column.push_back(std::move(part));
    }
    if (of_column.empty()) continue;
    KeyQuery whole = keys[column].keys->of_scalars() ? types::with_one_in_all(std::move(of_column))
                                                     : types::with_all(std::move(of_column));
    types::put_before_keys(catalog::inverted_column_prefix(column), whole);
    parts.push_back(std::move(whole));
  }
  return types::with_all(std::move(parts));
}

}  // namespace indigo::engine::exec
