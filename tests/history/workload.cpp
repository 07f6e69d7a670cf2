#include "tests/history/workload.h"

#include <chrono>
#include <random>
#include <thread>

namespace indigo::history {

namespace {

uint64_t now() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

class Runner {
 public:
  Runner(Backend& backend, const WorkloadOptions& options, uint32_t client)
      : options_(options), client_(backend.connect()), number_(client), random_(options.seed * 1000 + client) {}

  void run(uint32_t transactions) {
    for (uint32_t i = 0; i < transactions; i++) transaction();
  }
  History history;

 private:
  int64_t pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t key() { return 1 + pick(options_.keys); }
  int64_t group() { return 1 + pick(options_.groups); }
  int64_t new_value() { return (++values_ << 8) + number_ + 1; }

  void transaction() {
    t_ = {};
    t_.id = static_cast<uint32_t>(history.size()) * options_.clients + number_;
    t_.client = number_;
    t_.level = options_.levels[static_cast<size_t>(pick(static_cast<int64_t>(options_.levels.size())))];
    client_->begin(t_.level);
    bool ok = true, in_savepoint = false;
    savepoint_ = 0;
    for (int64_t left = 1 + pick(5); left > 0 && ok; left--) {
      if (!in_savepoint && pick(8) == 0) {
        ok = client_->savepoint() == Answer::kOk;
        in_savepoint = ok;
        savepoint_ = t_.operations.size();
      } else if (in_savepoint && pick(3) == 0) {
        ok = client_->rollback_to() == Answer::kOk;
        in_savepoint = false;
        undo();
      }
      ok = ok && statement();
      // Let the others come in between.
      if (pick(3) == 0) std::this_thread::yield();
    }
    t_.commit_begin = now();
    if (ok && pick(20) != 0) {
      ok = client_->commit() == Answer::kOk;
      if (ok) t_.outcome = Transaction::Outcome::kCommitted;
      if (!ok) client_->rollback();
    } else {
      client_->rollback();
    }
    t_.commit_end = now();
    history.push_back(std::move(t_));
  }

  void undo() {
    for (size_t i = savepoint_; i < t_.operations.size(); i++) {
      Operation& o = t_.operations[i];
      if (o.kind == Operation::Kind::kWrite) o.kind = Operation::Kind::kUndone;
    }
  }

  bool statement() {
    Operation o{};
    o.begin = now();
    if (t_.begin == 0) t_.begin = o.begin;
    Answer a = Answer::kOk;
    switch (pick(12)) {
      case 0:
      case 1:
      case 2: a = read_key(o, false); break;
      case 3: a = read_range(o); break;
      case 4: a = read_group(o); break;
      case 5:
      case 6: a = update(o); break;
      case 7: a = insert(o); break;
      case 8:
      case 9: a = erase(o); break;
      case 10: a = upsert(o); break;
      default: a = read_key(o, true); break;
    }
    o.end = now();
    if (t_.snapshot_end == 0) t_.snapshot_end = o.end;
    if (a == Answer::kOk) t_.operations.push_back(std::move(o));
    return a == Answer::kOk;
  }

  Answer read_key(Operation& o, bool lock) {
    o.kind = Operation::Kind::kReadRange;
    o.low = o.high = key();
    return lock ? client_->lock_key(o.low, o.rows) : client_->read_key(o.low, o.rows);
  }
  Answer read_range(Operation& o) {
    o.kind = Operation::Kind::kReadRange;
    o.low = key();
    o.high = o.low + pick(5);
    return client_->read_range(o.low, o.high, pick(2) == 0, o.rows);
  }
  Answer read_group(Operation& o) {
    o.kind = Operation::Kind::kReadGroup;
    o.low = group();
    return client_->read_group(o.low, o.rows);
  }
  // A change that found nothing was a read.
  Answer changed(Operation& o, Answer a, const std::optional<int64_t>& before) {
    o.kind = before ? Operation::Kind::kWrite : Operation::Kind::kReadRange;
    o.low = o.high = o.row.k;
    o.before = before.value_or(0);
    return a;
  }
  Answer update(Operation& o) {
    o.row = {key(), new_value(), group()};
    std::optional<int64_t> before;
    Answer a = client_->update(o.row.k, o.row.v, o.row.g, before);
    return changed(o, a, before);
  }
  Answer erase(Operation& o) {
    o.row = {key(), 0, 0};
    std::optional<int64_t> before;
    Answer a = client_->erase(o.row.k, before);
    return changed(o, a, before);
  }
  Answer insert(Operation& o) {
    o.row = {key(), new_value(), group()};
    o.low = o.row.k;
    bool inserted = false;
    Answer a = client_->insert(o.row.k, o.row.v, o.row.g, inserted);
    o.kind = inserted ? Operation::Kind::kWrite : Operation::Kind::kTaken;
    return a;
  }
  Answer upsert(Operation& o) {
    o.kind = Operation::Kind::kWrite;
    o.row = {key(), new_value(), group()};
    std::optional<int64_t> before;
    Answer a = client_->upsert(o.row.k, o.row.v, o.row.g, before);
    o.before = before.value_or(0);
    return a;
  }

  const WorkloadOptions& options_;
  std::unique_ptr<Client> client_;
  const uint32_t number_;
  std::mt19937_64 random_;
  Transaction t_;
  size_t savepoint_ = 0;  // operations before it
  int64_t values_ = 0;
};

}  // namespace

History run_workload(Backend& backend, const WorkloadOptions& options) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (uint32_t c = 0; c < options.clients; c++) runners.push_back(std::make_unique<Runner>(backend, options, c));
  std::vector<std::thread> threads;
  for (auto& runner : runners) {
    threads.emplace_back([&runner, &options] { runner->run(options.transactions / options.clients); });
  }
  for (std::thread& t : threads) t.join();
  History all;
  for (auto& runner : runners) {
    for (Transaction& t : runner->history) all.push_back(std::move(t));
  }
  return all;
}

}  // namespace indigo::history
