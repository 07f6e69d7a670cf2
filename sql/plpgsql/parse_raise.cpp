// RAISE.
#include <algorithm>

#include "base/sqlstate.h"
#include "sql/plpgsql/parser.h"

namespace indigo::sql::plpgsql {

namespace {

struct Level {
  std::string_view name;
  Raise::Level level;
};
constexpr Level kLevels[] = {
    {"exception", Raise::Level::kException}, {"warning", Raise::Level::kWarning}, {"notice", Raise::Level::kNotice},
    {"info", Raise::Level::kInfo},           {"log", Raise::Level::kLog},         {"debug", Raise::Level::kDebug}};

// % that stand for an argument; %% is a percent sign.
size_t placeholders(std::string_view format) {
  size_t n = 0;
  for (size_t i = 0; i < format.size(); i++) {
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      i++;
    } else {
      n++;
    }
  }
  return n;
}

}  // namespace

Result<StatementPtr> Parser::raise() {
  auto out = std::make_unique<Raise>();
  next();
  if (accept(";")) {
    out->again = true;
    return StatementPtr(std::move(out));
  }
  for (const Level& level : kLevels) {
    if (peek().is(level.name)) {
      out->level = level.level;
      next();
      break;
    }
  }
  if (peek().is(";")) return syntax_error(peek());
  if (peek().kind == TokenKind::kString) {
    out->format = next().text;
    while (accept(",")) {
      INDIGO_ASSIGN(FragmentPtr f, fragment({",", "using", ";"}, ", or ; or USING"));
      out->arguments.push_back(std::move(f));
    }
    const size_t wanted = placeholders(*out->format);
    if (wanted > out->arguments.size()) return Error(sqlstate::kSyntaxError, "too few parameters specified for RAISE");
    if (wanted < out->arguments.size()) return Error(sqlstate::kSyntaxError, "too many parameters specified for RAISE");
  } else if (!peek().is("using")) {
    const Token& t = peek();
    if (t.is("sqlstate") && peek(1).kind == TokenKind::kString) {
      next();
      const Token& code = next();
      const bool valid = code.text.size() == 5 && std::all_of(code.text.begin(), code.text.end(), [](char c) {
                           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                         });
      if (!valid) return syntax_error(code, "invalid SQLSTATE code");
      out->condition = code.text;
    } else {
      INDIGO_ASSIGN(out->condition, any_name());
      if (states_of(out->condition).empty()) {
        return Error(sqlstate::kUndefinedObject, "unrecognized exception condition \"" + out->condition + "\"");
      }
    }
  }
  INDIGO_TRY(raise_options(*out));
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Status Parser::raise_options(Raise& raise) {
  if (!accept("using")) return {};
  static constexpr std::string_view kOptions[] = {"errcode",    "message",  "detail", "hint",  "column",
                                                  "constraint", "datatype", "table",  "schema"};
  do {
    Raise::Option option;
    const Token& t = peek();
    INDIGO_ASSIGN(option.name, any_name());
    if (std::find(std::begin(kOptions), std::end(kOptions), option.name) == std::end(kOptions))
      return syntax_error(t, "unrecognized RAISE statement option");
    if (!accept("=") && !accept(":=")) return syntax_error(peek(), "syntax error, expected \"=\"");
    INDIGO_ASSIGN(option.value, fragment({",", ";"}, ", or ;"));
    raise.options.push_back(std::move(option));
  } while (accept(","));
  return {};
}

}  // namespace indigo::sql::plpgsql
