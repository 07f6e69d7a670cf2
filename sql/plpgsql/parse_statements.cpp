// Blocks and the statements that are no loops and no cursors.
#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "sql/plpgsql/parser.h"

namespace indigo::sql::plpgsql {

namespace {

constexpr std::string_view kAfterStatements[] = {"end", "else", "elsif", "elseif", "when", "exception"};

}  // namespace

bool Parser::ends_list() const {
  const Token& t = peek();
  return t.kind == TokenKind::kEnd || std::any_of(std::begin(kAfterStatements), std::end(kAfterStatements),
                                                  [&](std::string_view word) { return t.is(word); });
}

Result<std::unique_ptr<Block>> Parser::block(const std::string& label) {
  INDIGO_TRY(check_stack_depth());
  auto out = std::make_unique<Block>();
  out->line = peek().line;
  out->label = label;
  const int outside = push_label(label);
  INDIGO_TRY(declarations(*out));
  out->line = peek().line;
  INDIGO_TRY(expect("begin"));
  labels_.emplace_back(label, false);
  INDIGO_ASSIGN(out->body, statements());
  if (peek().is("exception")) INDIGO_TRY(handlers(*out));
  labels_.pop_back();
  INDIGO_TRY(expect("end"));
  if (peek().is_name()) {
    const Token& t = next();
    if (label.empty()) {
      return error_at(sqlstate::kSyntaxError, "end label \"" + t.text + "\" specified for unlabeled block", t);
    }
    if (t.text != label) {
      return error_at(sqlstate::kSyntaxError,
                      "end label \"" + t.text + "\" differs from block's label \"" + label + "\"", t);
    }
  }
  names_ = outside;
  return out;
}

Status Parser::handlers(Block& block) {
  next();
  const int outside = push_label("");
  const auto text_variable = [&](const char* name) {
    Variable v;
    v.name = name;
    v.type.fixed = 25;  // text
    v.constant = true;
    v.internal = true;
    const int number = add_variable(std::move(v));
    push_name(name, number);
    return number;
  };
  block.sqlstate = text_variable("sqlstate");
  block.sqlerrm = text_variable("sqlerrm");
  while (peek().is("when")) {
    Handler handler;
    handler.line = next().line;
    do {
      const Token& t = peek();
      if (t.is("sqlstate") && peek(1).kind == TokenKind::kString) {
        next();
        const Token& code = next();
        const bool valid = code.text.size() == 5 && std::all_of(code.text.begin(), code.text.end(), [](char c) {
                             return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                           });
        if (!valid) return syntax_error(code, "invalid SQLSTATE code");
        handler.states.push_back(code.text);
      } else {
        INDIGO_ASSIGN(const std::string name, any_name());
        if (name == "others") {
          handler.states.push_back(name);
        } else {
          const std::vector<std::string> states = states_of(name);
          if (states.empty())
            return Error(sqlstate::kUndefinedObject, "unrecognized exception condition \"" + name + "\"");
          handler.states.insert(handler.states.end(), states.begin(), states.end());
        }
      }
    } while (accept("or"));
    INDIGO_TRY(expect("then"));
    INDIGO_ASSIGN(handler.body, statements());
    block.handlers.push_back(std::move(handler));
  }
  names_ = outside;
  if (block.handlers.empty()) return syntax_error(peek());
  return {};
}

Result<StatementList> Parser::statements() {
  StatementList out;
  while (!ends_list()) {
    INDIGO_ASSIGN(StatementPtr one, statement());
    out.push_back(std::move(one));
  }
  return out;
}

Result<StatementPtr> Parser::statement() {
  INDIGO_TRY(check_stack_depth());
  const Token& t = peek();
  const int line = t.line;
  const bool named = t.is_name() || t.kind == TokenKind::kParameter;
  if (!named && !t.is("<<") && !t.is("(")) return syntax_error(t);
  const auto run = [&]() -> Result<StatementPtr> {
    if (t.is("<<")) return labelled();
    // A variable's name begins an assignment even where it is a keyword.
    const Token& after = peek(1);
    if (after.is(":=") || after.is("=") || after.is("[") || after.is(".")) {
      if (names_variable(0)) {
        noted_line_ = line;
        return assignment();
      }
      if (after.is(":=") || after.is("=")) {
        return error_at(sqlstate::kSyntaxError, "\"" + t.text + "\" is not a known variable", t);
      }
    }
    if (t.kind != TokenKind::kWord) return sql();
    const std::string& word = t.text;
    if (word == "declare" || word == "begin") {
      INDIGO_ASSIGN(auto inner, block(""));
      INDIGO_TRY(expect(";"));
      return StatementPtr(std::move(inner));
    }
    if (word == "exit" || word == "continue" || word == "raise" ||
        (word == "return" && !peek(1).is("next") && !peek(1).is("query"))) {
      noted_line_ = line;
    }
    if (word == "if") return if_statement();
    if (word == "case") return case_statement();
    if (word == "loop") return loop("");
    if (word == "while") return while_loop("");
    if (word == "for") return for_loop("");
    if (word == "foreach") return foreach_loop("");
    if (word == "exit") return exit(true);
    if (word == "continue") return exit(false);
    if (word == "return") return return_statement();
    if (word == "raise") return raise();
    if (word == "assert") return assert_statement();
    if (word == "execute") return execute();
    if (word == "get") return diagnostics();
    if (word == "open") return open();
    if (word == "fetch") return fetch(false);
    if (word == "move") return fetch(true);
    if (word == "close") return close();
    if (word == "perform") return perform();
    if (word == "call" || word == "do") return call();
    if (word == "commit") return commit(false);
    if (word == "rollback" && !peek(1).is("to")) return commit(true);
    if (word == "null" && peek(1).is(";")) {
      next();
      next();
      return StatementPtr(std::make_unique<Null>());
    }
    return sql();
  };
  INDIGO_ASSIGN(StatementPtr out, run());
  if (out->kind != SK::kBlock) out->line = line;
  noted_line_ = out->line;
  return out;
}

Result<StatementPtr> Parser::labelled() {
  next();
  INDIGO_ASSIGN(std::string label, any_name());
  INDIGO_TRY(expect(">>"));
  const int line = peek().line;
  Result<StatementPtr> out = [&]() -> Result<StatementPtr> {
    if (peek().is("loop")) return loop(label);
    if (peek().is("while")) return while_loop(label);
    if (peek().is("for")) return for_loop(label);
    if (peek().is("foreach")) return foreach_loop(label);
    if (peek().is("declare") || peek().is("begin")) {
      INDIGO_ASSIGN(auto inner, block(label));
      INDIGO_TRY(expect(";"));
      return StatementPtr(std::move(inner));
    }
    return syntax_error(peek());
  }();
  if (out.ok() && (*out)->kind != SK::kBlock) (*out)->line = line;
  return out;
}

Result<StatementPtr> Parser::assignment() {
  auto out = std::make_unique<Assign>();
  const int begin = peek().begin;
  INDIGO_ASSIGN(out->place, place(true));
  if (!accept(":=")) INDIGO_TRY(expect("="));
  INDIGO_ASSIGN(const FragmentPtr value, fragment({";"}, ";"));
  auto whole = std::make_shared<Fragment>(*value);
  whole->assigned = input_.source.substr(static_cast<size_t>(begin), static_cast<size_t>(value->begin - begin));
  program_->fragments.back() = whole;
  out->value = std::move(whole);
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::if_statement() {
  auto out = std::make_unique<If>();
  next();
  do {
    If::Branch branch;
    INDIGO_ASSIGN(branch.condition, fragment({"then"}, "THEN"));
    INDIGO_TRY(expect("then"));
    INDIGO_ASSIGN(branch.body, statements());
    out->branches.push_back(std::move(branch));
  } while (accept("elsif") || accept("elseif"));
  if (accept("else")) {
    INDIGO_ASSIGN(out->otherwise, statements());
  }
  INDIGO_TRY(expect("end"));
  INDIGO_TRY(expect("if"));
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::case_statement() {
  auto out = std::make_unique<Case>();
  next();
  const int outside = names_;
  std::string variable;
  if (!peek().is("when")) {
    INDIGO_ASSIGN(out->operand, fragment({"when"}, "WHEN"));
    Variable v;
    v.name = "__Case__Variable_" + std::to_string(program_->variables.size()) + "__";
    v.internal = true;
    v.type.fixed = 25;
    variable = v.name;
    out->variable = add_variable(std::move(v));
    push_name(variable, out->variable);
  }
  while (accept("when")) {
    If::Branch branch;
    INDIGO_ASSIGN(branch.condition, fragment({"then"}, "THEN"));
    if (out->operand) {  // WHEN a, b: the operand is one of them
      branch.condition = make_fragment("\"" + variable + "\" IN (" + branch.condition->text + ")",
                                       Fragment::Form::kExpression, branch.condition->line);
    }
    INDIGO_TRY(expect("then"));
    INDIGO_ASSIGN(branch.body, statements());
    out->branches.push_back(std::move(branch));
  }
  if (out->branches.empty()) return syntax_error(peek());
  if (accept("else")) {
    out->has_else = true;
    INDIGO_ASSIGN(out->otherwise, statements());
  }
  INDIGO_TRY(expect("end"));
  INDIGO_TRY(expect("case"));
  INDIGO_TRY(expect(";"));
  names_ = outside;
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::return_statement() {
  const Token first = next();
  if (peek().is("next")) {
    next();
    auto out = std::make_unique<ReturnNext>();
    if (!input_.returns_set)
      return error_at(sqlstate::kDatatypeMismatch, "cannot use RETURN NEXT in a non-SETOF function", first);
    if (input_.has_outputs) {
      if (!peek().is(";")) {
        return error_at(sqlstate::kDatatypeMismatch,
                        "RETURN NEXT cannot have a parameter in function with OUT parameters", peek());
      }
    } else {
      if (names_variable(0) && peek(1).is(";")) {
        std::string_view name = peek().text;
        out->variable = find_name(*program_, names_, {&name, 1}).variable;
      }
      INDIGO_ASSIGN(out->value, fragment({";"}, ";"));
    }
    INDIGO_TRY(expect(";"));
    return StatementPtr(std::move(out));
  }
  if (peek().is("query")) {
    next();
    auto out = std::make_unique<ReturnQuery>();
    if (!input_.returns_set)
      return error_at(sqlstate::kDatatypeMismatch, "cannot use RETURN QUERY in a non-SETOF function", first);
    if (accept("execute")) {
      INDIGO_ASSIGN(out->dynamic, fragment({"using", ";"}, ";"));
      INDIGO_ASSIGN(out->parameters, using_list(";"));
    } else {
      INDIGO_ASSIGN(out->query, fragment({";"}, ";", Fragment::Form::kStatement));
    }
    INDIGO_TRY(expect(";"));
    return StatementPtr(std::move(out));
  }
  auto out = std::make_unique<Return>();
  const bool none = peek().is(";");
  const auto refuse = [&](const char* message) { return error_at(sqlstate::kDatatypeMismatch, message, peek()); };
  if (input_.returns_set) {
    if (!none) {
      Error error = refuse("RETURN cannot have a parameter in function returning set");
      error.hint = "Use RETURN NEXT or RETURN QUERY.";
      return error;
    }
  } else if (input_.has_outputs) {
    if (!none) return refuse("RETURN cannot have a parameter in function with OUT parameters");
  } else if (input_.returns_void) {
    if (!none) {
      return refuse(input_.procedure && !input_.anonymous
                        ? "RETURN cannot have a parameter in a procedure"
                        : "RETURN cannot have a parameter in function returning void");
    }
  } else if (none) {
    return syntax_error(peek(), "missing expression");
  } else {
    if (names_variable(0) && peek(1).is(";")) {
      std::string_view name = peek().text;
      out->variable = find_name(*program_, names_, {&name, 1}).variable;
    }
    INDIGO_ASSIGN(out->value, fragment({";"}, ";"));
  }
  out->line = first.line;
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::assert_statement() {
  auto out = std::make_unique<Assert>();
  next();
  INDIGO_ASSIGN(out->condition, fragment({",", ";"}, ";"));
  if (accept(",")) {
    INDIGO_ASSIGN(out->message, fragment({";"}, ";"));
  }
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

// CREATE [OR REPLACE] FUNCTION or PROCEDURE, whose body may be statements between BEGIN ATOMIC and END.
bool Parser::at_routine_definition() const {
  if (!peek().is("create")) return false;
  const size_t kind = peek(1).is("or") && peek(2).is("replace") ? 3 : 1;
  return peek(kind).is("function") || peek(kind).is("procedure");
}

// Any other statement is SQL; INTO names where its row goes, and is no part of it.
Result<StatementPtr> Parser::sql() {
  auto out = std::make_unique<Sql>();
  const Token first = peek();
  std::string text;
  int from = first.begin, brackets = 0, blocks = 0;
  bool after_insert = false;
  const bool routine = at_routine_definition();
  const bool import = first.is("import");
  for (;;) {
    const Token& t = peek();
    if (t.kind == TokenKind::kEnd) return syntax_error(t, "unexpected end of function definition");
    if (t.is(";") && brackets <= 0 && blocks == 0) break;
    if (routine && brackets <= 0) {  // inside they are names of arguments
      if (t.is("begin") || (blocks > 0 && t.is("case"))) blocks++;
      if (blocks > 0 && t.is("end")) blocks--;
    }
    if (t.is("(")) brackets++;
    if (t.is(")")) brackets--;
    if (t.is("into") && !after_insert && !import) {
      if (out->target.given()) return error_at(sqlstate::kSyntaxError, "INTO specified more than once", t);
      text += input_.source.substr(static_cast<size_t>(from), static_cast<size_t>(t.begin - from));
      const int into_begin = t.begin;
      next();
      INDIGO_ASSIGN(out->target, target());
      from = peek().begin;
      text.append(static_cast<size_t>(from - into_begin), ' ');  // what follows stays where it is
      continue;
    }
    after_insert = t.is("insert") || t.is("merge");
    next();
  }
  text += input_.source.substr(static_cast<size_t>(from), static_cast<size_t>(peek().begin - from));
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t')) text.pop_back();
  out->query = make_fragment(std::move(text), Fragment::Form::kStatement, first.line, first.begin);
  next();
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::execute() {
  auto out = std::make_unique<Execute>();
  next();
  INDIGO_ASSIGN(out->query, fragment({"into", "using", ";"}, "INTO or USING or ;"));
  // INTO and USING may come in any order.
  for (;;) {
    if (peek().is("into") && !out->target.given()) {
      next();
      INDIGO_ASSIGN(out->target, target());
    } else if (peek().is("using") && out->parameters.empty()) {
      next();
      do {
        INDIGO_ASSIGN(FragmentPtr f, fragment({",", "into", ";"}, ", or ; or INTO"));
        out->parameters.push_back(std::move(f));
      } while (accept(","));
    } else {
      break;
    }
  }
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::diagnostics() {
  auto out = std::make_unique<Diagnostics>();
  const Token first = next();
  if (accept("stacked")) {
    out->stacked = true;
  } else {
    accept("current");
  }
  INDIGO_TRY(expect("diagnostics"));
  static constexpr std::string_view kCurrent[] = {"row_count", "pg_context"};
  static constexpr std::string_view kStacked[] = {
      "pg_exception_context", "pg_exception_detail", "pg_exception_hint", "returned_sqlstate", "message_text",
      "column_name",          "constraint_name",     "pg_datatype_name",  "table_name",        "schema_name"};
  const auto has = [](auto& list, std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  do {
    Diagnostics::Item item;
    INDIGO_ASSIGN(item.place, place(false));
    if (!accept("=")) INDIGO_TRY(expect(":="));
    const Token& t = peek();
    INDIGO_ASSIGN(item.name, any_name());
    if (!has(kCurrent, item.name) && !has(kStacked, item.name))
      return syntax_error(t, "unrecognized GET DIAGNOSTICS item");
    std::string upper = item.name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    if (item.name != "pg_context" && out->stacked != has(kStacked, item.name)) {
      return error_at(sqlstate::kSyntaxError,
                      "diagnostics item " + upper + " is not allowed in GET " + (out->stacked ? "STACKED" : "CURRENT") +
                          " DIAGNOSTICS",
                      first);
    }
    out->items.push_back(std::move(item));
  } while (accept(","));
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::perform() {
  auto out = std::make_unique<Perform>();
  const int line = next().line;
  INDIGO_ASSIGN(const FragmentPtr rest, fragment({";"}, ";"));
  out->query = make_fragment("SELECT " + rest->text, Fragment::Form::kStatement, line);
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::call() {
  auto out = std::make_unique<Call>();
  out->is_call = peek().is("call");
  INDIGO_ASSIGN(out->statement, fragment({";"}, ";", Fragment::Form::kStatement));
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

Result<StatementPtr> Parser::commit(bool rollback) {
  auto out = std::make_unique<Commit>();
  next();
  out->rollback = rollback;
  if (accept("and")) {
    const bool no = accept("no");
    INDIGO_TRY(expect("chain"));
    out->chain = !no;
  }
  INDIGO_TRY(expect(";"));
  return StatementPtr(std::move(out));
}

}  // namespace indigo::sql::plpgsql
