// Text to Prepared: statement cache, parse, analyze, plan.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/memory/arena.h"
#include "engine/statement/own_names.h"
#include "engine/statement/plan_counts.h"
#include "engine/statement/prepared.h"
#include "engine/statement/shared_plans.h"
#include "engine/statement/statement_cache.h"
#include "sql/parse/tree_names.h"

namespace indigo::catalog {
class SessionCatalog;
class SessionContext;
}  // namespace indigo::catalog

namespace indigo::engine {

class SessionSettings;
class StatementScope;

class StatementCounter;

// A statement, and an error of its preparation, whose text is what follows so many characters of the client's.
PreparedPtr behind_text(PreparedPtr prepared, int characters);
Error behind_text(Error error, int characters);

class Preparation {
 public:
  Preparation(catalog::SessionCatalog& catalog, catalog::SessionContext& context, const SessionSettings& settings,
              StatementScope& scope, SharedPlans& shared)
      : catalog_(catalog), context_(context), settings_(settings), scope_(scope), shared_(shared) {}

  // `values` of parameters: the plan is for them alone; empty: for all. `for_cursor`: WHERE CURRENT OF may name its portal.
  // `sampled`: the text whose literals are lifted, if the plan for all is to be good for its literals.
  Result<PreparedPtr> prepare(const std::shared_ptr<const ParsedStatement>& parsed,
                              std::span<const Oid> parameter_types, bool variable_parameters,
                              std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> values,
                              bool for_cursor = false, const ScannedText* sampled = nullptr);
  // The same for a statement that is kept under a name: what any session has made of it serves all.
  Result<PreparedPtr> prepare_shared(const std::shared_ptr<const ParsedStatement>& parsed,
                                     std::span<const Oid> parameter_types, bool variable_parameters,
                                     bool for_cursor = false);
  struct SharedStatement {
    std::string_view text;
    bool whole_text = false;  // it is all of the text; otherwise where it stands:
    int location = 0, length = 0;
    std::span<const Oid> parameter_types;
    bool variable_parameters = false, for_cursor = false;
  };
  // Null when there is none for this session, of now. Without a parse.
  PreparedPtr find_shared(const SharedStatement& statement);
  // Offers what prepare() has made of it to all sessions; the answer is this session's.
  PreparedPtr share(const SharedStatement& statement, const PreparedPtr& prepared);
  // The same for a statement within another (EXPLAIN, COPY, DECLARE): `node` belongs to outer's tree. `values`: of the
  // parameters, for a plan that runs with them only.
  Result<PreparedPtr> prepare_node(const ParsedStatement& outer, const PgQuery__Node* node,
                                   std::span<const Oid> parameter_types, bool for_cursor = false,
                                   std::span<const Datum> values = {});
  // What runs of a prepared statement whose plan for all values is `generic`: that plan, or one for these values, as
  // plan_cache_mode says and by PostgreSQL's rule. A plan whose run costs less than kCustomPlanCost, with
  // the first values, too (which is looked at from kTrialCost on), is always generic.
  Result<PreparedPtr> for_values(const PreparedPtr& generic, std::span<const Datum> values, PlanCounts& counts);
  // In the planner's units: some 100,000 rows read, of which planning takes a few per cent; and 5,000.
  static constexpr double kCustomPlanCost = 1000, kTrialCost = 50;
  // A plan for any names and literals is one that is good for those of the first text, if it costs so much less for them.
  static constexpr double kMuchCheaper = 0.7;
  // To plan for so many partitions takes as long as to parse and plan one text whose values leave one of them.
  static constexpr size_t kPartitionsPerText = 32;
  // A Query message's text, through the cache; null when it is not one statement. What is seen for the first time is planned
  // with its own literals and not kept, except rows that are folded: their values are parameters in any case. So is, for some
  // time, what reads a table of many partitions: a plan for any values is one for all of them.
  // `labels`: of columns that this text calls otherwise than the plan's; null: plans of texts with other names will not do.
  enum class Literals : uint8_t { kOwn, kFolded };
  struct TextUse {
    Literals literals = Literals::kOwn;
    ColumnLabels* labels = nullptr;
    bool runs_now = true;  // false: it is a Parse message's, which has no parameters
  };
  Result<PreparedPtr> prepare_text(const ScannedText& scanned, std::string_view text, const TextUse& use);
  // Plans again what a change of the catalog has outdated. 0A000 when that changes columns that the client knows already.
  enum class Columns : uint8_t { kTold, kMayChange };
  Status refresh(PreparedPtr& prepared, Columns columns = Columns::kTold);
  // Whether refresh has failed since it was last asked because literals of the text would be of other types now: prepared
  // and bound again it may work.
  bool take_literals_changed() { return std::exchange(literals_changed_, false); }

  // Statements that drivers parse again each time, in the cache too, apart from Query messages': their parameters are
  // inferred, and a cursor's plan has row keys. Their literals are part of the key (keep_literals), as declared types are.
  // Null when there is none of the catalog's present state.
  enum class CacheUse : uint8_t { kParse, kCursor };
  PreparedPtr find_without_literals(ScannedText& scanned, CacheUse use);
  // Puts the literals of `scanned`, which is of `text`, and the types back into its key. False: the text may mean another time
  // at another time.
  static bool keep_literals(std::string_view text, std::span<const Oid> parameter_types, ScannedText& scanned);
  // After find_without_literals with the same `scanned`.
  void keep(const ScannedText& scanned, const PreparedPtr& prepared);
  // Whether what the plan depends on is as it was when it was made, and no table has outgrown it (sql/plan/outgrown.h).
  bool is_current(const Prepared& prepared) const;
  // Statements of the cache that are not.
  void discard_stale();
  void clear_cache() { cache_.clear(); }
  // What plans depend on beside the catalog: settings, and whom the session acts as.
  uint64_t generation() const;
  // Who is told of plans that are made.
  void set_counter(StatementCounter* counter) { counter_ = counter; }
  // While DDL looks at rows for itself, policies are none of its business.
  void set_ignores_row_security(bool ignores) { ignores_row_security_ = ignores; }

 private:
  // prepare(), as the catalog is now.
  Result<PreparedPtr> prepare_now(const std::shared_ptr<const ParsedStatement>& parsed,
                                  std::span<const Oid> parameter_types, bool variable_parameters,
                                  std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> values,
                                  bool for_cursor, const ScannedText* sampled);
  // The queries that rules have added.
  Status prepare_rules(Prepared& prepared, const sql::AnalyzedStatement& analyzed);
  // Values of the literals that became parameters; nothing when one has none.
  std::vector<Datum> samples_of(const ScannedText& scanned, const Prepared& prepared);
  void require(Prepared& prepared, const sql::Query& query);
  // Whether a plan for any values is wanted of a text that has not been seen before.
  bool wants_generic();
  // A text that has not come before, in whose key the names are lifted: a plan of one with other names, or null. `kept`:
  // it is to be made for all of them now.
  PreparedPtr find_renamed(bool& kept, bool& custom);
  // Makes a plan for any literals, and, where that may be dear, another for these.
  Result<PreparedPtr> prepare_kept(const std::shared_ptr<const ParsedStatement>& parsed, const ScannedText& scanned,
                                   bool names);
  // How often a text must come before a plan for any values pays.
  uint32_t texts_for_generic(const Prepared& planned);
  bool chooses_custom(const PlanCounts& counts, double generic_cost);
  // Whether other sessions would prepare this text alike.
  bool shares(std::string_view text) const;
  std::string shared_key(const SharedStatement& statement);
  PreparedPtr head_of(const SharedPlanPtr& plan, uint64_t current_at) const;
  // What the settings say, looked up once while none changes.
  void refresh_settings();

  catalog::SessionCatalog& catalog_;
  catalog::SessionContext& context_;
  const SessionSettings& settings_;
  StatementScope& scope_;
  SharedPlans& shared_;
  StatementCache cache_;
  Arena sample_arena_{256};
  LiftedNames lifted_names_;           // of the text that is being prepared
  std::string shared_settings_;        // SessionSettings::plan_values
  uint64_t shared_settings_seen_ = 0;  // and the plan_generation that they are of
  uint64_t settings_seen_ = 0;         // SessionSettings::plan_generation of the three below
  int planner_switches_ = -1;          // sql::PlanInput::switches
  enum class PlanMode : uint8_t { kAuto, kGeneric, kCustom } plan_mode_ = PlanMode::kAuto;  // plan_cache_mode
  bool restricts_kinds_ = false;  // restrict_nonsystem_relation_kind
  bool ignores_row_security_ = false;
  StatementCounter* counter_ = nullptr;
  bool literals_changed_ = false;
};

}  // namespace indigo::engine
