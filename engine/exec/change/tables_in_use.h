// The tables that a session's statements work on beside those that their plans name: what a definition inside a function that
// such a statement calls must leave as it is. COPY FROM's target, partitions that rows are routed to, and the tables that
// actions of foreign keys change are found only while the statement runs. They are written, so their indexes are in use, too.
// Thread safety: none; belongs to a session.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::engine::exec {

class TableUses;

// The relation is the table or one of its indexes.
inline bool is_of_table(const catalog::RelationInfo& table, Oid relation) {
  return table.oid == relation || std::any_of(table.indexes.begin(), table.indexes.end(),
                                              [&](const catalog::IndexInfo& index) { return index.oid == relation; });
}

class TablesInUse {
 public:
  // A table or an index.
  inline bool has(Oid relation) const;

 private:
  friend class TableUses;
  std::vector<const TableUses*> uses_;
};

// What one statement, or one step of it, uses until release() or its end.
class TableUses {
 public:
  TableUses() = default;
  ~TableUses() { release(); }
  TableUses(const TableUses&) = delete;
  TableUses& operator=(const TableUses&) = delete;

  void add(const std::shared_ptr<TablesInUse>& in_use, std::shared_ptr<const catalog::RelationInfo> table) {
    if (in_use_ == nullptr) {
      in_use_ = in_use;
      in_use_->uses_.push_back(this);
    }
    tables_.push_back(std::move(table));
  }
  void release() {
    if (in_use_ == nullptr) return;
    std::erase(in_use_->uses_, this);
    in_use_ = nullptr;
    tables_.clear();
  }
  bool has(Oid relation) const {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const auto& table) { return is_of_table(*table, relation); });
  }

 private:
  std::shared_ptr<TablesInUse> in_use_;  // null: uses none
  std::vector<std::shared_ptr<const catalog::RelationInfo>> tables_;
};

inline bool TablesInUse::has(Oid relation) const {
  return std::any_of(uses_.begin(), uses_.end(), [&](const TableUses* one) { return one->has(relation); });
}

}  // namespace indigo::engine::exec
