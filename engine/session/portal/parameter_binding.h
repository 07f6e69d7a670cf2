// Parameters of a portal: literals of a Query message's text, or the values of a Bind message.
// Thread safety: none; belongs to a session.
#pragma once

#include <string>

#include "base/error.h"
#include "engine/session.h"
#include "engine/statement/literal_scanner.h"
#include "engine/statement/repeated_rows.h"
#include "types/function/context.h"

namespace indigo::engine {

struct Portal;

// 08P01 unless the message has as many values as the statement has parameters, and formats for them.
Status check_parameter_count(const BindMessage& message, size_t parameters);

class ParameterBinding {
 public:
  explicit ParameterBinding(types::SessionContext& session) : context_(session) {}

  // All into the portal's own memory. `scanned`: what the portal's statement was found or made by.
  Status bind_literals(Portal& portal, const ScannedText& scanned);
  // The rows of an INSERT as data of the portal's plan for one row of each shape. False: its plan cannot take them, or a
  // value is wrong.
  bool bind_rows(Portal& portal, const FoldedText& folded, const ScannedText& whole);
  Status bind_values(Portal& portal, const BindMessage& message);

  // After an exception.
  void reset() { context_.take_error(); }

 private:
  Result<Datum> bind_literal(Portal& portal, const ScannedText& scanned, size_t i, const types::TypeRef& type,
                             std::string& buffer);

  types::FuncContext context_;
};

}  // namespace indigo::engine
