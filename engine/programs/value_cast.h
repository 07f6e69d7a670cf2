// Conversions of single values between types, as an assignment makes them.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>

#include "engine/exec/expression/standalone_expression.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class ValueCast {
 public:
  // `through_text`: types without a conversion go by their texts. 42804 otherwise.
  static Result<ValueCast> make(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                bool through_text);
  bool identity() const { return expression_ == nullptr; }
  // A string lives until the next call, or as long as `value`'s.
  Result<Datum> apply(SessionParts& session, const Datum& value);

 private:
  std::unique_ptr<exec::StandaloneExpression> expression_;
};

}  // namespace programs
}  // namespace indigo::engine
