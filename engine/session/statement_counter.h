// What a session tells pg_stat_statements of: the statements that clients send (track = top), and those within functions, COPY,
// CREATE TABLE AS and the like (track = all), each at its level. In a server that has not loaded the module nothing is looked at.
// Thread safety: none; belongs to a session.
// Source: PostgreSQL 15's manual, pg_stat_statements.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/exec/execution.h"
#include "engine/session/statement_statistics.h"
#include "engine/settings/statement_statistics_settings.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class SessionParts;

class StatementCounter {
 public:
  static constexpr std::string_view kModule = "pg_stat_statements";

  explicit StatementCounter(SessionParts& session);

  bool loaded() const { return settings_.loaded; }
  // Plans are to be counted, too: then each text has one of its own, as in PostgreSQL.
  bool counts_plans() const { return loaded() && settings_.planning && is_wanted(); }

  // One run of a statement, from before it until its end: of a utility or of a plan. Runs of the same session are nested.
  class Run {
   public:
    // `text`: to be shown, null: the statement's own.
    Run(StatementCounter& counter, const PreparedPtr& prepared, const SharedText* text = nullptr);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    // It has run without an error, and this is its tag.
    void ended(std::string_view tag);
    void ended_with(uint64_t rows);

   private:
    StatementCounter& counter_;
    friend class StatementCounter;
    PreparedPtr statement_;  // null: not counted
    const SharedText* text_;
    bool nests_ = false;  // what runs within is one level deeper
    const Run* const outer_;
    std::chrono::steady_clock::time_point since_;
  };

  // To run a plan within a statement; the plain one, or auto_explain's, if that is not to be counted.
  std::unique_ptr<Execution> execution(const PreparedPtr& prepared, bool counted = false);
  // A plan has been made. It counts when it runs: many are made of functions' statements to look at them.
  void planned(const Prepared& prepared, std::chrono::nanoseconds time);
  // REFRESH MATERIALIZED VIEW and its kin: rows that the definition's query has given.
  void note_definition_rows(uint64_t rows) { definition_rows_ = rows; }

 private:
  class Counted;
  struct Level;
  struct What {
    const Prepared& statement;
    const SharedText* text = nullptr;
  };

  bool is_wanted() const {
    using Track = StatementStatisticsSettings::Track;
    return settings_.track == Track::kAll || (settings_.track == Track::kTop && level_ == 0);
  }
  const sql::Fingerprint& fingerprint(const Prepared& statement);
  sql::Fingerprint make_fingerprint(const Prepared& statement);
  static std::string shown_text(const What& what, int parameters);
  // What was planned of it, and has not run yet.
  void count_plan(const What& what, bool top);
  void count(const What& what, bool top, StatementStatistics::Kind kind, std::chrono::nanoseconds time, uint64_t rows);

  SessionParts& session_;
  const StatementStatisticsSettings& settings_;
  int level_ = 0;
  const Run* running_ = nullptr;  // the innermost
  struct Planned {
    std::shared_ptr<const sql::PlannedStatement> plan;
    std::chrono::nanoseconds time;
  };
  std::vector<Planned> planned_;  // and not yet run: the newest
  uint64_t definition_rows_ = 0;
};

}  // namespace indigo::engine
