// The threads that run sessions: the function behind indigo_stat_workers (docs/monitoring.md).
#include <mutex>
#include <optional>
#include <string>

#include "engine/instance_impl.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "engine/worker_states.h"

namespace indigo::engine {

namespace {

// A session's text in pg_stat_activity, as this one may see it; nothing when it has ended.
std::optional<std::string> visible_query(SessionParts& session, int32_t pid) {
  for (const auto& entry : session.instance().sessions()) {
    if (entry.pid != pid) continue;
    Oid user = kInvalidOid;
    std::string query;
    {
      const std::lock_guard lock(entry.activity->mutex);
      user = entry.activity->user;
      query = entry.activity->query;
    }
    return may_see_activity(session, user) ? query : "<insufficient privilege>";
  }
  return std::nullopt;
}

Status all_workers(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  WorkerStates* workers = session.instance().workers();
  if (workers == nullptr) return {};
  for (const WorkerState& s : workers->worker_states()) {
    const bool serves = s.in_piece && s.pid != 0;
    const std::optional<std::string> query = serves ? visible_query(session, s.pid) : std::nullopt;
    const Datum row[] = {
        Datum::of(int32_t{s.number}),
        text_datum(s.in_piece ? "running" : "idle"),
        serves ? Datum::of(s.pid) : Datum::make_null(Phys::kI32),
        query ? text_datum(*query) : null_text(),
        s.in_piece ? Datum::of(static_cast<double>(s.piece_microseconds) / 1000) : Datum::make_null(Phys::kF64),
        Datum::of(static_cast<int32_t>(s.sessions)),
        Datum::of(static_cast<int64_t>(s.pieces)),
        Datum::of(static_cast<int64_t>(s.stalls))};
    sink(row);
  }
  return {};
}

constexpr SystemRows kWorkerRows[] = {{"indigo_stat_get_workers", all_workers}};

}  // namespace

std::span<const SystemRows> worker_rows() { return kWorkerRows; }

}  // namespace indigo::engine
