// Names of PL/pgSQL: levels, labels, and what statements may assign to.
#include <algorithm>

#include "base/sqlstate.h"
#include "sql/plpgsql/parser.h"

namespace indigo::sql::plpgsql {

int Parser::add_variable(Variable variable) {
  program_->variables.push_back(std::move(variable));
  return static_cast<int>(program_->variables.size()) - 1;
}

void Parser::push_name(std::string name, int variable) {
  program_->names.push_back({Name::Kind::kVariable, std::move(name), variable, names_});
  names_ = static_cast<int>(program_->names.size()) - 1;
}

int Parser::push_label(std::string label) {
  const int before = names_;
  program_->names.push_back({Name::Kind::kLabel, std::move(label), -1, names_});
  names_ = static_cast<int>(program_->names.size()) - 1;
  return before;
}

bool Parser::label_known(std::string_view label, bool loops_only) const {
  return std::any_of(labels_.begin(), labels_.end(),
                     [&](const auto& l) { return l.first == label && (l.second || !loops_only); });
}

bool Parser::names_variable(size_t ahead, std::string_view* name) const {
  std::vector<std::string_view> parts;
  for (size_t i = ahead; peek(i).is_name(); i += 2) {
    parts.push_back(peek(i).text);
    if (!peek(i + 1).is(".") || parts.size() == 3) break;
  }
  if (parts.empty()) {
    if (peek(ahead).kind != TokenKind::kParameter) return false;
    parts.push_back(peek(ahead).text);
  }
  if (name != nullptr) *name = parts[0];
  return find_name(*program_, names_, parts).variable >= 0;
}

// variable, variable.field, label.variable.field; with `parts` also variable[i].field.
Result<Place> Parser::place(bool parts) {
  const Token& first = peek();
  std::vector<std::string_view> name;
  const size_t begin = at_;
  if (first.kind == TokenKind::kParameter) {
    name.push_back(next().text);
  } else {
    if (!first.is_name()) return syntax_error(first);
    name.push_back(next().text);
    while (peek().is(".") && peek(1).is_name()) {
      next();
      name.push_back(next().text);
    }
  }
  const NameFound found = find_name(*program_, names_, name);
  if (found.variable < 0) {
    return error_at(sqlstate::kSyntaxError,
                    "\"" +
                        std::string(input_.source.substr(static_cast<size_t>(first.begin),
                                                         static_cast<size_t>(tokens_[at_ - 1].end - first.begin))) +
                        "\" is not a known variable",
                    first);
  }
  const Variable& v = program_->variables[static_cast<size_t>(found.variable)];
  if (v.constant) {
    return error_at(SqlState("22005"), "variable \"" + v.name + "\" is declared CONSTANT", first);
  }
  Place out;
  out.variable = found.variable;
  for (size_t i = found.parts; i < name.size(); i++) out.fields.emplace_back(name[i]);
  const bool more = peek().is("[") || peek().is(".");
  if (!parts || (!more && out.fields.empty())) return out;
  while (peek().is("[") || peek().is(".")) {
    if (next().is(".")) {
      if (!peek().is_name()) return syntax_error(peek());
      next();
      continue;
    }
    for (int depth = 1; depth > 0;) {
      const Token& t = next();
      if (t.kind == TokenKind::kEnd || t.is(";")) return syntax_error(t, "mismatched parentheses");
      if (t.is("[") || t.is("(")) depth++;
      if (t.is("]") || t.is(")")) depth--;
    }
  }
  const int from = tokens_[begin].begin, to = tokens_[at_ - 1].end;
  FragmentPtr& written = more || out.fields.size() > 1 ? out.part : out.field;
  written = make_fragment(std::string(input_.source.substr(static_cast<size_t>(from), static_cast<size_t>(to - from))),
                          Fragment::Form::kExpression, first.line);
  return out;
}

Result<Target> Parser::target() {
  Target out;
  out.strict = accept("strict");
  do {
    INDIGO_ASSIGN(Place one, place(false));
    out.places.push_back(std::move(one));
  } while (accept(","));
  return out;
}

// A constant may be one: OPEN looks whether it would have to name it.
Result<int> Parser::cursor_variable() {
  const Token& first = peek();
  std::string_view name = first.text;
  const int known = find_name(*program_, names_, {&name, 1}).variable;
  if (first.is_name() && known >= 0 && program_->variables[static_cast<size_t>(known)].constant && !peek(1).is(".")) {
    next();
    return known;
  }
  INDIGO_ASSIGN(Place p, place(false));
  if (!p.fields.empty()) return syntax_error(first);
  return p.variable;
}

}  // namespace indigo::sql::plpgsql
