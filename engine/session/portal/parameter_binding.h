// Parameters of a portal: literals of a Query message's text, or the values of a Bind message.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "engine/session.h"
#include "engine/statement/literal_scanner.h"
#include "engine/statement/repeated_rows.h"
#include "types/function/context.h"

namespace indigo::engine {

class Settings;
struct Portal;

// 08P01 unless the message has as many values as the statement has parameters, and formats for them.
Status check_parameter_count(const BindMessage& message, size_t parameters);

class ParameterBinding {
 public:
  ParameterBinding(types::SessionContext& session, const Settings& settings) : context_(session), settings_(settings) {}

  // All into the portal's own memory. `scanned`: what the portal's statement was found or made by.
  Status bind_literals(Portal& portal, const ScannedText& scanned);
  // The rows of an INSERT as data of the portal's plan for one row of each shape. False: its plan cannot take them, or a
  // value is wrong.
  bool bind_rows(Portal& portal, const FoldedText& folded, const ScannedText& whole);
  Status bind_values(Portal& portal, const BindMessage& message);

  // The error of a portal that Bind has given values: its context ends with them if log_parameter_max_length_on_error says so.
  std::unique_ptr<Error> with_values(std::unique_ptr<Error> error, const Portal& portal);

  // After an exception.
  void reset() { context_.take_error(); }

 private:
  Result<Datum> bind_literal(Portal& portal, const ScannedText& scanned, size_t i, const types::TypeRef& type,
                             std::string& buffer);
  std::string quoted(std::string_view value);
  // `text`: its value, if that is a text that can be shown.
  std::string place_of(const BindMessage& message, size_t parameter, const Str* text);

  // How many bytes of a value errors show; -1: all.
  int64_t most_shown() const;

  types::FuncContext context_;
  const Settings& settings_;
};

}  // namespace indigo::engine
