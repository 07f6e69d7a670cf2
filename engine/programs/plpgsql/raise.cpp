// RAISE.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::programs {

namespace {

Severity severity_of(tree::Raise::Level level) {
  switch (level) {
    case tree::Raise::Level::kDebug: return Severity::kDebug;
    case tree::Raise::Level::kLog: return Severity::kLog;
    case tree::Raise::Level::kInfo: return Severity::kInfo;
    case tree::Raise::Level::kWarning: return Severity::kWarning;
    default: return Severity::kNotice;
  }
}

SqlState state_of(const std::string& text) {
  char code[6] = {};
  text.copy(code, 5);
  return SqlState(code);
}

// A name or an SQLSTATE; false: neither.
bool condition_state(const std::string& condition, SqlState& out) {
  const auto states = tree::states_of(condition);
  if (!states.empty()) {
    out = state_of(states[0]);
    return true;
  }
  const bool code = condition.size() == 5 && std::all_of(condition.begin(), condition.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                    });
  if (code) out = state_of(condition);
  return code;
}

}  // namespace

Status Interpreter::run_raise(const tree::Raise& s) {
  if (s.again) {
    if (handled_ != nullptr) {
      raised_again_ = true;  // it has its context
      return Error(*handled_);
    }
    return Error(SqlState("0Z002"), "RAISE without parameters cannot be used outside an exception handler");
  }
  Error error(SqlState("P0001"), "");
  if (s.level != tree::Raise::Level::kException)
    error.state = s.level == tree::Raise::Level::kWarning ? sqlstate::kWarning : sqlstate::kSuccessfulCompletion;
  bool has_message = false, has_state = false;
  if (!s.condition.empty()) {
    has_state = condition_state(s.condition, error.state);
    error.message = s.condition;
    has_message = true;
  }
  if (s.format) {
    has_message = true;
    error.message.clear();
    size_t argument = 0;
    const std::string& format = *s.format;
    for (size_t i = 0; i < format.size(); i++) {
      if (format[i] != '%') {
        error.message.push_back(format[i]);
      } else if (i + 1 < format.size() && format[i + 1] == '%') {
        error.message.push_back('%');
        i++;
      } else {
        INDIGO_ASSIGN(const auto value, text(s.arguments[argument++]));
        error.message += value ? *value : std::string("<NULL>");
      }
    }
  }
  std::vector<std::string> seen;
  for (const auto& option : s.options) {
    const bool twice = std::find(seen.begin(), seen.end(), option.name) != seen.end() ||
                       (option.name == "message" && has_message && s.format) || (option.name == "errcode" && has_state);
    std::string upper = option.name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    if (twice) return Error(sqlstate::kSyntaxError, "RAISE option already specified: " + upper);
    seen.push_back(option.name);
    INDIGO_ASSIGN(const auto value, text(option.value));
    if (!value) return Error(sqlstate::kNullValueNotAllowed, "RAISE statement option cannot be null");
    if (option.name == "errcode") {
      if (!condition_state(*value, error.state))
        return Error(sqlstate::kUndefinedObject, "unrecognized exception condition \"" + *value + "\"");
      if (!has_message) error.message = *value;
    } else if (option.name == "message") {
      error.message = *value;
      has_message = true;
    } else if (option.name == "detail") {
      error.detail = *value;
    } else if (option.name == "hint") {
      error.hint = *value;
    } else if (option.name == "column") {
      error.column = *value;
    } else if (option.name == "constraint") {
      error.constraint = *value;
    } else if (option.name == "datatype") {
      error.data_type = *value;
    } else if (option.name == "table") {
      error.table = *value;
    } else {
      error.schema = *value;
    }
  }
  if (error.message.empty() && !has_message) error.message = error.state.text();
  if (s.level == tree::Raise::Level::kException) return error;
  session_.notice(severity_of(s.level), error);
  return {};
}

}  // namespace indigo::engine::programs
