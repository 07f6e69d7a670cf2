#include "engine/subscription/subscription_workers.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/exception_error.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/thread_start.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/instance_impl.h"
#include "types/oids.h"

namespace indigo::engine::subscription {

// Its thread sets `done` last; the launcher joins it.
struct SubscriptionWorkers::Worker {
  Worker() = default;
  ~Worker() {
    if (thread.joinable()) thread.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Subscription subscription;
  StopEventPtr stop = std::make_shared<StopEvent>();
  Waiter* waiter = nullptr;  // while it runs
  bool done = false;
  std::thread thread;
};

struct SubscriptionWorkers::Change {
  Change(SubscriptionWorkers& all, Oid subscription) : workers(all), stopped(subscription) {}
  ~Change() { workers.release(stopped); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  SubscriptionWorkers& workers;
  const Oid stopped;
};

namespace {

constexpr std::chrono::seconds kPause(1);  // before rows are looked at again that could not be read

bool same_definition(const Subscription& a, const Subscription& b) {
  return a.owner == b.owner && a.name == b.name && a.connection == b.connection && a.slot == b.slot &&
         a.binary == b.binary && a.streaming == b.streaming && a.disable_on_error == b.disable_on_error &&
         a.publications == b.publications && a.synchronous_commit == b.synchronous_commit;
}

}  // namespace

SubscriptionWorkers::SubscriptionWorkers(InstanceImpl& instance) : instance_(instance) {}
SubscriptionWorkers::~SubscriptionWorkers() { stop(); }

void SubscriptionWorkers::stop() {
  std::map<Oid, std::unique_ptr<Worker>> left;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (auto& [oid, worker] : workers_) end(*worker);
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard lock(mutex_);
    left.swap(workers_);
  }
}  // and waits for those that are left

void SubscriptionWorkers::end(Worker& worker) {
  worker.stop->set();
  if (worker.waiter != nullptr) worker.waiter->interrupt(InterruptReason::kTerminate);
}

void SubscriptionWorkers::look() {
  const std::lock_guard lock(mutex_);
  look_ = true;
  if (stop_) return;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { launch(); });
    } catch (const std::system_error& e) {
      log_error("could not start the thread of subscriptions: " + std::string(e.what()));
    }
  }
  wake_.notify_all();
}

Result<std::shared_ptr<void>> SubscriptionWorkers::change(Oid stopped) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped != kInvalidOid) {
      held_.insert(stopped);
      if (const auto found = workers_.find(stopped); found != workers_.end()) end(*found->second);
    }
  }
  std::shared_ptr<void> out = std::make_shared<Change>(*this, stopped);
  if (stopped == kInvalidOid) return out;
  wake_.notify_all();
  const WaitResult result = ended_.wait([&] {
    const std::lock_guard lock(mutex_);
    return !workers_.contains(stopped);
  });
  if (result != WaitResult::kWoken) return interrupt_error(Waiter::current().interrupted());
  return out;
}

void SubscriptionWorkers::release(Oid stopped) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto held = held_.find(stopped); held != held_.end()) held_.erase(held);
    not_before_.clear();
  }
  look();
}

std::vector<SubscriptionWorkers::Shown> SubscriptionWorkers::shown() const {
  const std::lock_guard lock(mutex_);
  std::vector<Shown> out;
  for (const auto& [oid, status] : statuses_) out.push_back({oid, workers_.contains(oid), status});
  return out;
}

void SubscriptionWorkers::launch() {
  begin_thread("subscriptions");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto ready = [&] {
      return stop_ || look_ ||
             std::any_of(workers_.begin(), workers_.end(), [](const auto& w) { return w.second->done; });
    };
    if (next_look_ == kNoDeadline) {
      wake_.wait(lock, ready);
    } else {
      wake_.wait_until(lock, next_look_, ready);
    }
    if (stop_) break;
    look_ = false;
    next_look_ = kNoDeadline;
    lock.unlock();
    const auto looked = catch_exceptions([this]() -> Result<bool> { return round(); }, [] {});
    if (!looked.ok()) log_error("could not look for subscriptions: " + looked.error().message);
    lock.lock();
    if (!looked.ok() || !*looked) next_look_ = std::min(next_look_, Clock::now() + kPause);
  }
}

Result<std::vector<Subscription>> SubscriptionWorkers::read_all() {
  std::vector<Subscription> out;
  const auto databases = instance_.catalog().databases();
  if (databases.empty()) return out;
  INDIGO_ASSIGN(const auto session,
                ApplySession::open(instance_, Waiter::current(), databases.front(), oid::kBootstrapSuperuser));
  INDIGO_TRY(session->begin());
  INDIGO_TRY(session->in_catalog([&](DdlContext& c) -> Status {
    out = all_subscriptions(c);
    return {};
  }));
  return out;
}

bool SubscriptionWorkers::round() {
  const auto read = read_all();
  if (!read.ok()) return false;
  const std::vector<Subscription>& all = *read;
  const auto most =
      static_cast<size_t>(std::strtoll(instance_.setting("max_logical_replication_workers").c_str(), nullptr, 10));
  std::vector<std::unique_ptr<Worker>> gone;
  std::vector<Subscription> to_start;
  {
    const std::lock_guard lock(mutex_);
    const Deadline now = Clock::now();
    for (auto at = workers_.begin(); at != workers_.end();) {
      Worker& worker = *at->second;
      const auto row = std::find_if(all.begin(), all.end(), [&](const Subscription& s) { return s.oid == at->first; });
      const bool wanted =
          row != all.end() && row->enabled && !held_.contains(at->first) && same_definition(*row, worker.subscription);
      if (!wanted) end(worker);
      if (worker.done) {
        gone.push_back(std::move(at->second));
        at = workers_.erase(at);
      } else {
        ++at;
      }
    }
    size_t running = workers_.size();
    for (const Subscription& s : all) {
      if (!s.enabled || held_.contains(s.oid) || workers_.contains(s.oid)) continue;
      const auto later = not_before_.find(s.oid);
      if (later != not_before_.end() && later->second > now) {
        next_look_ = std::min(next_look_, later->second);
      } else if (running < most) {
        running++;
        to_start.push_back(s);
      }
    }
    std::erase_if(statuses_, [&](const auto& one) {
      return std::none_of(all.begin(), all.end(), [&](const Subscription& s) { return s.oid == one.first; });
    });
  }
  const bool ended = !gone.empty();
  gone.clear();
  if (ended) ended_.notify_all();
  for (const Subscription& s : to_start) start(s);
  return true;
}

void SubscriptionWorkers::start(const Subscription& subscription) {
  const std::lock_guard lock(mutex_);
  if (stop_ || held_.contains(subscription.oid)) return;
  auto made = std::make_unique<Worker>();
  made->subscription = subscription;
  auto& status = statuses_[subscription.oid];
  if (status == nullptr) status = std::make_shared<WorkerStatus>();
  Worker* const worker = made.get();
  auto& place = workers_[subscription.oid];
  try {
    made->thread = std::thread([this, worker, status] {
      begin_thread("subscription");
      name_log_thread("logical replication worker");
      Waiter& waiter = Waiter::current();
      {
        const std::lock_guard inner(mutex_);
        worker->waiter = &waiter;
        if (worker->stop->is_set()) waiter.interrupt(InterruptReason::kTerminate);
      }
      const Status done = catch_exceptions(
          [&] { return ApplyWorker(instance_, waiter, worker->subscription, worker->stop, *status).run(); }, [] {});
      if (!done.ok() && !worker->stop->is_set()) {
        const Error& error = done.error();
        log_record({.level = LogLevel::kError,
                    .message = error.message,
                    .state = error.state.text(),
                    .detail = error.detail,
                    .hint = error.hint,
                    .context = error.where});
      }
      const std::lock_guard inner(mutex_);
      worker->waiter = nullptr;
      worker->done = true;
      const auto pause = std::chrono::milliseconds(
          std::strtoll(instance_.setting("wal_retrieve_retry_interval").c_str(), nullptr, 10));
      if (!worker->stop->is_set()) not_before_[worker->subscription.oid] = Clock::now() + pause;
      wake_.notify_all();
    });
  } catch (const std::system_error& e) {
    log_error("could not start a thread for subscription \"" + subscription.name + "\": " + e.what());
    workers_.erase(subscription.oid);
    return;
  }
  place = std::move(made);
}

}  // namespace indigo::engine::subscription
