#include "tests/history/checker.h"

#include <algorithm>
#include <set>

#include "tests/history/graph.h"
#include "tests/history/versions.h"

namespace indigo::history {

const char* name_of(Level level) {
  switch (level) {
    case Level::kReadCommitted: return "read committed";
    case Level::kRepeatableRead: return "repeatable read";
    case Level::kSerializable: break;
  }
  return "serializable";
}

namespace {

class Check {
 public:
  Check(const History& history, int64_t keys, bool locking)
      : history_(history),
        keys_(keys),
        mixed_(mixed(history)),
        locking_(locking),
        versions_(history, keys, verdict_.violations),
        graph_(nodes()) {}

  Verdict run() {
    for (const Transaction& t : history_) {
      (t.outcome == Transaction::Outcome::kCommitted ? verdict_.committed : verdict_.aborted)++;
    }
    verdict_.versions = versions_.count();
    write_edges();
    for (const Transaction& t : history_) reads(t);
    verdict_.edges = graph_.edge_count();
    judge();
    return std::move(verdict_);
  }

 private:
  // The lowest level of the history says what is asked of all; of a mixed one only the serializable part is asked.
  static bool mixed(const History& history) {
    return std::any_of(history.begin(), history.end(),
                       [&](const Transaction& t) { return t.level != history.front().level; });
  }
  std::vector<const Transaction*> nodes() const {
    std::vector<const Transaction*> nodes;
    for (const Transaction& t : history_) {
      if (t.outcome == Transaction::Outcome::kCommitted && (!mixed_ || t.level == Level::kSerializable))
        nodes.push_back(&t);
    }
    return nodes;
  }

  void complain(const std::string& text) {
    if (verdict_.violations.size() < 5) verdict_.violations.push_back(text);
  }

  void write_edges() {
    for (int64_t k = 1; k <= keys_; k++) {
      const auto& chain = versions_.of(k);
      for (size_t i = 1; i < chain.size(); i++) {
        if (chain[i - 1].v == 0 && snapshot_isolation()) continue;
        graph_.add(chain[i - 1].writer, chain[i].writer, EdgeKind::kWw);
      }
    }
  }

  // As in PostgreSQL, REPEATABLE READ lets an insert follow a delete that its snapshot does not see: lives of a key are
  // not ordered for it.
  bool snapshot_isolation() const { return !mixed_ && history_.front().level == Level::kRepeatableRead; }

  // Between which times the snapshot of a read was taken.
  std::pair<uint64_t, uint64_t> snapshot_of(const Transaction& t, const Operation& read) const {
    if (t.level == Level::kReadCommitted || (locking_ && t.level == Level::kSerializable))
      return {read.begin, read.end};
    // It moves on while what was read stays as it is (R8).
    if (t.level == Level::kSerializable) return {t.begin, read.end};
    return {t.begin, t.snapshot_end};
  }

  void reads(const Transaction& t) {
    std::set<int64_t> own;  // keys that it has written, as far as not taken back: there it reads itself
    for (const Operation& o : t.operations) {
      if (o.kind == Operation::Kind::kWrite || o.kind == Operation::Kind::kUndone) own.insert(o.row.k);
      if (o.kind == Operation::Kind::kTaken && !own.contains(o.low)) nothing_read(t, o, o.low);
      if (o.kind != Operation::Kind::kReadRange && o.kind != Operation::Kind::kReadGroup) continue;
      std::set<int64_t> seen;
      for (const Row& row : o.rows) {
        seen.insert(row.k);
        value_read(t, o, row);
      }
      bool group = o.kind == Operation::Kind::kReadGroup;
      int64_t low = group ? 1 : std::max<int64_t>(o.low, 1), high = group ? keys_ : std::min(o.high, keys_);
      for (int64_t k = low; k <= high; k++) {
        if (!seen.contains(k) && !own.contains(k)) nothing_read(t, o, k);
      }
    }
  }

  void value_read(const Transaction& t, const Operation& o, const Row& row) {
    const Versions::Place* place = versions_.find(row.v);
    std::string where =
        "T" + std::to_string(t.id) + " read value " + std::to_string(row.v) + " of key " + std::to_string(row.k);
    if (place == nullptr) return complain(where + ", which nobody wrote");
    if (place->writer == &t) return;
    if (place->undone) return complain("G1a: " + where + ", which was rolled back");
    if (place->index < 0) return complain("G1b: " + where + ", which its writer replaced");
    if (place->index < versions_.surely_by(row.k, snapshot_of(t, o).first)) {
      complain("stale: " + where + ", which an acknowledged commit had replaced before");
    }
    if (t.outcome != Transaction::Outcome::kCommitted) return;
    const auto& chain = versions_.of(row.k);
    auto i = static_cast<size_t>(place->index);
    graph_.add(chain[i].writer, &t, EdgeKind::kWr);
    if (i + 1 < chain.size()) graph_.add(&t, chain[i + 1].writer, EdgeKind::kRw);
  }

  // The key was not among the rows: it was missing, or its row did not match; or it was taken, and so not missing. Of the
  // versions that this may have been, the oldest gives the wr edge and the newest the rw edge: those follow from the true
  // ones, whichever they are.
  void nothing_read(const Transaction& t, const Operation& o, int64_t k) {
    const auto& chain = versions_.of(k);
    auto matches = [&](size_t i) {
      if (o.kind == Operation::Kind::kTaken) return chain[i].v == 0;
      return chain[i].v != 0 && (o.kind == Operation::Kind::kReadRange || chain[i].g == o.low);
    };
    auto [earliest, latest] = snapshot_of(t, o);
    auto from = static_cast<size_t>(versions_.surely_by(k, earliest)),
         to = static_cast<size_t>(versions_.perhaps_by(k, latest));
    while (from <= to && matches(from)) from++;
    if (from > to) {
      complain("T" + std::to_string(t.id) + " missed key " + std::to_string(k) + ", which was there");
      return;
    }
    while (matches(to)) to--;
    if (t.outcome != Transaction::Outcome::kCommitted) return;
    if (snapshot_isolation()) {
      for (size_t i = from; i < to; i++) {
        if (matches(i)) return;  // in which life?
      }
    }
    while (from > 0 && !matches(from - 1)) from--;  // who made it so
    graph_.add(chain[from].writer, &t, EdgeKind::kWr);
    size_t next = to + 1;
    while (next < chain.size() && !matches(next)) next++;
    if (next < chain.size()) {
      graph_.add(&t, chain[next].writer, EdgeKind::kRw);
      verdict_.predicate_edges++;
    }
  }

  void judge() {
    if (history_.empty()) return;
    bool serializable = mixed_ || history_.front().level == Level::kSerializable;
    graph_.add_time();
    std::string cycle = graph_.cycle(false);
    if (!cycle.empty()) return complain("G1c: " + cycle);
    if (!serializable && history_.front().level == Level::kRepeatableRead) {
      cycle = graph_.cycle_without_adjacent_rw();
      if (!cycle.empty()) complain("G-SI: " + cycle);
    }
    if (!serializable) return;
    cycle = graph_.cycle(true);
    if (!cycle.empty()) complain("G2: " + cycle);
  }

  const History& history_;
  int64_t keys_;
  const bool mixed_;
  const bool locking_;
  Verdict verdict_;
  Versions versions_;
  Graph graph_;
};

}  // namespace

Verdict check(const History& history, int64_t keys, bool locking) { return Check(history, keys, locking).run(); }

}  // namespace indigo::history
