// Loops, EXIT and CONTINUE.
#include <algorithm>

#include "base/sqlstate.h"
#include "sql/plpgsql/parser.h"

namespace indigo::sql::plpgsql {

Result<StatementList> Parser::loop_body(const std::string& label) {
  INDIGO_TRY(expect("loop"));
  labels_.emplace_back(label, true);
  INDIGO_ASSIGN(StatementList body, statements());
  labels_.pop_back();
  INDIGO_TRY(expect("end"));
  INDIGO_TRY(expect("loop"));
  if (peek().is_name()) {
    const Token& t = next();
    if (label.empty())
      return error_at(sqlstate::kSyntaxError, "end label \"" + t.text + "\" specified for unlabeled block", t);
    if (t.text != label) {
      return error_at(sqlstate::kSyntaxError,
                      "end label \"" + t.text + "\" differs from block's label \"" + label + "\"", t);
    }
  }
  INDIGO_TRY(expect(";"));
  return body;
}

Result<StatementPtr> Parser::loop(std::string label) {
  auto out = std::make_unique<Loop>();
  const int outside = push_label(label);
  INDIGO_ASSIGN(out->body, loop_body(label));
  names_ = outside;
  out->label = std::move(label);
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::while_loop(std::string label) {
  auto out = std::make_unique<While>();
  next();
  const int outside = push_label(label);
  INDIGO_ASSIGN(out->condition, fragment({"loop"}, "LOOP"));
  INDIGO_ASSIGN(out->body, loop_body(label));
  names_ = outside;
  out->label = std::move(label);
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::for_loop(std::string label) {
  const int line = next().line;
  const int outside = push_label(label);
  const Token variable = peek();
  // The names before IN: whether they are variables depends on the kind of loop.
  size_t in = 0;
  while (!peek(in).is("in") && !peek(in).is(";") && peek(in).kind != TokenKind::kEnd) in++;
  if (!peek(in).is("in") || in == 0) {
    at_ += std::min(in, tokens_.size() - 1 - at_);
    return syntax_error(peek());
  }
  const size_t target_at = at_;
  at_ += in + 1;
  Result<StatementPtr> result = [&]() -> Result<StatementPtr> {
    const bool reverse = peek().is("reverse");
    if (reverse) next();
    if (!reverse && peek().is("execute")) {
      auto out = std::make_unique<ForExecute>();
      next();
      INDIGO_ASSIGN(out->query, fragment({"loop", "using"}, "LOOP or USING"));
      INDIGO_ASSIGN(out->parameters, using_list("loop"));
      const size_t body = at_;
      at_ = target_at;
      INDIGO_ASSIGN(out->target, target());
      at_ = body;
      INDIGO_ASSIGN(out->body, loop_body(label));
      out->label = label;
      return StatementPtr(std::move(out));
    }
    if (!reverse && names_variable(0) && (peek(1).is("loop") || peek(1).is("("))) {
      std::string_view name = peek().text;
      const NameFound found = find_name(*program_, names_, {&name, 1});
      const Variable& v = program_->variables[static_cast<size_t>(found.variable)];
      if (v.cursor || v.type.text == "refcursor") return cursor_loop(label, variable, line);
    }
    // a..b is a range of integers, all else a query.
    int brackets = 0;
    bool range = false;
    for (size_t i = 0;; i++) {
      const Token& t = peek(i);
      if (t.kind == TokenKind::kEnd || t.is(";") || (t.is("loop") && brackets == 0)) break;
      if (t.is("(") || t.is("[")) brackets++;
      if (t.is(")") || t.is("]")) brackets--;
      range = range || (t.is("..") && brackets == 0);
    }
    if (range || reverse) return integer_loop(label, variable, reverse, line);
    auto out = std::make_unique<ForQuery>();
    INDIGO_ASSIGN(out->query, fragment({"loop"}, "LOOP", Fragment::Form::kStatement));
    const size_t body = at_;
    at_ = target_at;
    if (!names_variable(0)) {
      return error_at(sqlstate::kSyntaxError,
                      "loop variable of loop over rows must be a record variable or list of scalar variables",
                      variable);
    }
    INDIGO_ASSIGN(out->target, target());
    at_ = body;
    INDIGO_ASSIGN(out->body, loop_body(label));
    out->label = label;
    return StatementPtr(std::move(out));
  }();
  names_ = outside;
  if (result.ok()) (*result)->line = line;
  return result;
}

Result<StatementPtr> Parser::integer_loop(std::string label, const Token& variable, bool reverse, int line) {
  auto out = std::make_unique<ForInteger>();
  out->reverse = reverse;
  INDIGO_ASSIGN(out->lower, fragment({"..", "loop"}, ".."));
  if (!accept("..")) return syntax_error(peek(), "missing \"..\" at end of SQL expression");
  INDIGO_ASSIGN(out->upper, fragment({"by", "loop"}, "LOOP"));
  if (accept("by")) {
    INDIGO_ASSIGN(out->step, fragment({"loop"}, "LOOP"));
  }
  if (!variable.is_name()) return syntax_error(variable);
  Variable v;
  v.name = variable.text;
  v.line = line;
  v.type.fixed = 23;  // integer
  out->variable = add_variable(std::move(v));
  push_name(variable.text, out->variable);
  INDIGO_ASSIGN(out->body, loop_body(label));
  out->label = std::move(label);
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::cursor_loop(std::string label, const Token& variable, int line) {
  auto out = std::make_unique<ForCursor>();
  const Token& t = peek();
  INDIGO_ASSIGN(out->cursor, cursor_variable());
  if (!program_->variables[static_cast<size_t>(out->cursor)].cursor) {
    return error_at(sqlstate::kSyntaxError, "cursor FOR loop must use a bound cursor variable", t);
  }
  INDIGO_ASSIGN(out->arguments, cursor_arguments(out->cursor));
  if (!variable.is_name()) return syntax_error(variable);
  Variable v;
  v.name = variable.text;
  v.line = line;
  v.type.text = "record";
  out->record = add_variable(std::move(v));
  push_name(variable.text, out->record);
  INDIGO_ASSIGN(out->body, loop_body(label));
  out->label = std::move(label);
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::foreach_loop(std::string label) {
  auto out = std::make_unique<ForEach>();
  next();
  const int outside = push_label(label);
  if (!names_variable(0)) {
    return error_at(sqlstate::kSyntaxError, "loop variable of FOREACH must be a known variable or list of variables",
                    peek());
  }
  do {
    INDIGO_ASSIGN(Place one, place(false));
    out->target.places.push_back(std::move(one));
  } while (accept(","));
  if (accept("slice")) {
    if (peek().kind != TokenKind::kNumber) return syntax_error(peek());
    out->slice = std::atoi(next().text.c_str());
  }
  INDIGO_TRY(expect("in"));
  INDIGO_TRY(expect("array"));
  INDIGO_ASSIGN(out->array, fragment({"loop"}, "LOOP"));
  INDIGO_ASSIGN(out->body, loop_body(label));
  names_ = outside;
  out->label = std::move(label);
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::exit(bool is_exit) {
  auto out = std::make_unique<Exit>();
  const Token first = next();
  out->is_exit = is_exit;
  if (peek().is_name() && !peek().is("when")) {
    const Token& t = next();
    out->label = t.text;
    if (!label_known(out->label, false)) {
      return error_at(sqlstate::kSyntaxError,
                      "there is no label \"" + out->label + "\" attached to any block or loop enclosing this statement",
                      t);
    }
    if (!is_exit && !label_known(out->label, true)) {
      return error_at(sqlstate::kSyntaxError, "block label \"" + out->label + "\" cannot be used in CONTINUE", t);
    }
  } else if (std::none_of(labels_.begin(), labels_.end(), [](const auto& l) { return l.second; })) {
    return error_at(sqlstate::kSyntaxError,
                    is_exit ? "EXIT cannot be used outside a loop, unless it has a label"
                            : "CONTINUE cannot be used outside a loop",
                    first);
  }
  if (accept("when")) {
    INDIGO_ASSIGN(out->condition, fragment({";"}, ";"));
  }
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

}  // namespace indigo::sql::plpgsql
