// A function or procedure made ready for the argument types of its callers: what the languages implement.
// Thread safety: none; belongs to a session. A routine may be called while it runs (recursion).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/spill/row_spool.h"
#include "types/function/routine_kernel.h"
#include "types/value/datum.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

using types::TypeRef;

// What a routine answers.
struct RoutineResult {
  TypeRef type;
  bool set = false;
  // Composite results and OUT parameters: the fields. A column that was dropped has type 0.
  bool row = false;
  bool known = true;  // false: record, whose fields only the values tell
  std::vector<TypeRef> columns;
  std::vector<std::string> names;
};

// Rows that a routine has answered, each as the fields of RoutineResult, or as one value.
struct RowList {
  std::vector<TypeRef> types;  // empty until the first row
  std::vector<std::string> names;
  exec::RowSpool store;

  void init(SessionParts& session, std::vector<TypeRef> columns, std::vector<std::string> column_names = {});
  bool ready() const { return !types.empty(); }
};

class Routine {
 public:
  explicit Routine(std::shared_ptr<const types::FunctionInfo> info) : info_(std::move(info)) {}
  virtual ~Routine() = default;
  const types::FunctionInfo& info() const { return *info_; }
  bool may_change() const { return info_->volatility == types::Volatility::kVolatile; }

  // One value; a composite one as its image.
  virtual Result<OwnedDatum> call(SessionParts& session, std::span<const Datum> arguments) = 0;
  // Where a call is nothing but that of a kernel; else null.
  virtual std::shared_ptr<const types::RoutineKernel> kernel() const { return nullptr; }
  // All rows of a function that returns a set.
  virtual Status rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) = 0;

 private:
  const std::shared_ptr<const types::FunctionInfo> info_;
};

// The result of a call with these actual types.
RoutineResult result_of(SessionParts& session, const types::FunctionInfo& info, const TypeRef& result,
                        std::span<const TypeRef> arguments);
TypeRef type_of(SessionParts& session, Oid type);
// Equal for fields of equal types and names, and never 0.
uint64_t shape_of(std::span<const TypeRef> types, std::span<const std::string> names);
// A type as a routine sees it whose call gives `collation`: each that has a collation has that one.
inline TypeRef in_collation(TypeRef type, Oid collation) {
  if (type.collation != kInvalidOid && collation != kInvalidOid) type.collation = collation;
  return type;
}

}  // namespace programs
}  // namespace indigo::engine
