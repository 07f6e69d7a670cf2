// The parser of PL/pgSQL's statements. SQL inside them is cut out as text.
// Thread safety: none; one parse.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/plpgsql/lexer.h"
#include "sql/plpgsql/program.h"

namespace indigo::sql::plpgsql {

class Parser {
 public:
  Parser(const ParseInput& input, std::vector<Token> tokens) : input_(input), tokens_(std::move(tokens)) {}
  Result<std::shared_ptr<const Program>> run();
  // Of the token that was read last.
  int line() const { return peek().line; }
  // Of the declaration or statement that PostgreSQL's parser has taken the line of last: errors with a place of their own are told
  // to be near it.
  int noted_line() const { return noted_line_; }

 private:
  // ---- tokens (parser.cpp)
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  bool accept(std::string_view word);
  Status expect(std::string_view word);
  Error syntax_error(const Token& token, const std::string& what = "syntax error") const;
  Error error_at(SqlState state, std::string message, const Token& token) const;
  Result<std::string> any_name();
  // SQL up to one of these words outside brackets, which is left to be read next.
  Result<FragmentPtr> fragment(std::initializer_list<std::string_view> until, const char* expected,
                               Fragment::Form form = Fragment::Form::kExpression);
  FragmentPtr make_fragment(std::string text, Fragment::Form form, int line, int begin = -1);
  Result<std::vector<FragmentPtr>> fragment_list(std::string_view end);  // a, b, c before `end` (; or LOOP)
  Result<std::vector<FragmentPtr>> using_list(std::string_view end);

  // ---- names (parse_names.cpp)
  int add_variable(Variable variable);
  void push_name(std::string name, int variable);
  int push_label(std::string label);  // begins a level: what names_ was
  bool label_known(std::string_view label, bool loops_only) const;
  Result<Place> place(bool parts);
  Result<Target> target();
  Result<int> cursor_variable();
  bool names_variable(size_t ahead, std::string_view* name = nullptr) const;

  // ---- declarations (parse_declarations.cpp)
  Status options();
  Status declarations(Block& block);
  Status declaration(Block& block);
  Status cursor_declaration(Block& block, Variable variable);
  void note_shadow(const Token& name);
  Result<TypeText> type(std::initializer_list<std::string_view> until);

  // ---- statements (parse_statements.cpp, parse_loops.cpp, parse_cursors.cpp)
  Result<std::unique_ptr<Block>> block(const std::string& label);
  Status handlers(Block& block);
  Result<StatementList> statements();
  bool ends_list() const;
  Result<StatementPtr> statement();
  Result<StatementPtr> labelled();
  Result<StatementPtr> if_statement();
  Result<StatementPtr> case_statement();
  Result<StatementPtr> loop(std::string label);
  Result<StatementPtr> while_loop(std::string label);
  Result<StatementPtr> for_loop(std::string label);
  Result<StatementPtr> integer_loop(std::string label, const Token& variable, bool reverse, int line);
  Result<StatementPtr> cursor_loop(std::string label, const Token& variable, int line);
  Result<StatementPtr> foreach_loop(std::string label);
  Result<StatementList> loop_body(const std::string& label);
  Result<StatementPtr> exit(bool is_exit);
  Result<StatementPtr> return_statement();
  Result<StatementPtr> raise();
  Status raise_options(Raise& raise);
  Result<StatementPtr> assert_statement();
  bool at_routine_definition() const;
  Result<StatementPtr> sql();
  Result<StatementPtr> execute();
  Result<StatementPtr> diagnostics();
  Result<StatementPtr> open();
  Result<StatementPtr> fetch(bool move);
  Result<StatementPtr> close();
  Result<StatementPtr> perform();
  Result<StatementPtr> call();
  Result<StatementPtr> commit(bool rollback);
  Result<StatementPtr> assignment();
  Result<FragmentPtr> cursor_arguments(int cursor);

  const ParseInput& input_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int noted_line_ = 1;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  int names_ = -1;
  // Labels around the statement: name, and whether it is a loop's.
  std::vector<std::pair<std::string, bool>> labels_;
  int depth_ = 0;
};

}  // namespace indigo::sql::plpgsql
