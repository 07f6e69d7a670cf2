#include "engine/session/auto_explain.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/foreign/foreign_rows.h"
#include "engine/session/execution_pool.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_log.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/changed_settings.h"
#include "engine/settings/settings.h"
#include "sql/explain/explain_plan.h"
#include "types/number/random.h"

namespace indigo::engine {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

// Nothing is told of what has failed, or was abandoned with its transaction.
class AutoExplain::Watched final : public Execution {
 public:
  Watched(AutoExplain& owner, const Prepared& prepared, bool counted)
      : owner_(owner), plan_(prepared.plan), parsed_(prepared.parsed), always_counted_(counted) {}

  Status open(const ExecutionContext& context) override {
    close();
    watched_ = owner_.begins();
    took_ = {};
    if (watched_) text_ = context.text.empty() && parsed_ != nullptr ? parsed_->text() : context.text;
    const bool counted = always_counted_ || (watched_ && owner_.settings_.analyze);
    if (inner_ == nullptr || counted || counted_) inner_ = Execution::create(plan_, counted);
    counted_ = counted;
    open_ = failed_ = true;
    const Depth depth(owner_);
    Status opened = inner_->open(context);
    failed_ = !opened.ok();
    return opened;
  }

  Result<const Chunk*> next(uint32_t max_rows) override {
    const Depth depth(owner_);
    const auto begin = Clock::now();
    failed_ = true;
    auto chunk = inner_->next(max_rows);
    failed_ = !chunk.ok();
    took_ += Clock::now() - begin;
    return chunk;
  }

  void close() override {
    if (!open_) return;
    open_ = false;
    if (watched_ && !failed_) {
      owner_.tell(*plan_, text_, std::chrono::duration<double, std::milli>(took_).count(),
                  counted_ ? inner_.get() : nullptr);
    }
    inner_->close();
  }
  void abandon() override { failed_ = true; }

  uint64_t affected_rows() const override { return inner_->affected_rows(); }
  const sql::PlanCounters* counters(const sql::Plan& plan) const override { return inner_->counters(plan); }

 private:
  struct Depth {
    explicit Depth(AutoExplain& owner) : owner(owner) { owner.depth_++; }
    ~Depth() { owner.depth_--; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    AutoExplain& owner;
  };

  AutoExplain& owner_;
  const std::shared_ptr<const sql::PlannedStatement> plan_;
  const std::shared_ptr<const ParsedStatement> parsed_;
  const bool always_counted_;
  std::unique_ptr<Execution> inner_;
  std::string text_;
  Clock::duration took_{};
  bool counted_ = false, watched_ = false, open_ = false, failed_ = false;
};

AutoExplain::AutoExplain(SessionParts& session)
    : session_(session), settings_(session.applied_settings().auto_explain) {}

void AutoExplain::load() {
  if (loaded_) return;
  loaded_ = true;
  for (const Error& warning : session_.settings().load_module(kModule)) session_.notice(Severity::kWarning, warning);
  session_.discard_plans();  // and executions that tell nobody
}

std::unique_ptr<Execution> AutoExplain::execution(const Prepared& prepared, bool counted) {
  if (!loaded_) return Execution::create(prepared.plan, counted);
  return std::make_unique<Watched>(*this, prepared, counted);
}

bool AutoExplain::begins() {
  if (depth_ == 0) {
    sampled_ = settings_.least_duration_ms >= 0 && types::next_random_double(random_) < settings_.sample_rate;
  }
  return sampled_ && is_wanted();
}

void AutoExplain::tell_planned(const Prepared& prepared) {
  if (loaded_ && begins()) tell(*prepared.plan, prepared.parsed->text(), 0, nullptr);
}

void AutoExplain::tell(const sql::PlannedStatement& plan, std::string_view text, double milliseconds,
                       const Execution* counters) {
  if (!is_wanted() || milliseconds < static_cast<double>(settings_.least_duration_ms)) return;
  sql::ExplainOptions options = settings_.options;
  options.analyze = settings_.analyze && counters != nullptr;
  for (bool sql::ExplainOptions::*const option :
       {&sql::ExplainOptions::buffers, &sql::ExplainOptions::wal, &sql::ExplainOptions::timing}) {
    options.*option = options.*option && options.analyze;
  }
  options.remote_sql = [this](const sql::CallExpr& call) { return shown_foreign_statement(session_, call); };
  auto root = sql::explain_plan(session_.session_catalog(), plan, options, [counters](const sql::Plan& node) {
    return counters == nullptr ? nullptr : counters->counters(node);
  });
  if (!root.ok()) return;  // EXPLAIN would fail for it, the statement has not
  sql::Explained explained{.query_text = std::string(text), .root = *std::move(root)};
  if (options.settings) explained.settings = changed_settings(session_.settings());
  std::array<char, 64> time{};
  std::snprintf(time.data(), time.size(), "duration: %.3f ms  plan:\n", milliseconds);
  const SqlState state = settings_.level == Severity::kWarning ? sqlstate::kWarning : sqlstate::kSuccessfulCompletion;
  session_.notice(settings_.level, Error(state, time.data() + sql::format_explained(explained, options)),
                  StatementShown::kNo);
}

}  // namespace indigo::engine
