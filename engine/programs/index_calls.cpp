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
#include "engine/programs/call_limit.h"
#include "engine/session/running_session.h"
#include "engine/session/session_impl.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "storage/transaction.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/type_info.h"
#include "types/value/vector.h"

namespace indigo::engine::programs {

namespace {

Result<OwnedDatum> call_built_in(SessionParts& session, const types::CallInfo& call, std::span<const Datum> arguments) {
  const types::ScalarFunction* f = types::find_scalar(call.function);
  if (f == nullptr) return Error(sqlstate::kFeatureNotSupported, "a built-in function that is not here");
  Arena arena;
  types::FuncContext context(session.context());
  context.set_arena(&arena);
  std::vector<Vector> values(arguments.size());
  for (size_t i = 0; i < arguments.size(); i++) values[i].set_constant(arguments[i]);
  std::vector<const Vector*> pointers;
  for (const Vector& v : values) pointers.push_back(&v);
  Vector out;
  out.init(types::physical_of(call.result.oid), 1);
  f->kernel(context, call, pointers, Selection{nullptr, 1}, out);
  if (context.failed()) return std::move(*context.take_error());
  return OwnedDatum(out.datum(0));
}

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
  if (call.function < oid::kFirstUserOid) return call_built_in(session, call, arguments);
  return session.context().call_routine(call, arguments);
}

// In a session of the bootstrap superuser that waits for no lock: what is behind a statement may hold some. The function runs as
// its owner there (call_in).
Result<OwnedDatum> call_alone(InstanceImpl& instance, const std::shared_ptr<catalog::Database>& database,
                              const types::CallInfo& call, std::span<const Datum> arguments) {
  if (database == nullptr) return Error(sqlstate::kInternalError, "the index's database is gone");
  SessionImpl session(instance, Waiter::current(), database, 0, 0);
  const auto role = instance.catalog().role(oid::kBootstrapSuperuser);
  if (role == nullptr) return Error(sqlstate::kInternalError, "the bootstrap superuser is gone");
  ConnectOptions options;
  options.user = role->name;
  options.settings = {{"lock_timeout", "10ms"}};
  INDIGO_TRY(session.start(options));
  SessionParts& parts = session.parts();
  INDIGO_TRY(parts.begin_statement());
  auto result = call_within_limit(parts, call.function, [&] { return call_in(parts, call, arguments); });
  parts.block().rollback();
  return result;
}

Result<OwnedDatum> call_running(SessionParts& session, const types::CallInfo& call, std::span<const Datum> arguments) {
  if (!StartingCalls::on_this_thread()) return call_in(session, call, arguments);
  return call_within_limit(session, call.function, [&] { return call_in(session, call, arguments); });
}

exec::HasIndexRoutines* running_host() {
  SessionParts* session = running_session();
  return session == nullptr ? nullptr : dynamic_cast<exec::HasIndexRoutines*>(&session->context());
}

class IndexCalls final : public exec::IndexRoutines {
 public:
  IndexCalls(InstanceImpl& instance, std::weak_ptr<catalog::Database> database)
      : instance_(instance), database_(std::move(database)) {}

  Result<OwnedDatum> call(const types::CallInfo& call, std::span<const Datum> arguments) override {
    if (SessionParts* session = running_session()) return call_running(*session, call, arguments);
    return call_alone(instance_, database_.lock(), call, arguments);
  }
  bool in_session() override { return running_session() != nullptr; }
  void note_failure(const exec::KeyFailure& failure) override {
    if (auto* host = running_host()) host->note_key_failure(failure);
  }
  bool has_failed(const void* extractor, std::string_view read) override {
    const auto* host = running_host();
    return host != nullptr && host->has_failed(extractor, read);
  }

 private:
  InstanceImpl& instance_;
  const std::weak_ptr<catalog::Database> database_;
};

class ClassFunctions final : public types::ClassCalls {
 public:
  explicit ClassFunctions(InstanceImpl& instance) : instance_(instance) {}

  Result<int32_t> compare(Oid database, Oid function, const types::TypeRef& type, const Datum& a,
                          const Datum& b) override {
    const Datum arguments[] = {a, b};
    return integer(database, function, type, arguments);
  }

  Result<int32_t> hash(Oid database, Oid function, const types::TypeRef& type, const Datum& value) override {
    if (function == kInvalidOid)
      return Error(sqlstate::kInternalError, "missing support function 1 of a hash operator class");
    return integer(database, function, type, {&value, 1});
  }

  void note_failure(const Error& error) override {
    if (auto* host = running_host()) host->note_key_failure({nullptr, {}, error});
  }

 private:
  // Of an equality, 0 says that it holds (types/value/defined_equality.h).
  Result<int32_t> integer(Oid database, Oid function, const types::TypeRef& type, std::span<const Datum> arguments) {
    types::CallInfo call;
    call.function = function;
    call.result = {oid::kInt4, -1, kInvalidOid};
    call.arguments.assign(arguments.size(), type);
    call.collation = type.collation;
    SessionParts* session = running_session();
    if (arguments.size() == 2 && returns_boolean(function, session)) call.result.oid = oid::kBool;
    INDIGO_ASSIGN(const OwnedDatum result,
                  session != nullptr ? call_running(*session, call, arguments)
                                     : call_alone(instance_, instance_.catalog().database(database), call, arguments));
    if (result.get().null) {
      return Error(sqlstate::kInternalError, "function " + std::to_string(function) + " returned NULL");
    }
    if (call.result.oid == oid::kBool) return result.get().b ? 0 : 1;
    return result.get().i32;
  }

  // Equalities are asked for by queries alone.
  static bool returns_boolean(Oid function, SessionParts* session) {
    const auto info = session == nullptr ? nullptr : session->session_catalog().function(function);
    return info != nullptr && info->result == oid::kBool;
  }

  InstanceImpl& instance_;
};

}  // namespace

std::unique_ptr<types::ClassCalls> make_class_calls(InstanceImpl& instance) {
  return std::make_unique<ClassFunctions>(instance);
}

std::shared_ptr<exec::IndexRoutines> make_index_routines(SessionParts& session) {
  return std::make_shared<IndexCalls>(session.instance(), session.session_catalog().database_pointer());
}

}  // namespace indigo::engine::programs
