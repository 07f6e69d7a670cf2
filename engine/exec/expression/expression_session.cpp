// CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_USER and the like: one value for each run.
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

using Which = sql::SessionValueExpr::Which;

// pg_proc: conversions of a timestamptz, and the functions that round to a precision.
constexpr Oid kToDate = 1178, kToTimeTz = 1388, kToTime = 2019, kToTimestamp = 2027;
constexpr Oid kRoundTimestampTz = 1967, kRoundTimestamp = 1961, kRoundTime = 1968, kRoundTimeTz = 1969;

class SessionValueNode final : public Node {
 public:
  SessionValueNode(QueryState& state, Which which) : Node(state), which_(which) { invariant = true; }

  const Vector& evaluate(const Frame&, Selection) override {
    catalog::SessionContext& session = state_.session();
    Datum now = Datum::of(session.transaction_timestamp());
    switch (which_) {
      case Which::kDate: return call(kToDate, now, oid::kTimestampTz);
      case Which::kTimeTz: return rounded(call(kToTimeTz, now, oid::kTimestampTz), kRoundTimeTz, oid::kTimeTz);
      case Which::kTime:
      case Which::kLocalTime: return rounded(call(kToTime, now, oid::kTimestampTz), kRoundTime, oid::kTime);
      case Which::kTimestamp:
      case Which::kLocalTimestamp:
        return rounded(call(kToTimestamp, now, oid::kTimestampTz), kRoundTimestamp, oid::kTimestamp);
      case Which::kTimestampTz:
        argument_.set_constant(now);
        return rounded(argument_, kRoundTimestampTz, oid::kTimestampTz);
      case Which::kCurrentUser:
      case Which::kUser:
      case Which::kRole: return text(session.current_user());
      case Which::kSessionUser: return text(session.session_user());
      case Which::kCatalog: return text(std::string(session.catalog().database_name()));
      case Which::kSchema: break;
    }
    Oid schema = session.catalog().creation_schema();
    if (schema != kInvalidOid) return text(session.catalog().schema_name(schema));
    out_.set_constant(Datum::make_null(Phys::kStr));
    return out_;
  }

 private:
  const Vector& text(std::string value) {
    bytes_ = std::move(value);
    out_.set_constant(Datum::of(Str(bytes_)));
    return out_;
  }
  const Vector& call(Oid function, const Datum& argument, Oid from) {
    argument_.set_constant(argument);
    const Vector* const arguments[] = {&argument_};
    return run(function, arguments, {types::TypeRef{from, -1, kInvalidOid}});
  }
  const Vector& rounded(const Vector& value, Oid function, Oid from) {
    if (type.typmod < 0 || failed()) return value;
    Vector copy, precision;
    copy.set_constant(value.datum(0));
    precision.set_constant(Datum::of(type.typmod));
    const Vector* const arguments[] = {&copy, &precision};
    return run(function, arguments,
               {types::TypeRef{from, -1, kInvalidOid}, types::TypeRef{oid::kInt4, -1, kInvalidOid}});
  }
  const Vector& run(Oid function, std::span<const Vector* const> arguments, std::vector<types::TypeRef> types) {
    const types::ScalarFunction* f = types::find_scalar(function);
    out_.init(phys, 1);
    if (f == nullptr) {
      functions().fail(sqlstate::kFeatureNotSupported,
                       "function with OID " + std::to_string(function) + " is not supported");
      return out_;
    }
    types::CallInfo call{function, type, std::move(types), kInvalidOid};
    f->kernel(functions(), call, arguments, {nullptr, 1}, out_);
    return out_;
  }

  Which which_;
  Vector argument_, out_;
  std::string bytes_;
};

}  // namespace

Result<NodePtr> compile_session_value(Builder& b, const sql::SessionValueExpr& e) {
  return NodePtr(std::make_unique<SessionValueNode>(b.state(), e.which));
}

}  // namespace indigo::engine::exec
