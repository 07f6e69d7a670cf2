// What a session's settings come to, in the form in which they are used: kept current by the settings' effects
// (setting_rows.cpp).
// Thread safety: none; belongs to a session.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "engine/exec/spill/spill_space.h"
#include "engine/row_sink.h"
#include "engine/settings/auto_explain_settings.h"
#include "engine/settings/log_settings.h"
#include "engine/settings/statement_statistics_settings.h"
#include "sql/parse/string_syntax.h"
#include "types/function/context.h"

namespace indigo::engine {

struct AppliedSettings {
  types::FormatSettings format;
  // Zero: none.
  std::chrono::milliseconds statement_timeout{0}, lock_timeout{0}, idle_timeout{0}, idle_transaction_timeout{0};
  bool checks_connection = false;
  bool tracks_activity = true;
  uint64_t work_memory_bytes = 0;   // the limit of one operator that does not spill
  uint64_t memory_limit_bytes = 0;  // of all that the session holds; 0: no limit
  std::shared_ptr<exec::SpillSpace> spill = std::make_shared<exec::SpillSpace>();
  bool replica = false;       // session_replication_role
  sql::StringSyntax strings;  // of clients' texts
  Severity client_min_severity = Severity::kNotice;
  LogSettings log;
  AutoExplainSettings auto_explain;
  StatementStatisticsSettings statistics;  // pg_stat_statements
};

}  // namespace indigo::engine
