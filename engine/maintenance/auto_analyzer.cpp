#include "engine/maintenance/auto_analyzer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/exception_error.h"
#include "base/fiber/thread_start.h"
#include "base/fiber/wait_point.h"
#include "base/server_log.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/analyze/analyze.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/instance_impl.h"
#include "engine/session/session_impl.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"
#include "storage/lock/lock_manager.h"
#include "storage/statistics.h"
#include "storage/table.h"
#include "storage/transaction.h"
#include "types/oids.h"

namespace indigo::engine {

// The analyzer's waiter: while it works it looks now and then whether somebody waits for the table that it has locked, and
// then ends like a statement that is cancelled.
class GivingWay final : public Waiter {
 public:
  explicit GivingWay(storage::LockManager& locks) : own_(Waiter::current()), locks_(locks) { set_current(this); }
  ~GivingWay() override { set_current(&own_); }
  GivingWay(const GivingWay&) = delete;
  GivingWay& operator=(const GivingWay&) = delete;

  void works_on(uint64_t object) { object_ = object; }
  void wake() override { own_.wake(); }
  void yield_if_due() override {
    if (object_ == 0 || looking_ || Clock::now() < next_look_) return;
    looking_ = true;  // a list of millions of locks asks for its turns, too
    for (const storage::LockInfo& lock : locks_.snapshot()) {
      if (!lock.granted && lock.name.space == storage::LockName::Space::kTable && lock.name.object == object_) {
        interrupt(InterruptReason::kCancel);
      }
    }
    looking_ = false;
    next_look_ = Clock::now() + std::chrono::milliseconds(5);
  }

 private:
  WaitResult block(Deadline deadline) override {
    if (interrupted() != InterruptReason::kNone) return WaitResult::kInterrupted;
    const WaitResult result = own_.sleep(deadline);
    return interrupted() != InterruptReason::kNone ? WaitResult::kInterrupted : result;
  }

  Waiter& own_;
  storage::LockManager& locks_;
  uint64_t object_ = 0;
  bool looking_ = false;
  Clock::time_point next_look_{};
};

namespace {

double number_of(std::string_view text, double otherwise) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : otherwise;
}

// A table's own parameters.
struct Rule {
  bool enabled = true;
  double threshold, scale;

  void read(std::span<const std::string> options) {
    for (const std::string& option : options) {
      const size_t equals = option.find('=');
      if (equals == std::string::npos) continue;
      const std::string_view name = std::string_view(option).substr(0, equals);
      const std::string_view value = std::string_view(option).substr(equals + 1);
      if (name == "autovacuum_enabled") {
        const char first = value.empty() ? '1' : static_cast<char>(value[0] | 0x20);
        const bool off = value.size() > 1 && (value[1] | 0x20) == 'f';  // off, and its beginnings
        enabled = first != 'f' && first != 'n' && value != "0" && !(first == 'o' && off);
      }
      if (name == "autovacuum_analyze_threshold") threshold = number_of(value, threshold);
      if (name == "autovacuum_analyze_scale_factor") scale = number_of(value, scale);
    }
  }
};

// What reading the table takes many times over, and something for functions of users' own in its expressions.
Clock::duration time_for(const catalog::RelationInfo& relation) {
  const uint64_t leaves = relation.table == nullptr ? 0 : relation.table->statistics().leaf_count;
  return std::chrono::seconds(30) + leaves * std::chrono::microseconds(200);
}

}  // namespace

AutoAnalyzer::AutoAnalyzer(InstanceImpl& instance) : instance_(instance) {
  thread_ = std::thread([this] { run(); });
}

AutoAnalyzer::~AutoAnalyzer() { stop(); }

void AutoAnalyzer::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    if (waiter_ != nullptr) waiter_->interrupt(InterruptReason::kShutdown);
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void AutoAnalyzer::leave(Oid database) {
  std::lock_guard lock(mutex_);
  if (database_ == database && waiter_ != nullptr) waiter_->interrupt(InterruptReason::kTerminate);
}

void AutoAnalyzer::run() {
  begin_thread("autoanalyze");
  name_log_thread("autovacuum worker");
  uint64_t commits = 0;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto nap = std::chrono::seconds(std::strtoll(instance_.setting("autovacuum_naptime").c_str(), nullptr, 10));
    wake_.wait_for(lock, nap, [&] { return stop_; });
    if (stop_ || instance_.setting("autovacuum") != "on") continue;
    lock.unlock();
    storage::Store& store = instance_.catalog().store();
    if (store.statistics().commits != commits) {
      round();
      commits = store.statistics().commits;
    }
    lock.lock();
  }
}

void AutoAnalyzer::round() {
  for (const auto& database : instance_.catalog().databases()) {
    GivingWay waiter(instance_.catalog().store().locks());
    {
      std::lock_guard lock(mutex_);
      if (stop_) return;
      database_ = database->oid();
      waiter_ = &waiter;
    }
    analyze(database);
    std::lock_guard lock(mutex_);
    database_ = kInvalidOid;
    waiter_ = nullptr;
  }
}

bool AutoAnalyzer::is_left_alone(Oid database, Oid table) const {
  const auto at = left_alone_.find({database, table});
  return at != left_alone_.end() && Clock::now() < at->second.until;
}

void AutoAnalyzer::leave_alone(const catalog::Database& database, const catalog::RelationInfo& relation) {
  constexpr std::chrono::minutes kFirst{10};
  constexpr std::chrono::hours kLongest{24};
  const auto now = Clock::now();
  std::erase_if(left_alone_, [&](const auto& entry) { return now - entry.second.until > kLongest; });
  LeftAlone& entry = left_alone_[{database.oid(), relation.oid}];
  entry.wait = std::clamp<std::chrono::minutes>(entry.wait * 2, kFirst, kLongest);
  entry.until = now + entry.wait;
  log_warning("automatic analyze of table \"" + database.name() + "." + relation.schema_name + "." + relation.name +
              "\" takes too long, and is left for " + std::to_string(entry.wait.count()) + " minutes");
}

void AutoAnalyzer::analyze(const std::shared_ptr<catalog::Database>& database) {
  const auto role = instance_.catalog().role(oid::kBootstrapSuperuser);
  if (role == nullptr) return;
  SessionImpl session(instance_, *waiter_, database, 0, 0);
  ConnectOptions options;
  options.user = role->name;
  if (!session.start(options).ok()) return;
  SessionParts& parts = session.parts();
  DefinitionHost host(parts, nullptr);
  // One transaction each: what it has found is there at once, and its snapshot ends. Errors are for the next round.
  const auto in_transaction = [&](const std::function<Status(DdlContext&)>& step) {
    if (waiter_->interrupted() >= InterruptReason::kTerminate) return false;
    waiter_->clear_cancel();
    Status status = parts.begin_statement();
    if (status.ok()) {
      DdlContext context{parts.session_catalog(), parts.transaction(), host, {}};
      status = catch_exceptions([&] { return step(context); }, [&] { parts.discard_plans(); });
    }
    if (status.ok()) status = parts.block().commit();
    if (!status.ok()) parts.block().rollback();
    return true;
  };

  const double threshold = number_of(instance_.setting("autovacuum_analyze_threshold"), 50);
  const double scale = number_of(instance_.setting("autovacuum_analyze_scale_factor"), 0.1);
  const auto due = [&](DdlContext& c, const ddl::RelationPtr& relation, double tuples) {
    Rule rule{true, threshold, scale};
    rule.read(ddl::options_of(c, relation->oid));
    const auto changes = static_cast<double>(instance_.table_activity().changes_since(database->oid(), *relation));
    return rule.enabled && changes > rule.threshold + rule.scale * std::max(tuples, 0.0);
  };

  std::vector<std::pair<Oid, double>> tables;  // with reltuples
  in_transaction([&](DdlContext& c) -> Status {
    ddl::table(c, ddl::pg_class::kOid).scan(c.txn, {}, [&](ddl::RowReader row) {
      const Oid oid = row.oid(ddl::pg_class::c_oid);
      const char kind = row.chr(ddl::pg_class::c_relkind);
      if (oid >= oid::kFirstUserOid && (kind == 'r' || kind == 'm') &&
          row.chr(ddl::pg_class::c_relpersistence) != 't') {
        tables.emplace_back(oid, row.f32(ddl::pg_class::c_reltuples));
      }
      return true;
    });
    std::erase_if(tables, [&](const auto& t) {
      const ddl::RelationPtr relation = ddl::current(c, t.first);
      return relation == nullptr || !due(c, relation, t.second) || is_left_alone(database->oid(), t.first);
    });
    return {};
  });
  for (const auto& table : tables) {
    const Oid oid = table.first;
    const double tuples = table.second;
    const uint64_t object = catalog::lock_object(database->oid(), oid);
    const bool go_on = in_transaction([&](DdlContext& c) -> Status {
      auto& locks = c.store().locks();
      const auto mode = storage::TableLockMode::kShareUpdateExclusive;
      if (locks.lock_table(c.store().lock_owner(c.txn), object, mode, false, {}) != storage::StorageStatus::kOk)
        return {};
      const ddl::RelationPtr relation = ddl::current(c, oid);  // as it is now that it is locked
      if (relation == nullptr || !due(c, relation, tuples)) return {};
      waiter_->works_on(object);
      waiter_->set_statement_deadline(Clock::now() + time_for(*relation));
      Status status = ddl::analyze_table(c, relation, {});
      if (!status.ok() && waiter_->interrupted() == InterruptReason::kStatementTimeout) {
        leave_alone(*database, *relation);
      } else if (status.ok()) {
        left_alone_.erase({database->oid(), oid});
      }
      waiter_->set_statement_deadline(kNoDeadline);
      return status;
    });
    waiter_->works_on(0);
    if (!go_on) return;
  }
}

}  // namespace indigo::engine
