// CALL: a procedure with its arguments, and the row of its OUT parameters.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/row_sink.h"
#include "engine/statement/prepared.h"
#include "sql/analyze/analyzer.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class ProcedureCall {
 public:
  // `types`: of the statement's $n; those that are not given are inferred, with `infer`.
  static Result<ProcedureCall> analyze(SessionParts& session, const ParsedStatement& statement,
                                       std::span<const types::TypeRef> types, bool infer);

  // Of OUT and INOUT parameters, by column. `may_commit`: no other statement and no block is around it.
  Result<std::vector<OwnedDatum>> run(SessionParts& session, std::span<const Datum> parameters, bool may_commit) const;
  // The columns of that row; null: there are none.
  std::shared_ptr<const ResultShape> shape(SessionParts& session) const;

  const sql::AnalyzedCall& analyzed() const { return call_; }
  // The types of OUT and INOUT parameters, as the arguments make them.
  const std::vector<types::TypeRef>& outputs() const { return outputs_; }

 private:
  Result<std::vector<OwnedDatum>> arguments(SessionParts& session, std::span<const Datum> parameters) const;

  sql::AnalyzedCall call_;
  std::vector<types::TypeRef> outputs_;
  std::vector<std::string> names_;
};

}  // namespace programs
}  // namespace indigo::engine
