#include "engine/foreign/session_foreign_host.h"

#include <map>
#include <utility>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/foreign/remote_change.h"
#include "engine/foreign/remote_relation.h"
#include "engine/session/session_parts.h"
#include "sql/policy/restricted_kinds.h"

namespace indigo::engine {

namespace {

using Relation = std::shared_ptr<const catalog::RelationInfo>;

bool is_remote(SessionParts& session, const catalog::RelationInfo& relation) {
  const auto handler = session.session_catalog().function(relation.foreign->handler);
  return handler != nullptr && handler->language == "c" && handler->source == "postgres_fdw_handler";
}

class SessionForeignHost final : public exec::ForeignHost {
 public:
  explicit SessionForeignHost(SessionParts& session) : session_(session) {}

  Status check(const catalog::RelationInfo& relation, int16_t event) override {
    INDIGO_TRY(catalog::check_reachable(relation));
    INDIGO_TRY(sql::check_relation_kind(session_.context(), relation));
    const bool inserts = event == catalog::kTriggerInsert, updates = event == catalog::kTriggerUpdate;
    if (!is_remote(session_, relation)) {
      const char* verb = inserts ? "insert into" : updates ? "update" : "delete from";
      return Error(sqlstate::kFeatureNotSupported,
                   std::string("cannot ") + verb + " foreign table \"" + relation.name + "\"");
    }
    if (foreign_changes(session_, relation) != 0) return {};
    return Error(sqlstate::kObjectNotInPrerequisiteState, "foreign table \"" + relation.name + "\" does not allow " +
                                                              (inserts   ? "inserts"
                                                               : updates ? "updates"
                                                                         : "deletes"));
  }

  Result<std::unique_ptr<exec::ForeignChange>> change(Relation relation, exec::ForeignChangeSpec spec) override {
    INDIGO_TRY(check(*relation, spec.event));
    return open_remote_change(session_, std::move(relation), std::move(spec));
  }

 private:
  SessionParts& session_;
};

}  // namespace

std::unique_ptr<exec::ForeignHost> make_foreign_host(SessionParts& session) {
  return std::make_unique<SessionForeignHost>(session);
}

int32_t foreign_changes(SessionParts& session, const catalog::RelationInfo& relation) {
  constexpr int32_t kAll = 4 | 8 | 16;
  if (!is_remote(session, relation)) return 0;
  return remote_flag_option(session, relation, "updatable", true) ? kAll : 0;
}

Status check_foreign_truncate(SessionParts& session, const catalog::RelationInfo& relation) {
  INDIGO_TRY(catalog::check_reachable(relation));
  INDIGO_TRY(sql::check_relation_kind(session.context(), relation));
  if (is_remote(session, relation)) return {};
  return Error(sqlstate::kFeatureNotSupported, "cannot truncate foreign table \"" + relation.name + "\"");
}

Status truncate_foreign_tables(SessionParts& session, std::span<const Relation> relations, bool cascade, bool restart) {
  std::map<Oid, std::vector<Relation>> of_server;
  for (const Relation& relation : relations) {
    if (!relation->is_foreign()) continue;
    if (!remote_flag_option(session, *relation, "truncatable", true)) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "foreign table \"" + relation->name + "\" does not allow truncates");
    }
    of_server[relation->foreign->server].push_back(relation);
  }
  for (const auto& [server, tables] : of_server) INDIGO_TRY(truncate_remote_tables(session, tables, cascade, restart));
  return {};
}

}  // namespace indigo::engine
