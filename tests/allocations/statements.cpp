#include "tests/allocations/statements.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/sqlstate.h"
#include "engine/durability/data_directory.h"
#include "engine/instance.h"
#include "log/simulated_directory.h"
#include "tests/allocations/failing_memory.h"
#include "tests/unit/engine/session/copying_sink.h"
#include "tests/unit/engine/session/edge_cases.h"

namespace indigo::allocations {

namespace {

using engine::EdgeCase;
using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kTable =
    "create table t (a int primary key, b text); insert into t select g, 'b' || g from generate_series(1, 60) g";

std::string in_words(const Rows& rows) {
  std::string words;
  for (const auto& row : rows) {
    for (const std::string& value : row) words += value + "|";
    words += "; ";
  }
  return words;
}

// An instance on a simulated disk, or in memory with a limit, and its only session.
class Database {
 public:
  explicit Database(int64_t limit_kb = 0) : limit_kb_(limit_kb) {
    if (limit_kb == 0) disk_ = std::make_shared<log::SimulatedDirectory>(log::Granularity::kPage);
    open();
  }

  void reopen() {
    session_.reset();
    instance_.reset();
    open();
  }

  std::optional<Error> run(const char* text) {
    engine::CopyingSink sink(*session_);
    session_->query(text, sink);
    return sink.failure;
  }
  // What must succeed; the first that does not is error().
  Rows rows(const std::string& text) {
    if (text.empty()) return {};
    engine::CopyingSink sink(*session_);
    session_->query(text, sink);
    if (sink.failure && error_.empty()) error_ = text + ": " + sink.failure->message;
    return sink.table;
  }
  bool opened() const { return session_ != nullptr; }
  bool in_block() const { return session_->transaction_status() != 'I'; }
  const std::string& error() const { return error_; }

 private:
  void open() {
    engine::InstanceOptions options;
    if (disk_ != nullptr) {
      options.data_source =
          std::make_shared<engine::DataSource>(engine::DataSource{disk_, {.block_bytes = 64 << 10, .segment_bits = 8}});
    }
    if (limit_kb_ != 0) options.settings["memory_limit"] = std::to_string(limit_kb_) + "kB";
    auto instance = engine::Instance::open(options);
    if (!instance.ok()) {
      error_ = instance.error().message;
      return;
    }
    instance_ = std::move(*instance);
    auto session = instance_->connect({}, Waiter::current());
    if (!session.ok()) {
      error_ = session.error().message;
      return;
    }
    session_ = std::move(*session);
  }

  const int64_t limit_kb_;
  std::shared_ptr<log::SimulatedDirectory> disk_;
  std::unique_ptr<engine::Instance> instance_;
  std::unique_ptr<engine::Session> session_;
  std::string error_;
};

// One case: each message in turn, each of its requests.
class Sweep {
 public:
  Sweep(Database& database, const EdgeCase& what, const Options& options, Outcome& outcome)
      : database_(database), case_(what), options_(options), outcome_(outcome) {}

  std::string run() {
    database_.rows(case_.setup);
    before_ = database_.rows(case_.check);
    for (const char* message : case_.messages) database_.rows(message);
    after_ = database_.rows(case_.check);
    database_.rows(case_.undo);
    if (!database_.error().empty()) return "without refusals: " + database_.error();
    for (size_t refusing = 0; refusing < case_.messages.size(); refusing++) {
      for (int64_t n = 0; refused_; n = next_request(n, options_)) {
        if (std::string error = once(refusing, n); !error.empty()) {
          print_refused();
          return error + "\n  request " + std::to_string(n) + " of " + case_.messages[refusing];
        }
      }
      refused_ = true;
    }
    return {};
  }

 private:
  // Request `n` of message number `refusing` is refused.
  std::string once(size_t refusing, int64_t n) {
    bool done = true;
    for (size_t i = 0; done && i < case_.messages.size(); i++) {
      if (i == refusing) refuse(n, options_.all, Whose::kMine);
      const std::optional<Error> failure = database_.run(case_.messages[i]);
      if (i == refusing) {
        refused_ = give() != 0;
        outcome_.refused += refused_ ? 1 : 0;
        outcome_.failed += failure ? 1 : 0;
        if (failure && failure->state.text() != sqlstate::kOutOfMemory.text()) {
          return std::string(failure->state.text()) + " " + failure->message;
        }
      } else if (failure) {
        return std::string(case_.messages[i]) + ": " + failure->message;
      }
      done = !failure.has_value();
    }
    if (database_.in_block()) database_.rows("rollback");
    const Rows now = database_.rows(case_.check);
    if (now != (done ? after_ : before_)) {
      return "it answers " + in_words(now) + " before: " + in_words(before_) + " after: " + in_words(after_);
    }
    if (done) database_.rows(case_.undo);
    return database_.error();
  }

  Database& database_;
  const EdgeCase& case_;
  const Options& options_;
  Outcome& outcome_;
  Rows before_, after_;
  bool refused_ = true;
};

// The user tables' rows, as one text each.
Rows contents(Database& database) {
  Rows all;
  for (const auto& table : database.rows("select oid::regclass::text from pg_class where relkind in ('r', 'm') and "
                                         "oid >= 16384 order by 1")) {
    Rows rows = database.rows("select '" + table[0] + "', x::text from " + table[0] + " x order by 2");
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

bool chosen(const EdgeCase& c, const Options& options) {
  return std::string_view(c.messages.back()).find(options.only) != std::string_view::npos;
}

}  // namespace

Outcome sweep_statements(const Options& options) {
  Outcome outcome;
  Database database;
  database.rows(kTable);
  for (const EdgeCase& c : engine::edge_cases()) {
    if (!chosen(c, options)) continue;
    outcome.error = Sweep(database, c, options, outcome).run();
    if (!outcome.error.empty()) return outcome;
  }
  const Rows kept = contents(database);
  database.reopen();
  if (contents(database) != kept) outcome.error = "the next start shows something else";
  if (!database.error().empty()) outcome.error = database.error();
  return outcome;
}

Outcome sweep_limits(const Options& options) {
  constexpr int64_t kStepKb = 64;
  Outcome outcome;
  int64_t enough_for_all = 0;  // for an instance with t
  for (const EdgeCase& c : engine::edge_cases()) {
    if (!chosen(c, options)) continue;
    Database plenty;
    plenty.rows(kTable);
    plenty.rows(c.setup);
    const Rows before = plenty.rows(c.check);
    for (const char* message : c.messages) plenty.rows(message);
    const Rows after = plenty.rows(c.check);
    for (int64_t limit = std::max(enough_for_all, kStepKb); outcome.error.empty(); limit += kStepKb) {
      Database database(limit);
      if (!database.opened() || database.run(kTable)) continue;
      if (enough_for_all == 0) enough_for_all = limit;
      if (*c.setup != '\0' && database.run(c.setup)) continue;
      std::optional<Error> failure;
      for (size_t i = 0; !failure && i < c.messages.size(); i++) failure = database.run(c.messages[i]);
      if (database.in_block()) database.rows("rollback");
      const Rows now = database.rows(c.check);
      if (failure) outcome.failed++;
      outcome.refused++;
      if (failure && failure->state.text() != sqlstate::kOutOfMemory.text()) {
        outcome.error = std::string(failure->state.text()) + " " + failure->message;
      } else if (!database.error().empty()) {
        outcome.error = database.error();
      } else if (now != (failure ? before : after)) {
        outcome.error = "it answers " + in_words(now) + " before: " + in_words(before) + " after: " + in_words(after);
      }
      if (!outcome.error.empty()) {
        outcome.error += "\n  limit " + std::to_string(limit) + " kB, " + c.messages.back();
        return outcome;
      }
      if (!failure) break;
    }
  }
  return outcome;
}

}  // namespace indigo::allocations
