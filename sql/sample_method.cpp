#include "sql/sample_method.h"

#include "types/extension/extension.h"
#include "types/oids.h"

namespace indigo::sql {

SampleMethod sample_method(const types::FunctionInfo& handler) {
  if (handler.oid < oid::kFirstUserOid) return SampleMethod::kPercent;
  const types::Extension* module = handler.language == "c" ? types::find_module(handler.library) : nullptr;
  if (module == nullptr) return SampleMethod::kUnknown;
  if (module->name == "tsm_system_rows" && handler.source == "tsm_system_rows_handler") return SampleMethod::kRows;
  if (module->name == "tsm_system_time" && handler.source == "tsm_system_time_handler") return SampleMethod::kTime;
  return SampleMethod::kUnknown;
}

const CallExpr* handler_call(const Entry::Sample& sample) {
  const auto* call = try_as<CallExpr>(sample.percent_expr);
  return call != nullptr && call->type.oid == kSampleHandlerType ? call : nullptr;
}

}  // namespace indigo::sql
