#include "sql/parse/parse_error.h"

#include "base/sqlstate.h"

namespace indigo::sql {
namespace {

struct Rule {
  std::string_view part;  // found anywhere in the message
  SqlState state;
  std::string_view hint;
  bool is_detail = false;
};

constexpr SqlState kNonstandardUseOfEscape{"22P06"};
constexpr SqlState kInvalidFunctionDefinition{"42P13"};

// The first rule that matches decides; everything else is a syntax error.
constexpr Rule kRules[] = {
    {"subquery in FROM must have an alias", sqlstate::kSyntaxError, "For example, FROM (SELECT ...) [AS] foo."},
    {"VALUES in FROM must have an alias", sqlstate::kSyntaxError, "For example, FROM (VALUES ...) [AS] foo."},
    {"invalid Unicode escape value", sqlstate::kSyntaxError, ""},
    {"invalid Unicode escape character", sqlstate::kSyntaxError, ""},
    {"invalid Unicode escape", sqlstate::kInvalidEscapeSequence, "Unicode escapes must be \\uXXXX or \\UXXXXXXXX."},
    {"unsafe use of \\' in a string literal", kNonstandardUseOfEscape,
     "Use '' to write quotes in strings. \\' is insecure in client-only encodings."},
    {"unsafe use of string constant with Unicode escapes", sqlstate::kFeatureNotSupported,
     "String constants with Unicode escapes cannot be used when standard_conforming_strings is off.", true},
    {"invalid byte sequence", sqlstate::kCharacterNotInRepertoire, ""},
    {"not yet implemented", sqlstate::kFeatureNotSupported, ""},
    {"not implemented", sqlstate::kFeatureNotSupported, ""},
    {"LIMIT #,# syntax is not supported", sqlstate::kSyntaxError, "Use separate LIMIT and OFFSET clauses."},
    {"cannot include schema elements", sqlstate::kFeatureNotSupported, ""},
    {"sequence option", sqlstate::kSyntaxError, ""},
    {"not supported", sqlstate::kFeatureNotSupported, ""},
    {"no longer supported", sqlstate::kFeatureNotSupported, ""},
    {"constraints cannot be marked", sqlstate::kFeatureNotSupported, ""},
    {"current database cannot be changed", sqlstate::kFeatureNotSupported, ""},
    {"precision for type float", sqlstate::kInvalidParameterValue, ""},
    {"column number must be in range", sqlstate::kInvalidParameterValue, ""},
    {"precision must be between", sqlstate::kInvalidParameterValue, ""},
    {"frame start cannot be", sqlstate::kWindowingError, ""},
    {"frame end cannot be", sqlstate::kWindowingError, ""},
    {"frame starting from", sqlstate::kWindowingError, ""},
    {"is reserved", sqlstate::kReservedName, ""},
    {"cannot be used as a role name here", sqlstate::kReservedName, ""},
    {"parameter must be a list of", kInvalidFunctionDefinition, ""},
    {"aggregates cannot have output arguments", sqlstate::kFeatureNotSupported, ""},
    {"ordered-set aggregate with VARIADIC", sqlstate::kFeatureNotSupported, ""},
    {"stack depth limit exceeded", sqlstate::kStatementTooComplex,
     "Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack "
     "depth "
     "limit is adequate."},
    {"out of memory", sqlstate::kOutOfMemory, ""},
    {"invalid memory alloc request size", sqlstate::kProgramLimitExceeded, ""},
};

}  // namespace

Error parse_error(std::string message, int position) {
  // Texts of the grammar's actions have no token behind them.
  if (constexpr std::string_view kNear = " at or near"; message.ends_with(kNear))
    message.resize(message.size() - kNear.size());
  if (message == "invalid publication object list") {
    return Error(sqlstate::kSyntaxError, std::move(message))
        .with_detail("One of TABLE or TABLES IN SCHEMA must be specified before a standalone table or schema name.")
        .at(position);
  }
  for (const Rule& rule : kRules) {
    if (message.find(rule.part) == std::string::npos) continue;
    Error error = Error(rule.state, std::move(message)).at(position);
    (rule.is_detail ? error.detail : error.hint) = rule.hint;
    return error;
  }
  return Error(sqlstate::kSyntaxError, std::move(message)).at(position);
}

}  // namespace indigo::sql
