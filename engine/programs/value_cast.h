// Conversions of single values between types, as an assignment makes them.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>

#include "engine/exec/scalar/scalar_expression.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class ValueCast {
 public:
  // `through_text`: types without a conversion go by their texts. 42804 otherwise.
  static Result<ValueCast> make(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                bool through_text);
  // The same as an expression over parameter 0; null: the value is as good as it is.
  static Result<sql::ExprPtr> conversion(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                         bool through_text);
  bool identity() const { return expression_ == nullptr; }
  // A string lives until the next call, or as long as `value`'s.
  Result<Datum> apply(SessionParts& session, const Datum& value);

 private:
  std::unique_ptr<exec::ScalarExpression> expression_;
};

}  // namespace programs
}  // namespace indigo::engine
