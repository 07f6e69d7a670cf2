#include "engine/exec/scan/scan_counts.h"

#include <algorithm>
#include <limits>

namespace indigo::engine::exec {
namespace {

void add(ScanTotals& to, const ScanTotals& more) {
  to.scans += more.scans;
  to.rows += more.rows;
}

}  // namespace

ScanCounts::Count& ScanCounts::of(Oid relation) {
  if (const auto at = counts_.find(relation); at != counts_.end()) return *at->second;  // nobody else adds
  auto made = std::make_unique<Count>();
  const std::lock_guard guard(mutex_);
  return *counts_.emplace(relation, std::move(made)).first->second;
}

ScanTotals ScanCounts::totals(Oid relation) const {
  const std::lock_guard guard(mutex_);
  const auto at = counts_.find(relation);
  return at == counts_.end() ? ScanTotals() : at->second->totals();
}

std::vector<std::pair<Oid, ScanTotals>> ScanCounts::all() const {
  std::vector<std::pair<Oid, ScanTotals>> out;
  const std::lock_guard guard(mutex_);
  for (const auto& [relation, count] : counts_) out.emplace_back(relation, count->totals());
  return out;
}

std::shared_ptr<ScanCounts> ScanCountRegistry::open(Oid database) {
  auto counts = std::make_shared<ScanCounts>(database);
  const std::lock_guard guard(mutex_);
  open_.push_back(counts);
  return counts;
}

void ScanCountRegistry::close(const std::shared_ptr<ScanCounts>& counts) {
  const std::lock_guard guard(mutex_);
  for (const auto& [relation, totals] : counts->all()) add(ended_[{counts->database(), relation}], totals);
  std::erase(open_, counts);
}

ScanTotals ScanCountRegistry::sum(Oid database, Oid relation) const {
  ScanTotals out;
  if (const auto at = ended_.find({database, relation}); at != ended_.end()) out = at->second;
  for (const auto& session : open_) {
    if (session->database() == database) add(out, session->totals(relation));
  }
  return out;
}

ScanTotals ScanCountRegistry::of(Oid database, Oid relation) const {
  const std::lock_guard guard(mutex_);
  ScanTotals out = sum(database, relation);
  if (const auto at = before_.find({database, relation}); at != before_.end()) {
    out.scans -= at->second.scans;
    out.rows -= at->second.rows;
  }
  return out;
}

void ScanCountRegistry::reset(Oid database, Oid relation) {
  const std::lock_guard guard(mutex_);
  if (relation != kInvalidOid) {
    before_[{database, relation}] = sum(database, relation);
    return;
  }
  std::vector<Oid> relations;
  for (const auto& [key, totals] : ended_) {
    if (key.first == database) relations.push_back(key.second);
  }
  for (const auto& session : open_) {
    if (session->database() != database) continue;
    for (const auto& [seen, totals] : session->all()) relations.push_back(seen);
  }
  for (const Oid seen : relations) before_[{database, seen}] = sum(database, seen);
}

void ScanCountRegistry::forget(Oid database) {
  const std::lock_guard guard(mutex_);
  const auto of_database = [&](const auto& entry) { return entry.first.first == database; };
  std::erase_if(ended_, of_database);
  std::erase_if(before_, of_database);
}

}  // namespace indigo::engine::exec
