// OPEN, FETCH, MOVE, CLOSE.
#include <cstdlib>

#include "base/sqlstate.h"
#include "sql/plpgsql/parser.h"
#include "storage/key_range.h"
#include "types/text/strings.h"

namespace indigo::sql::plpgsql {

// (a, b) or (name := a): in the order in which the cursor declares them. Null when the cursor has none.
Result<FragmentPtr> Parser::cursor_arguments(int cursor) {
  const Variable& c = program_->variables[static_cast<size_t>(cursor)];
  const Token first = peek();
  if (c.cursor_arguments.empty()) {
    if (first.is("(")) {
      return error_at(sqlstate::kSyntaxError, "cursor \"" + c.name + "\" has no arguments", first);
    }
    return FragmentPtr();
  }
  if (!first.is("(")) return error_at(sqlstate::kSyntaxError, "cursor \"" + c.name + "\" has arguments", first);
  next();
  std::vector<std::string> values(c.cursor_arguments.size());
  size_t position = 0;
  bool any_named = false;
  const auto specified_twice = [&](size_t at, const Token& t) {
    const std::string& name = program_->variables[static_cast<size_t>(c.cursor_arguments[at])].name;
    return error_at(sqlstate::kSyntaxError,
                    "value for parameter \"" + name + "\" of cursor \"" + c.name + "\" specified more than once", t);
  };
  do {
    size_t at = position;
    if (peek().is_name() && peek(1).is(":=")) {
      const Token& t = next();
      next();
      any_named = true;
      at = values.size();
      for (size_t i = 0; i < c.cursor_arguments.size(); i++) {
        if (program_->variables[static_cast<size_t>(c.cursor_arguments[i])].name == t.text) at = i;
      }
      if (at == values.size()) {
        return error_at(sqlstate::kSyntaxError, "cursor \"" + c.name + "\" has no argument named \"" + t.text + "\"",
                        t);
      }
      if (!values[at].empty()) return specified_twice(at, t);
    }
    if (at >= values.size()) {
      return error_at(sqlstate::kSyntaxError, "too many arguments for cursor \"" + c.name + "\"", peek());
    }
    if (!values[at].empty()) return specified_twice(at, peek());
    INDIGO_ASSIGN(const FragmentPtr value, fragment({",", ")"}, ",\" or \")"));
    program_->fragments.pop_back();  // part of the list below
    values[at] = value->text;
    position++;
  } while (accept(","));
  if (position < values.size()) {
    return error_at(sqlstate::kSyntaxError, "not enough arguments for cursor \"" + c.name + "\"", peek());
  }
  INDIGO_TRY(expect(")"));
  std::string list;
  for (size_t i = 0; i < values.size(); i++) {
    const std::string& name = program_->variables[static_cast<size_t>(c.cursor_arguments[i])].name;
    list += (i > 0 ? ", " : "") + values[i];
    if (any_named) list += " AS " + types::quote_identifier(Str(name));  // for errors while it runs
  }
  return make_fragment(list, Fragment::Form::kExpression, first.line);
}

Result<StatementPtr> Parser::open() {
  auto out = std::make_unique<Open>();
  next();
  const Token& t = peek();
  INDIGO_ASSIGN(out->cursor, cursor_variable());
  const Variable& c = program_->variables[static_cast<size_t>(out->cursor)];
  if (c.cursor) {
    INDIGO_ASSIGN(out->arguments, cursor_arguments(out->cursor));
    INDIGO_TRY(expect(";"));
    return StatementPtr(std::move(out));
  }
  if (accept("no")) {
    INDIGO_TRY(expect("scroll"));
    out->scroll = false;
  } else if (accept("scroll")) {
    out->scroll = true;
  }
  if (!accept("for")) return syntax_error(peek(), "syntax error, expected \"FOR\"");
  if (accept("execute")) {
    INDIGO_ASSIGN(out->dynamic, fragment({"using", ";"}, "USING or ;"));
    INDIGO_ASSIGN(out->parameters, using_list(";"));
  } else {
    INDIGO_ASSIGN(out->query, fragment({";"}, ";", Fragment::Form::kStatement));
  }
  out->line = t.line;
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::fetch(bool move) {
  using Direction = Fetch::Direction;
  auto out = std::make_unique<Fetch>();
  out->move = move;
  next();
  // NEXT c, PRIOR IN c, ABSOLUTE n FROM c, or just c.
  const auto many = [&] {  // FORWARD and BACKWARD with a count or ALL
    if (accept("all")) {
      out->all = true;
      return Status();
    }
    if (peek().is("from") || peek().is("in")) return Status();
    if (names_variable(0) && (peek(1).is(";") || peek(1).is("into"))) return Status();
    return [&]() -> Status {
      INDIGO_ASSIGN(out->count_expression, fragment({"from", "in"}, "FROM or IN"));
      return {};
    }();
  };
  const auto counted = [&](Direction direction) -> Status {
    out->direction = direction;
    INDIGO_ASSIGN(out->count_expression, fragment({"from", "in"}, "FROM or IN"));
    return {};
  };
  const bool only_name = names_variable(0) && (peek(1).is(";") || peek(1).is("into"));
  if (only_name) {
  } else if (accept("next")) {
  } else if (accept("prior")) {
    out->direction = Direction::kBackward;
  } else if (accept("first")) {
    out->direction = Direction::kAbsolute;
  } else if (accept("last")) {
    out->direction = Direction::kAbsolute;
    out->count = -1;
  } else if (accept("absolute")) {
    INDIGO_TRY(counted(Direction::kAbsolute));
  } else if (accept("relative")) {
    INDIGO_TRY(counted(Direction::kRelative));
  } else if (accept("all")) {
    out->all = true;
  } else if (accept("forward")) {
    INDIGO_TRY(many());
  } else if (accept("backward")) {
    out->direction = Direction::kBackward;
    INDIGO_TRY(many());
  } else if (!peek().is("from") && !peek().is("in")) {
    INDIGO_ASSIGN(out->count_expression, fragment({"from", "in"}, "FROM or IN"));
  }
  if (!accept("from")) accept("in");
  const Token& name = peek();
  if (!name.is_name()) return syntax_error(name);
  std::string_view cursor = name.text;
  if (find_name(*program_, names_, {&cursor, 1}).variable < 0) {
    return error_at(sqlstate::kSyntaxError, "\"" + name.text + "\" is not a known variable", name);
  }
  INDIGO_ASSIGN(out->cursor, cursor_variable());
  if (!move) {
    const bool several =
        out->all ||
        (out->count_expression && (out->direction == Direction::kForward || out->direction == Direction::kBackward));
    if (several) {
      return error_at(sqlstate::kFeatureNotSupported, "FETCH statement cannot return multiple rows", name);
    }
    INDIGO_TRY(expect("into"));
    INDIGO_ASSIGN(out->target, target());
  }
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::close() {
  auto out = std::make_unique<Close>();
  next();
  INDIGO_ASSIGN(out->cursor, cursor_variable());
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

}  // namespace indigo::sql::plpgsql
