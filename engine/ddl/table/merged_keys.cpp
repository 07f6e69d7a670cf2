#include "engine/ddl/table/merged_keys.h"

#include <algorithm>
#include <string>

#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

struct Key {
  const PgQuery__Constraint** place;  // where its list has it; null there: taken out
  std::vector<std::string> columns, included;

  bool primary() const { return (*place)->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY; }
  bool same(const Key& other) const {
    const PgQuery__Constraint &a = **place, &b = **other.place;
    return columns == other.columns && included == other.included && a.deferrable == b.deferrable &&
           a.initdeferred == b.initdeferred && a.nulls_not_distinct == b.nulls_not_distinct;
  }
};

bool is_key(const PgQuery__Constraint& k) {
  return (k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY || k.contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE) &&
         !sql::has_text(k.indexname);
}

}  // namespace

void merge_equal_keys(std::vector<ColumnSpec>& columns, std::vector<const PgQuery__Constraint*>& constraints,
                      std::deque<PgQuery__Constraint>& kept) {
  std::vector<Key> keys;
  for (ColumnSpec& column : columns) {
    for (const PgQuery__Constraint*& k : column.keys) {
      keys.push_back({&k, {column.column.name}, sql::strings_of(nodes(k->n_including, k->including))});
    }
  }
  for (const PgQuery__Constraint*& k : constraints) {
    if (!is_key(*k)) continue;
    keys.push_back(
        {&k, sql::strings_of(nodes(k->n_keys, k->keys)), sql::strings_of(nodes(k->n_including, k->including))});
  }
  std::stable_partition(keys.begin(), keys.end(), [](const Key& k) { return k.primary(); });
  for (size_t i = 0; i < keys.size(); i++) {
    if (*keys[i].place == nullptr) continue;
    for (size_t j = i + 1; j < keys.size(); j++) {
      if (*keys[j].place == nullptr || !keys[i].same(keys[j])) continue;
      const PgQuery__Constraint& other = **keys[j].place;
      if (!sql::has_text((*keys[i].place)->conname) && sql::has_text(other.conname)) {
        kept.push_back(**keys[i].place);
        kept.back().conname = other.conname;
        *keys[i].place = &kept.back();
      }
      *keys[j].place = nullptr;
    }
  }
  for (ColumnSpec& column : columns) std::erase(column.keys, nullptr);
  std::erase(constraints, nullptr);
}

}  // namespace indigo::engine::ddl
