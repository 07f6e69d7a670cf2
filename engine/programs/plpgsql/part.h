// Assignment to a part of a variable, compiled: x[1] := v computes all of x.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/exec/expression/standalone_expression.h"
#include "engine/programs/plpgsql/fragment.h"

namespace indigo::engine::programs {

class CompiledPart {
 public:
  CompiledPart(PlpgsqlFunction& function, const sql::plpgsql::Fragment& place)
      : function_(function), place_(place), scope_(std::make_shared<FragmentScope>(function, place.names)) {}

  // What the variable becomes; the strings live until the next evaluation.
  Result<CompiledFragment::Answer> evaluate(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value);

 private:
  Status compile(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value, const TypeRef& type);
  bool fits(const Frame& frame) const;

  PlpgsqlFunction& function_;
  const sql::plpgsql::Fragment& place_;
  std::shared_ptr<FragmentScope> scope_;
  sql::ExprPtr whole_;
  bool calls_ = false;           // functions that may look at tables
  bool computed_first_ = false;  // the value is a parameter behind the variables'
  size_t value_index_ = 0;
  TypeRef value_type_;
  uint64_t catalog_version_ = 0;
  Oid user_ = kInvalidOid;                        // may call what is called in it
  std::vector<std::pair<int, uint64_t>> shapes_;  // of the records that it was compiled for
  std::unique_ptr<exec::StandaloneExpression> expression_;
  OwnedDatum kept_;
};

}  // namespace indigo::engine::programs
