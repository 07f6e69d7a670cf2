// Functions in language SQL that are not inlined: their statements run one after the other, the last one gives the result.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/programs/nested_statement.h"
#include "engine/programs/routine.h"
#include "engine/programs/value_cast.h"

namespace indigo::engine::programs {

class SqlFunction final : public Routine {
 public:
  static Result<std::shared_ptr<Routine>> make(SessionParts& session, std::shared_ptr<const types::FunctionInfo> info,
                                               const TypeRef& result, std::span<const TypeRef> arguments);
  // What is wrong with the body, as CREATE FUNCTION tells it. Polymorphic functions are only parsed.
  static Status validate(SessionParts& session, const std::shared_ptr<const types::FunctionInfo>& info);

  Result<OwnedDatum> call(SessionParts& session, std::span<const Datum> arguments) override;
  Status rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) override;

  SqlFunction(std::shared_ptr<const types::FunctionInfo> info, RoutineResult result)
      : Routine(std::move(info)), result_(std::move(result)) {}

 private:
  // What CREATE FUNCTION takes though no call can run it, is passed over when it validates.
  enum class Purpose : uint8_t { kValidate, kRun };
  Status prepare(SessionParts& session, std::span<const TypeRef> arguments, Purpose purpose);
  Status prepare_result(SessionParts& session);
  // 0A000 unless the last statement's plan gives what it gave.
  Status check_planned() const;
  Error mismatch(SessionParts& session, std::string detail) const;
  std::string context(size_t statement) const;
  // Runs all statements; the last one's rows go to `rows`.
  Status run(SessionParts& session, std::span<const Datum> arguments, bool all, const NestedStatement::Rows& rows);
  // The fields of one row of the last statement, converted, into `values`; strings live in `arena`.
  Status convert(SessionParts& session, const Chunk& chunk, uint32_t row, Arena& arena, std::vector<Datum>& values);

  const RoutineResult result_;
  std::vector<std::unique_ptr<NestedStatement>> statements_;
  // How the last statement's columns become the result.
  std::vector<TypeRef> planned_;  // their types when this was decided: another plan of the statement may have others
  bool whole_row_ = false;        // its one column is the composite value itself
  std::vector<ValueCast> casts_;
  std::vector<TypeRef> given_;  // of an unknown record: its columns
  std::vector<std::string> given_names_;
};

}  // namespace indigo::engine::programs
