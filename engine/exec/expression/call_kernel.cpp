#include "engine/exec/expression/call_kernel.h"

#include "sql/identity_value.h"
#include "types/function/kernel.h"

namespace indigo::engine::exec {
namespace {

int64_t next_identity(types::FuncContext& context, int32_t sequence) {
  const Datum argument = Datum::of_oid(static_cast<Oid>(sequence));
  const Result<OwnedDatum> value = context.session().system_value("next_identity", {&argument, 1});
  if (value.ok()) return value->get().i64;
  context.fail(Error(value.error()));
  return 0;
}

}  // namespace

types::ScalarKernel call_kernel(const sql::CallExpr& e) {
  if (sql::is_identity_value(e)) return types::kernel<next_identity>;
  const types::ScalarFunction* function = types::find_scalar(e.function);
  return function == nullptr ? nullptr : function->kernel;
}

}  // namespace indigo::engine::exec
