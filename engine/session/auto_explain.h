// auto_explain, PostgreSQL's module that tells of plans whose runs have taken long: LOAD or the preload settings bring it into a
// session, its settings (auto_explain_settings.h) say what is told, and how loudly.
//
// What is run goes through executions that this makes. In a session that has not loaded the module they are the plain ones.
// Thread safety: none; belongs to a session.
// Source: PostgreSQL 15's manual, auto_explain.
#pragma once

#include <memory>
#include <string_view>

#include "engine/exec/execution.h"
#include "engine/settings/auto_explain_settings.h"
#include "engine/statement/prepared.h"
#include "types/function/context.h"

namespace indigo::engine {

class SessionParts;

class AutoExplain {
 public:
  static constexpr std::string_view kModule = "auto_explain";

  explicit AutoExplain(SessionParts& session);

  void load();
  bool loaded() const { return loaded_; }
  // Whether plans may be told of now: then those are wanted that have the statement's literals.
  bool wants_plans() const { return loaded_ && settings_.least_duration_ms >= 0; }

  // To run the plan, and to tell of it when it is closed. `counted`: with counters in any case.
  std::unique_ptr<Execution> execution(const Prepared& prepared, bool counted = false);
  // A plan that EXPLAIN has made, and does not run.
  void tell_planned(const Prepared& prepared);

 private:
  class Watched;

  // A plan begins to run, or would: whether it is to be told of.
  bool begins();
  bool is_wanted() const { return settings_.least_duration_ms >= 0 && (depth_ == 0 || settings_.nested); }
  // `counters`: of a run that has them; null: none.
  void tell(const sql::PlannedStatement& plan, std::string_view text, double milliseconds, const Execution* counters);

  SessionParts& session_;
  const AutoExplainSettings& settings_;
  types::RandomState random_;  // apart from random(), whose numbers follow setseed
  bool loaded_ = false;
  bool sampled_ = false;  // the outermost statement that runs
  int depth_ = 0;         // of executions that are computing
};

}  // namespace indigo::engine
