#include "tests/history/versions.h"

#include <algorithm>
#include <map>

namespace indigo::history {

namespace {

struct Step {
  const Transaction* writer;
  const Operation* write;
};

}  // namespace

Versions::Versions(const History& history, int64_t keys, std::vector<std::string>& violations) {
  auto n = static_cast<size_t>(keys) + 1;
  chains_.resize(n);
  std::vector<std::vector<Step>> inserts(n);
  std::unordered_map<int64_t, Step> after;  // what replaced a value
  size_t writes = 0;
  for (const Transaction& t : history) {
    for (const Operation& o : t.operations) {
      if (o.kind == Operation::Kind::kUndone) places_[o.row.v] = {o.row.k, -1, &t, true};
      if (o.kind != Operation::Kind::kWrite) continue;
      if (o.row.v != 0) places_[o.row.v] = {o.row.k, -1, &t, t.outcome == Transaction::Outcome::kAborted};
      if (t.outcome == Transaction::Outcome::kAborted) continue;
      writes++;
      if (o.before == 0) {
        inserts[static_cast<size_t>(o.row.k)].push_back({&t, &o});
      } else if (auto [other, added] = after.emplace(o.before, Step{&t, &o}); !added) {
        violations.push_back("lost update: transactions " + std::to_string(other->second.writer->id) + " and " +
                             std::to_string(t.id) + " both replaced value " + std::to_string(o.before) + " of key " +
                             std::to_string(o.row.k));
      }
    }
  }
  size_t placed = 0;
  for (size_t k = 1; k < n; k++) {
    auto& chain = chains_[k];
    chain.push_back({});
    std::sort(inserts[k].begin(), inserts[k].end(),
              [](const Step& a, const Step& b) { return a.write->end < b.write->end; });
    for (size_t i = 0; i < inserts[k].size(); i++) {
      Step step = inserts[k][i];
      if (chain.back().v != 0) {
        violations.push_back("key " + std::to_string(k) + ": transaction " + std::to_string(step.writer->id) +
                             " inserted it while value " + std::to_string(chain.back().v) + " was there");
      }
      for (;;) {
        placed++;
        // Of several changes by one transaction the last one counts.
        if (chain.back().writer == step.writer) {
          if (chain.back().v != 0) places_[chain.back().v].index = -1;
          chain.pop_back();
        }
        chain.push_back({step.writer, step.write->row.v, step.write->row.g});
        if (step.write->row.v == 0) break;
        places_[step.write->row.v].index = static_cast<int32_t>(chain.size()) - 1;
        auto next = after.find(step.write->row.v);
        if (next == after.end()) break;
        step = next->second;
      }
    }
    count_ += chain.size() - 1;
  }
  if (placed != writes && violations.empty())
    violations.push_back("a committed write replaced what never was a version");
}

const Versions::Place* Versions::find(int64_t v) const {
  auto p = places_.find(v);
  return p == places_.end() ? nullptr : &p->second;
}

int32_t Versions::surely_by(int64_t key, uint64_t time) const {
  const auto& chain = of(key);
  auto i = static_cast<int32_t>(chain.size()) - 1;
  while (i > 0 && chain[static_cast<size_t>(i)].writer->commit_end >= time) i--;
  return i;
}

int32_t Versions::perhaps_by(int64_t key, uint64_t time) const {
  const auto& chain = of(key);
  int32_t i = 0;
  while (i + 1 < static_cast<int32_t>(chain.size()) && chain[static_cast<size_t>(i) + 1].writer->commit_begin <= time)
    i++;
  return i;
}

}  // namespace indigo::history
