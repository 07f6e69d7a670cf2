#include "engine/session/statement_counter.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/strip.h>

#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/session/auto_explain.h"
#include "engine/session/session_parts.h"
#include "engine/settings/applied_settings.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/fingerprint.h"
#include "sql/parse/parse_tree.h"
#include "sql/query_jumble.h"

namespace indigo::engine {

namespace {

using Clock = std::chrono::steady_clock;

// What PostgreSQL leaves to the statements that these name.
bool is_only_named(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_PREPARE_STMT || node.node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT ||
         node.node_case == PG_QUERY__NODE__NODE_DEALLOCATE_STMT;
}

std::string_view trimmed(std::string_view part) {
  absl::string_view text = absl::StripAsciiWhitespace({part.data(), part.size()});
  while (absl::ConsumeSuffix(&text, ";")) text = absl::StripTrailingAsciiWhitespace(text);
  return {text.data(), text.size()};
}

std::string_view own_text(const ParsedStatement& parsed) {
  const std::string_view whole = parsed.text();
  const auto begin = static_cast<size_t>(parsed.location);
  return trimmed(parsed.length > 0 ? whole.substr(begin, static_cast<size_t>(parsed.length)) : whole.substr(begin));
}

// "INSERT 0 5"
uint64_t rows_of(std::string_view tag) {
  const size_t space = tag.rfind(' ');
  uint64_t rows = 0;
  if (space == std::string_view::npos) return 0;
  const std::string_view number = tag.substr(space + 1);
  return absl::SimpleAtoi(absl::string_view(number.data(), number.size()), &rows) ? rows : 0;
}

bool utility_has_rows(std::string_view tag) {
  return tag.starts_with("SELECT ") || tag.starts_with("COPY ") || tag.starts_with("FETCH ");
}

}  // namespace

struct StatementCounter::Level {
  explicit Level(StatementCounter& counter) : counter(counter) { counter.level_++; }
  ~Level() { counter.level_--; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  StatementCounter& counter;
};

// Nothing is counted of what has failed, or was abandoned with its transaction.
class StatementCounter::Counted final : public Execution {
 public:
  Counted(StatementCounter& owner, PreparedPtr prepared, std::unique_ptr<Execution> inner)
      : owner_(owner), prepared_(std::move(prepared)), inner_(std::move(inner)) {}

  Status open(const ExecutionContext& context) override {
    close();
    counted_ = owner_.is_wanted();
    top_ = owner_.level_ == 0;
    if (counted_) owner_.count_plan({*prepared_}, top_);
    took_ = {};
    rows_ = 0;
    open_ = failed_ = true;
    const Level level(owner_);
    Status opened = inner_->open(context);
    failed_ = !opened.ok();
    return opened;
  }

  Result<const Chunk*> next(uint32_t max_rows) override {
    const Level level(owner_);
    const auto begin = Clock::now();
    failed_ = true;
    auto chunk = inner_->next(max_rows);
    failed_ = !chunk.ok();
    if (!failed_ && *chunk != nullptr) rows_ += (*chunk)->rows();
    took_ += Clock::now() - begin;
    return chunk;
  }

  void close() override {
    if (!open_) return;
    open_ = false;
    const bool changes = prepared_->plan->command != sql::CommandKind::kSelect;
    const uint64_t rows = changes && !failed_ ? inner_->affected_rows() : rows_;
    inner_->close();
    if (counted_ && !failed_) owner_.count({*prepared_}, top_, StatementStatistics::Kind::kRun, took_, rows);
  }
  void abandon() override {
    failed_ = true;
    inner_->abandon();
  }

  uint64_t affected_rows() const override { return inner_->affected_rows(); }
  const sql::PlanCounters* counters(const sql::Plan& plan) const override { return inner_->counters(plan); }

 private:
  StatementCounter& owner_;
  const PreparedPtr prepared_;
  const std::unique_ptr<Execution> inner_;
  Clock::duration took_{};
  uint64_t rows_ = 0;
  bool counted_ = false, top_ = false, open_ = false, failed_ = false;
};

StatementCounter::StatementCounter(SessionParts& session)
    : session_(session), settings_(session.applied_settings().statistics) {}

StatementCounter::Run::Run(StatementCounter& counter, const PreparedPtr& prepared, const SharedText* text)
    : counter_(counter), text_(text), outer_(counter.running_) {
  counter.running_ = this;
  if (!counter.loaded() || prepared->parsed == nullptr || prepared->parsed->node == nullptr) return;
  const Prepared& statement = *prepared;
  const bool utility = statement.is_utility();
  const bool wanted =
      counter.is_wanted() && (!utility || (counter.settings_.utility && !is_only_named(*statement.parsed->node)));
  nests_ = wanted || !utility;
  if (nests_) counter.level_++;
  if (!wanted) return;
  statement_ = prepared;
  if (!utility) counter.count_plan({statement, text}, counter.level_ == 1);
  since_ = Clock::now();
}

StatementCounter::Run::~Run() {
  counter_.running_ = outer_;
  if (nests_) counter_.level_--;
}

void StatementCounter::Run::ended(std::string_view tag) {
  if (statement_ == nullptr) return;
  if (tag == "REFRESH MATERIALIZED VIEW") return ended_with(counter_.definition_rows_);
  ended_with(!statement_->is_utility() || utility_has_rows(tag) ? rows_of(tag) : 0);
}

void StatementCounter::Run::ended_with(uint64_t rows) {
  if (statement_ == nullptr) return;
  counter_.count({*statement_, text_}, counter_.level_ == 1, StatementStatistics::Kind::kRun, Clock::now() - since_,
                 rows);
}

std::unique_ptr<Execution> StatementCounter::execution(const PreparedPtr& prepared, bool counted) {
  auto inner = session_.auto_explain().execution(*prepared, counted);
  if (!loaded() || prepared->parsed == nullptr) return inner;
  return std::make_unique<Counted>(*this, prepared, std::move(inner));
}

void StatementCounter::planned(const Prepared& prepared, std::chrono::nanoseconds time) {
  if (running_ != nullptr && running_->statement_ != nullptr && running_->statement_->parsed == prepared.parsed)
    return count({prepared, running_->text_}, level_ == 1, StatementStatistics::Kind::kPlan, time, 0);
  constexpr size_t kMost = 100;
  if (planned_.size() == kMost) planned_.erase(planned_.begin());
  planned_.push_back({prepared.plan, time});
}

void StatementCounter::count_plan(const What& what, bool top) {
  const auto found =
      std::find_if(planned_.begin(), planned_.end(), [&](const Planned& p) { return p.plan == what.statement.plan; });
  if (found == planned_.end()) return;
  const std::chrono::nanoseconds time = found->time;
  planned_.erase(found);
  count(what, top, StatementStatistics::Kind::kPlan, time, 0);
}

const sql::Fingerprint& StatementCounter::fingerprint(const Prepared& statement) {
  if (statement.fingerprint == nullptr)
    statement.fingerprint = std::make_shared<const sql::Fingerprint>(make_fingerprint(statement));
  return *statement.fingerprint;
}

// The query is analyzed once more, as it was written: what runs has functions inlined, and literals that became parameters.
sql::Fingerprint StatementCounter::make_fingerprint(const Prepared& statement) {
  const ParsedStatement& parsed = *statement.parsed;
  if (statement.is_utility()) return {sql::number_of_text(own_text(parsed)), 0};
  std::vector<Oid> types;
  for (const auto& type : statement.parameter_types) types.push_back(type.oid);
  sql::AnalyzeInput input{parsed.node, parsed.text(), types, false, {}};
  input.inline_functions = false;
  input.variables = parsed.variables.get();
  const auto analyzed = sql::analyze(session_.context(), input);
  if (!analyzed.ok() || analyzed->query == nullptr)
    return {sql::number_of_text(sql::normalized_text(own_text(parsed), 0)), 0};
  const sql::Jumbled jumbled = sql::jumble(*analyzed->query);
  return {jumbled.number, jumbled.parameters};
}

// Of a query that PREPARE has named, the text of that, with the constants of the query replaced.
std::string StatementCounter::shown_text(const What& what, int parameters) {
  const std::string_view own = own_text(*what.statement.parsed);
  if (what.statement.is_utility()) return std::string(own);
  const std::string_view named = what.text != nullptr && *what.text != nullptr ? trimmed(**what.text) : own;
  const std::string_view before = named.ends_with(own) ? named.substr(0, named.size() - own.size()) : "";
  return std::string(before) + sql::normalized_text(own, parameters);
}

void StatementCounter::count(const What& what, bool top, StatementStatistics::Kind kind, std::chrono::nanoseconds time,
                             uint64_t rows) {
  const Prepared& statement = what.statement;
  const sql::Fingerprint& print = fingerprint(statement);
  const StatementStatistics::Key key{session_.user(), session_.session_catalog().database(),
                                     static_cast<int64_t>(print.number), top};
  StatementStatistics& statistics = session_.instance().statement_statistics();
  if (statistics.count(key, kind, time, rows)) return;
  statistics.add(key, shown_text(what, print.parameters));
  statistics.count(key, kind, time, rows);
}

}  // namespace indigo::engine
