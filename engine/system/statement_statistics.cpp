// pg_stat_statements' functions.
#include "engine/session/statement_statistics.h"

#include "base/sqlstate.h"
#include "engine/instance_impl.h"
#include "engine/session/clock.h"
#include "engine/session/session_parts.h"
#include "engine/settings/applied_settings.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "types/numeric/numeric.h"

namespace indigo::engine {

namespace {

Status check_loaded(SessionParts& session) {
  if (session.applied_settings().statistics.loaded) return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "pg_stat_statements must be loaded via shared_preload_libraries");
}

// The columns that the module's versions have.
struct Version {
  bool level, plans, log, newest;
};

void append_times(const StatementStatistics::Times& t, std::vector<Datum>& row) {
  row.push_back(Datum::of(t.calls));
  for (const double time : {t.total, t.least, t.most, t.mean, t.standard_deviation()}) row.push_back(Datum::of(time));
}

Status show_statements(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink,
                       const Version& version) {
  INDIGO_TRY(check_loaded(session));
  const bool shows_text = arguments.empty() || arguments[0].b;
  const Datum none = Datum::of(int64_t{0}), no_time = Datum::of(0.0);
  const std::string zero = types::Numeric().image();
  for (const StatementStatistics::Entry& e : session.instance().statement_statistics().entries()) {
    const bool visible = may_see_activity(session, e.key.user);
    std::vector<Datum> row = {Datum::of_oid(e.key.user), Datum::of_oid(e.key.database)};
    if (version.level) row.push_back(Datum::of(e.key.top));
    row.push_back(visible ? Datum::of(e.key.query) : Datum::make_null(Phys::kI64));
    row.push_back(!shows_text ? null_text()
                              : text_datum(visible ? std::string_view(e.text) : "<insufficient privilege>"));
    if (version.plans) append_times(e.plans, row);
    append_times(e.runs, row);
    row.push_back(Datum::of(e.rows));
    row.insert(row.end(), 10, none);                         // blocks
    row.insert(row.end(), version.newest ? 4 : 2, no_time);  // their times
    if (version.log) {
      row.insert(row.end(), 2, none);       // wal_records, wal_fpi
      row.push_back(Datum::of(Str(zero)));  // wal_bytes
    }
    for (int i = 0; version.newest && i < 4; i++) {  // jit: a count, and what its work took
      row.push_back(none);
      row.push_back(no_time);
    }
    sink(row);
  }
  return {};
}

template <bool kLevel, bool kPlans, bool kLog, bool kNewest>
Status all_statements(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return show_statements(session, arguments, sink, {kLevel, kPlans, kLog, kNewest});
}

Status statistics_info(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  INDIGO_TRY(check_loaded(session));
  const StatementStatistics::Info info = session.instance().statement_statistics().info();
  const Datum row[] = {Datum::of(info.dropped), Datum::of(info.reset_at)};
  sink(row);
  return {};
}

Result<OwnedDatum> reset(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_loaded(session));
  session.instance().statement_statistics().reset(arguments[0].oid(), arguments[1].oid(), arguments[2].i64,
                                                  timestamp_now());
  return OwnedDatum(text_datum(""));
}

Result<OwnedDatum> reset_all(SessionParts& session, std::span<const Datum>) {
  INDIGO_TRY(check_loaded(session));
  session.instance().statement_statistics().reset(kInvalidOid, kInvalidOid, 0, timestamp_now());
  return OwnedDatum(text_datum(""));
}

constexpr SystemRows kStatisticsRows[] = {{"pg_stat_statements_1_3", all_statements<false, false, false, false>},
                                          {"pg_stat_statements_1_8", all_statements<false, true, true, false>},
                                          {"pg_stat_statements_1_9", all_statements<true, true, true, false>},
                                          {"pg_stat_statements_1_10", all_statements<true, true, true, true>},
                                          {"pg_stat_statements_info", statistics_info}};
constexpr SystemValue kStatisticsValues[] = {{"pg_stat_statements_reset", reset_all},
                                             {"pg_stat_statements_reset_1_7", reset}};

}  // namespace

std::span<const SystemRows> statement_statistics_rows() { return kStatisticsRows; }
std::span<const SystemValue> statement_statistics_values() { return kStatisticsValues; }

}  // namespace indigo::engine
