#include "engine/durability/rebuild.h"

#include "base/log.h"
#include "engine/ddl/rewrite.h"
#include "engine/ddl/temporary.h"
#include "engine/session/session_impl.h"
#include "engine/utility/definition_host.h"
#include "log/file_error.h"

namespace indigo::engine {

namespace {

Status build_indexes(DdlContext& c) {
  std::vector<Oid> tables;
  ddl::table(c, ddl::pg_class::kOid).scan(c.txn, {}, [&](ddl::RowReader row) {
    const Oid oid = row.oid(ddl::pg_class::c_oid);
    const char kind = row.chr(ddl::pg_class::c_relkind);
    if (oid >= oid::kFirstUserOid && (kind == 'r' || kind == 'm')) tables.push_back(oid);
    return true;
  });
  for (const Oid oid : tables) {
    const ddl::RelationPtr relation = ddl::current(c, oid);
    if (relation == nullptr) {
      return Error(sqlstate::kDataCorrupted, "table " + std::to_string(oid) + " has no complete definition");
    }
    INDIGO_TRY(ddl::rebuild_indexes(c, relation));
  }
  return {};
}

}  // namespace

Status rebuild_after_recovery(InstanceImpl& instance) {
  for (const auto& database : instance.catalog().databases()) {
    const auto superuser = instance.catalog().role(oid::kBootstrapSuperuser);
    if (superuser == nullptr) return Error(sqlstate::kDataCorrupted, "the bootstrap superuser is missing");
    SessionImpl session(instance, Waiter::current(), database, 0, 0);
    ConnectOptions options;
    options.user = superuser->name;
    INDIGO_TRY(session.start(options));
    DefinitionHost host(session, nullptr);
    for (const auto step : {build_indexes, ddl::drop_temporary_schemas}) {
      INDIGO_TRY(session.begin_statement());
      DdlContext context{session.session_catalog(), session.transaction(), host, {}};
      Status status = step(context);
      if (status.ok()) status = session.block().commit();
      if (!status.ok()) {
        session.block().rollback();
        return status;
      }
    }
  }
  return {};
}

}  // namespace indigo::engine
