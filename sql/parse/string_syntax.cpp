#include "sql/parse/string_syntax.h"

#include "base/sqlstate.h"
#include "sql/parse/pre_scan.h"
#include "sql/parse/text_position.h"

namespace indigo::sql {
namespace {

Error warning(char escaped) {
  constexpr SqlState kNonstandardUseOfEscape{"22P06"};
  switch (escaped) {
    case '\'':
      return Error(kNonstandardUseOfEscape, "nonstandard use of \\' in a string literal")
          .with_hint("Use '' to write quotes in strings, or use the escape string syntax (E'...').");
    case '\\':
      return Error(kNonstandardUseOfEscape, "nonstandard use of \\\\ in a string literal")
          .with_hint("Use the escape string syntax for backslashes, e.g., E'\\\\'.");
    default:
      return Error(kNonstandardUseOfEscape, "nonstandard use of escape in a string literal")
          .with_hint("Use the escape string syntax for escapes, e.g., E'\\r\\n'.");
  }
}

}  // namespace

std::vector<Error> escape_warnings(std::string_view text, const StringSyntax& syntax) {
  std::vector<Error> out;
  if (syntax.standard || !syntax.warns || text.find('\\') == std::string_view::npos) return out;
  std::vector<EscapedString> strings;
  if (!pre_scan(text, syntax, {.escaped_strings = &strings}).ok()) return out;
  for (const EscapedString& string : strings) {
    out.push_back(warning(string.escaped).at(character_position(text, string.begin)));
  }
  return out;
}

}  // namespace indigo::sql
