// Conversions of single values between types, as an assignment makes them.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string>

#include "engine/exec/scalar/scalar_expression.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class ValueCast {
 public:
  // `through_text`: types without a conversion go by their texts. Otherwise a record becomes a composite value field by field,
  // and 42804 for the rest.
  static Result<ValueCast> make(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                bool through_text);
  // The same as an expression over parameter 0; null: the value is as good as it is.
  static Result<sql::ExprPtr> conversion(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                         bool through_text);
  bool identity() const { return expression_ == nullptr && composite_ == kInvalidOid; }
  // A string lives until the next call, or as long as `value`'s.
  Result<Datum> apply(SessionParts& session, const Datum& value);

 private:
  Result<Datum> from_record(SessionParts& session, Str image);

  std::unique_ptr<exec::ScalarExpression> expression_;
  Oid composite_ = kInvalidOid;  // what a record becomes
  std::string image_;
  std::unique_ptr<ValueCast> to_domain_;  // over the composite type
};

}  // namespace programs
}  // namespace indigo::engine
