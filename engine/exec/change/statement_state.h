// What one statement's changes share about triggers: transition tables, and which statement triggers have fired. And the tables
// that the statement has come to beside its plan's.
// Thread safety: none; belongs to one execution.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/trigger_host.h"

namespace indigo::engine::exec {

class StatementState {
 public:
  // The tables of changes of this kind to this relation, made when some trigger reads them; null otherwise.
  TransitionTables* transitions(const std::shared_ptr<const catalog::RelationInfo>& relation, int16_t event) {
    return shared_transitions(relation, event).get();
  }
  std::shared_ptr<TransitionTables> shared_transitions(const std::shared_ptr<const catalog::RelationInfo>& relation,
                                                       int16_t event) {
    const auto [at, fresh] = transitions_.try_emplace({relation->oid, event});
    if (!fresh) return at->second;
    auto made = std::make_shared<TransitionTables>();
    for (const catalog::TriggerInfo& t : relation->triggers->triggers) {
      if (!t.has_event(event)) continue;
      made->wants_old |= !t.old_table.empty();
      made->wants_new |= !t.new_table.empty();
    }
    if (!made->wants_old && !made->wants_new) return nullptr;
    made->relation = relation;
    std::vector<Phys> phys;
    for (size_t c = 0; c < relation->columns.size(); c++) phys.push_back(relation->layout.phys(c));
    made->old_rows.init(phys);
    made->new_rows.init(std::move(phys));
    at->second = std::move(made);
    return at->second;
  }

  // False when the BEFORE STATEMENT triggers for it have fired already.
  bool begins_statement(Oid relation, int16_t event) { return begun_.insert({relation, event}).second; }

  // Definitions in functions leave the table alone until the statement ends.
  void use(TriggerHost* host, const std::shared_ptr<const catalog::RelationInfo>& table) {
    if (host != nullptr) uses_.add(host->tables_in_use(), table);
  }
  void end() { uses_.release(); }

  // Foreign tables whose rows this run comes to, to change them.
  void will_change(Oid foreign) { foreign_changed_.insert(foreign); }
  bool changes(Oid foreign) const { return foreign_changed_.contains(foreign); }

  void clear() {
    end();
    transitions_.clear();
    begun_.clear();
    foreign_changed_.clear();
  }

 private:
  using Change = std::pair<Oid, int16_t>;
  std::map<Change, std::shared_ptr<TransitionTables>> transitions_;
  std::set<Change> begun_;
  TableUses uses_;
  std::set<Oid> foreign_changed_;
};

}  // namespace indigo::engine::exec
