#include "engine/programs/index_calls.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/session/running_session.h"
#include "engine/session/session_impl.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "storage/transaction.h"
#include "types/oids.h"
#include "types/type_info.h"

namespace indigo::engine::programs {

namespace {

// A superuser may change rows of somebody's table: the function's owner gets no superuser's rights by that. (What is built runs as
// the table's owner: ddl/table/index.cpp.)
Result<OwnedDatum> call_in(SessionParts& session, const types::CallInfo& call, std::span<const Datum> arguments) {
  const auto info = session.session_catalog().function(call.function);
  if (std::any_of(arguments.begin(), arguments.end(), [](const Datum& d) { return d.null; })) {
    if (info != nullptr && info->strict) return OwnedDatum(Datum::make_null(Phys::kStr));
  }
  std::optional<SessionRoles::Acting> owner;
  if (info != nullptr && info->owner != session.user() && session.roles().is_superuser()) {
    owner.emplace(session.roles(), info->owner, SessionRoles::Bound::kOperation);
  }
  return session.context().call_routine(call, arguments);
}

class IndexCalls final : public exec::IndexRoutines {
 public:
  IndexCalls(InstanceImpl& instance, std::weak_ptr<catalog::Database> database)
      : instance_(instance), database_(std::move(database)) {}

  Result<OwnedDatum> call(const types::CallInfo& call, std::span<const Datum> arguments) override {
    if (SessionParts* session = running_session()) return call_in(*session, call, arguments);
    const auto database = database_.lock();
    if (database == nullptr) return Error(sqlstate::kInternalError, "the index's database is gone");
    return alone(database, call, arguments);
  }

 private:
  // In a session of the bootstrap superuser that waits for no lock: what is behind a statement may hold some. The function runs
  // as its owner there (call_in).
  Result<OwnedDatum> alone(const std::shared_ptr<catalog::Database>& database, const types::CallInfo& call,
                           std::span<const Datum> arguments) {
    SessionImpl session(instance_, Waiter::current(), database, 0, 0);
    const auto role = instance_.catalog().role(oid::kBootstrapSuperuser);
    if (role == nullptr) return Error(sqlstate::kInternalError, "the bootstrap superuser is gone");
    ConnectOptions options;
    options.user = role->name;
    options.settings = {{"lock_timeout", "10ms"}};
    INDIGO_TRY(session.start(options));
    SessionParts& parts = session.parts();
    INDIGO_TRY(parts.begin_statement());
    auto result = call_in(parts, call, arguments);
    parts.block().rollback();
    return result;
  }

  InstanceImpl& instance_;
  const std::weak_ptr<catalog::Database> database_;
};

}  // namespace

std::shared_ptr<exec::IndexRoutines> make_index_routines(SessionParts& session) {
  return std::make_shared<IndexCalls>(session.instance(), session.session_catalog().database_pointer());
}

}  // namespace indigo::engine::programs
