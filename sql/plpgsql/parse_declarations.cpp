// #options and DECLARE.
#include "base/sqlstate.h"
#include "sql/parse/text_position.h"
#include "sql/plpgsql/parser.h"

namespace indigo::sql::plpgsql {

Status Parser::options() {
  while (accept("#")) {
    INDIGO_ASSIGN(const std::string option, any_name());
    const Token& value = next();
    if (option == "option" && value.is("dump")) continue;
    if (option == "print_strict_params" && (value.is("on") || value.is("off"))) {
      program_->print_strict_params = value.is("on");
    } else if (option == "variable_conflict" && value.is("error")) {
      program_->conflict = NameConflict::kError;
    } else if (option == "variable_conflict" && value.is("use_variable")) {
      program_->conflict = NameConflict::kVariable;
    } else if (option == "variable_conflict" && value.is("use_column")) {
      program_->conflict = NameConflict::kColumn;
    } else {
      return syntax_error(value);
    }
  }
  return {};
}

Status Parser::declarations(Block& block) {
  while (accept("declare")) {
    while (!peek().is("begin") && !peek().is("declare") && peek().kind != TokenKind::kEnd) {
      if (peek().is("<<")) {
        return error_at(sqlstate::kSyntaxError, "block label must be placed before DECLARE, not after", peek());
      }
      INDIGO_TRY(declaration(block));
    }
  }
  return {};
}

Result<TypeText> Parser::type(std::initializer_list<std::string_view> until) {
  const Token& first = peek();
  TypeText out;
  std::vector<std::string> name;
  const size_t begin = at_;
  out.begin = first.begin;
  // name%TYPE, name%ROWTYPE
  if (first.is_name() || first.kind == TokenKind::kParameter) {
    name.push_back(next().text);
    while (peek().is(".") && peek(1).is_name()) {
      next();
      name.push_back(next().text);
    }
    if (peek().is("%") && (peek(1).is("type") || peek(1).is("rowtype"))) {
      next();
      out.kind = next().is("type") ? TypeText::Kind::kSame : TypeText::Kind::kRow;
      if (out.kind == TypeText::Kind::kSame) {
        std::vector<std::string_view> parts(name.begin(), name.end());
        const NameFound found = find_name(*program_, names_, parts);
        if (found.variable >= 0 && found.parts == parts.size()) {
          out.kind = TypeText::Kind::kVariable;
          out.variable = found.variable;
        } else if (name.size() == 1) {
          return error_at(sqlstate::kSyntaxError, "variable \"" + name[0] + "\" does not exist", first);
        }
      }
      out.name = std::move(name);
      return out;
    }
    at_ = begin;
  }
  int brackets = 0, end = first.begin;
  for (;; next()) {
    const Token& t = peek();
    bool stops = t.kind == TokenKind::kEnd || (t.is(";") && brackets == 0);
    for (const std::string_view word : until) stops = stops || (brackets == 0 && t.is(word));
    if (stops) break;
    if (t.is("(")) brackets++;
    if (t.is(")")) brackets--;
    if (brackets < 0) return syntax_error(t, "mismatched parentheses");
    end = t.end;
  }
  if (brackets != 0) return syntax_error(peek(), "mismatched parentheses");
  if (end == first.begin) return syntax_error(peek(), "missing data type declaration");
  out.text = input_.source.substr(static_cast<size_t>(first.begin), static_cast<size_t>(end - first.begin));
  return out;
}

void Parser::note_shadow(const Token& name) {
  std::string_view text = name.text;
  if (find_name(*program_, names_, {&text, 1}).variable < 0) return;
  program_->shadows.push_back({name.text, character_position(input_.source, name.begin)});
}

Status Parser::declaration(Block& block) {
  const Token& first = peek();
  if (!first.is_name()) return syntax_error(first);
  Variable v;
  v.name = next().text;
  v.line = noted_line_ = first.line;
  // The name may stand once in this level.
  for (int at = names_; at >= 0 && program_->names[static_cast<size_t>(at)].kind == Name::Kind::kVariable;
       at = program_->names[static_cast<size_t>(at)].previous) {
    if (program_->names[static_cast<size_t>(at)].name == v.name) return syntax_error(first, "duplicate declaration");
  }
  note_shadow(first);
  if (peek().is("alias") && peek(1).is("for")) {
    next();
    next();
    std::vector<std::string_view> parts;
    const Token& of = peek();
    if (of.kind == TokenKind::kParameter || of.is_name()) {
      parts.push_back(next().text);
      while (peek().is(".") && peek(1).is_name()) {
        next();
        parts.push_back(next().text);
      }
    }
    const NameFound found = parts.empty() ? NameFound{} : find_name(*program_, names_, parts);
    if (found.variable < 0) {
      return error_at(sqlstate::kUndefinedColumn, "variable \"" + of.text + "\" does not exist", of);
    }
    push_name(std::move(v.name), found.variable);
    return expect(";");
  }
  if (peek().is("cursor") || (peek().is("scroll") && peek(1).is("cursor")) ||
      (peek().is("no") && peek(1).is("scroll") && peek(2).is("cursor"))) {
    return cursor_declaration(block, std::move(v));
  }
  v.constant = accept("constant");
  INDIGO_ASSIGN(v.type, type({"not", "default", ":=", "=", "collate"}));
  if (accept("collate")) {
    do {
      INDIGO_ASSIGN(std::string part, any_name());
      v.collation.push_back(std::move(part));
    } while (accept("."));
  }
  if (accept("not")) {
    INDIGO_TRY(expect("null"));
    v.not_null = true;
  }
  if (peek().is("default") || peek().is(":=") || peek().is("=")) {
    next();
    INDIGO_ASSIGN(v.initial, fragment({";"}, ";"));
  }
  if (v.not_null && !v.initial) {
    return error_at(sqlstate::kNullValueNotAllowed,
                    "variable \"" + v.name + "\" must have a default value, since it's declared NOT NULL", peek());
  }
  INDIGO_TRY(expect(";"));
  std::string name = v.name;
  const int number = add_variable(std::move(v));
  block.variables.push_back(number);
  push_name(std::move(name), number);
  return {};
}

Status Parser::cursor_declaration(Block& block, Variable v) {
  if (accept("no")) {
    INDIGO_TRY(expect("scroll"));
    v.scroll = false;
  } else if (accept("scroll")) {
    v.scroll = true;
  }
  INDIGO_TRY(expect("cursor"));
  const int outside = push_label("");
  if (accept("(")) {
    do {
      Variable argument;
      argument.line = peek().line;
      note_shadow(peek());
      INDIGO_ASSIGN(argument.name, any_name());
      INDIGO_ASSIGN(argument.type, type({",", ")"}));
      std::string name = argument.name;
      const int number = add_variable(std::move(argument));
      v.cursor_arguments.push_back(number);
      push_name(std::move(name), number);
    } while (accept(","));
    INDIGO_TRY(expect(")"));
  }
  if (!accept("for")) INDIGO_TRY(expect("is"));
  v.cursor = true;
  v.type.text = "refcursor";
  INDIGO_ASSIGN(v.query, fragment({";"}, ";", Fragment::Form::kStatement));
  names_ = outside;
  INDIGO_TRY(expect(";"));
  std::string name = v.name;
  const int number = add_variable(std::move(v));
  block.variables.push_back(number);
  push_name(std::move(name), number);
  return {};
}

}  // namespace indigo::sql::plpgsql
