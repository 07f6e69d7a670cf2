#include "sql/plpgsql/parser.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "sql/parse/text_position.h"

namespace indigo::sql::plpgsql {

Result<std::shared_ptr<const Program>> parse_program(const ParseInput& input) {
  INDIGO_ASSIGN(std::vector<Token> tokens, tokenize(input.source));
  Parser parser(input, std::move(tokens));
  auto program = parser.run();
  if (program.ok()) return program;
  // Without a position of its own the error is near the token that was read last.
  Error error = std::move(*program.take_error());
  const bool placed = error.internal_position != 0;
  if (placed && input.anonymous) return error;
  error.add_context("compilation of PL/pgSQL function \"" + input.function_name + "\" near line " +
                    std::to_string(placed ? parser.noted_line() : parser.line()));
  return error;
}

Result<std::shared_ptr<const Program>> Parser::run() {
  push_label(input_.function_name);
  for (const GivenVariable& given : input_.given) {
    Variable v;
    v.name = given.name;
    v.type.fixed = given.type;
    v.constant = given.constant;
    v.internal = given.number == 0;
    const int number = add_variable(std::move(v));
    if (given.number > 0) push_name("$" + std::to_string(given.number), number);
    if (!given.name.empty()) push_name(given.name, number);
    if (given.name == "found" && given.number == 0) program_->found = number;
  }
  INDIGO_TRY(options());
  std::string label;
  if (accept("<<")) {
    INDIGO_ASSIGN(label, any_name());
    INDIGO_TRY(expect(">>"));
  }
  INDIGO_ASSIGN(program_->body, block(label));
  accept(";");
  if (peek().kind != TokenKind::kEnd) return syntax_error(peek());
  return std::shared_ptr<const Program>(program_);
}

bool Parser::accept(std::string_view word) {
  if (!peek().is(word)) return false;
  next();
  return true;
}

Status Parser::expect(std::string_view word) {
  if (accept(word)) return {};
  return syntax_error(peek());
}

Error Parser::error_at(SqlState state, std::string message, const Token& token) const {
  Error error(state, std::move(message));
  error.internal_query = input_.source;
  error.internal_position = character_position(input_.source, token.begin);
  return error;
}

Error Parser::syntax_error(const Token& token, const std::string& what) const {
  if (token.kind == TokenKind::kEnd) return error_at(sqlstate::kSyntaxError, what + " at end of input", token);
  const std::string text(
      input_.source.substr(static_cast<size_t>(token.begin), static_cast<size_t>(token.end - token.begin)));
  return error_at(sqlstate::kSyntaxError, what + " at or near \"" + text + "\"", token);
}

Result<std::string> Parser::any_name() {
  if (!peek().is_name()) return syntax_error(peek());
  return next().text;
}

FragmentPtr Parser::make_fragment(std::string text, Fragment::Form form, int line, int begin) {
  auto f = std::make_shared<Fragment>();
  f->form = form;
  f->text = std::move(text);
  f->id = static_cast<int>(program_->fragments.size());
  f->names = names_;
  f->line = line;
  f->begin = begin;
  program_->fragments.push_back(f);
  return f;
}

Result<FragmentPtr> Parser::fragment(std::initializer_list<std::string_view> until, const char* expected,
                                     Fragment::Form form) {
  const Token& first = peek();
  int brackets = 0;
  int end = first.begin;
  for (;; next()) {
    const Token& t = peek();
    const bool stops =
        brackets == 0 && std::any_of(until.begin(), until.end(), [&](std::string_view word) { return t.is(word); });
    if (stops) break;
    if (t.kind == TokenKind::kEnd || (t.is(";") && brackets == 0)) {
      if (brackets != 0) return syntax_error(t, "mismatched parentheses");
      if (t.kind == TokenKind::kEnd) return syntax_error(t);
      if (form == Fragment::Form::kExpression) {
        return syntax_error(t, "missing \"" + std::string(expected) + "\" at end of SQL expression");
      }
      return syntax_error(t, "missing \"" + std::string(expected) + "\" at end of SQL statement");
    }
    if (t.is("(") || t.is("[")) brackets++;
    if (t.is(")") || t.is("]")) brackets--;
    if (brackets < 0) return syntax_error(t, "mismatched parentheses");
    end = t.end;
  }
  if (end == first.begin) {
    return syntax_error(peek(), form == Fragment::Form::kExpression ? "missing expression" : "missing SQL statement");
  }
  return make_fragment(
      std::string(input_.source.substr(static_cast<size_t>(first.begin), static_cast<size_t>(end - first.begin))), form,
      first.line, first.begin);
}

Result<std::vector<FragmentPtr>> Parser::fragment_list(std::string_view end) {
  std::vector<FragmentPtr> out;
  const std::string expected(end == "loop" ? "LOOP" : end);
  for (;;) {
    INDIGO_ASSIGN(FragmentPtr f, fragment({",", end}, expected.c_str()));
    out.push_back(std::move(f));
    if (!accept(",")) return out;
  }
}

Result<std::vector<FragmentPtr>> Parser::using_list(std::string_view end) {
  if (!accept("using")) return std::vector<FragmentPtr>();
  return fragment_list(end);
}

}  // namespace indigo::sql::plpgsql
