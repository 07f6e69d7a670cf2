// Assignment to a part of a variable, compiled: x[1] := v computes all of x.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <optional>
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

  // As CompiledFragment::purity: whether all of it is an expression over the parameters.
  CompiledFragment::Purity purity(SessionParts& session, Frame& frame) const;
  // Of a pure one: the store of an element into the variable itself, whose value and subscripts compute only; null: it is
  // more.
  const sql::SubscriptExpr* element_of(SessionParts& session, int variable) const;
  // The fields that it reads; nothing where some record has not got one.
  std::optional<std::vector<CompiledFragment::BoundField>> fields(const Frame& frame) const;

 private:
  Status compile(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value, const TypeRef& type);
  Status compile_with_subscripts(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value,
                                 const TypeRef& type);
  // Subqueries stand in its brackets: what is in them is computed first, each for itself.
  Status separate_subscripts(const sql::plpgsql::Fragment& value);
  // What the brackets have, with the place as it is now.
  Status compute_subscripts(SessionParts& session, Frame& frame);
  bool fits(const Frame& frame) const;
  bool is_current(SessionParts& session, const Frame& frame) const;

  PlpgsqlFunction& function_;
  const sql::plpgsql::Fragment& place_;
  std::shared_ptr<FragmentScope> scope_;
  sql::ExprPtr whole_;
  bool calls_ = false;           // functions that may look at tables
  bool computed_first_ = false;  // the value is a parameter behind the variables'
  struct Subscript {
    sql::plpgsql::Fragment text;
    std::unique_ptr<CompiledFragment> compiled;
    OwnedDatum value;
    TypeRef type;
  };
  std::vector<std::unique_ptr<Subscript>> subscripts_;  // empty: none has a subquery
  std::vector<TypeRef> subscript_types_;                // that it was compiled with
  size_t value_index_ = 0;
  TypeRef value_type_;
  uint64_t catalog_version_ = 0;
  Oid user_ = kInvalidOid;                        // may call what is called in it
  std::vector<std::pair<int, uint64_t>> shapes_;  // of the records that it was compiled for
  std::unique_ptr<exec::StandaloneExpression> expression_;
  OwnedDatum kept_;
};

}  // namespace indigo::engine::programs
