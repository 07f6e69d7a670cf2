#include "sql/parse/parser.h"

#include <algorithm>
#include <cctype>

#include <pg_query.h>

#include "base/fiber/stack.h"
#include "base/memory/arena.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "sql/parse/grammar_call.h"
#include "sql/parse/grammar_tree.h"
#include "sql/parse/parse_error.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/pre_scan.h"
#include "sql/parse/text_position.h"

extern "C" {
extern __thread bool standard_conforming_strings;
extern __thread bool escape_string_warning;
extern __thread int backslash_quote;
}

namespace indigo::sql {
namespace {

class ParsedTree final : public ParsedText {
 public:
  const std::vector<Statement>& statements() const override { return statements_; }

  Arena& arena() { return arena_; }

  void set_root(const PgQuery__ParseResult* root) {
    statements_.reserve(root->n_stmts);
    for (size_t i = 0; i < root->n_stmts; i++) {
      const PgQuery__RawStmt* raw = root->stmts[i];
      if (raw->stmt == nullptr || raw->stmt->node_case == PG_QUERY__NODE__NODE__NOT_SET) continue;
      select_into(raw->stmt);
      if (raw->stmt->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT && raw->stmt->explain_stmt->query != nullptr) {
        select_into(raw->stmt->explain_stmt->query);
      }
      if (raw->stmt->node_case == PG_QUERY__NODE__NODE_PREPARE_STMT && raw->stmt->prepare_stmt->query != nullptr) {
        select_into(raw->stmt->prepare_stmt->query);
      }
      statements_.push_back({raw->stmt, raw->stmt_location, raw->stmt_len});
    }
  }

 private:
  static constexpr size_t kFirstBlockBytes = 1024;  // the tree of a short statement; of a cached one it stays

  template <class T>
  T* make(const T& value) {
    return new (arena_.allocate(sizeof(T))) T(value);
  }

  // SELECT ... INTO is CREATE TABLE AS from here on.
  void select_into(PgQuery__Node* statement) {
    if (statement->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return;
    PgQuery__SelectStmt* first = statement->select_stmt;
    while (first->larg != nullptr) first = first->larg;
    if (first->into_clause == nullptr) return;
    auto* create = make(PgQuery__CreateTableAsStmt PG_QUERY__CREATE_TABLE_AS_STMT__INIT);
    create->query = make(*statement);
    create->into = first->into_clause;
    create->objtype = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
    create->is_select_into = true;
    first->into_clause = nullptr;
    statement->node_case = PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT;
    statement->create_table_as_stmt = create;
  }

  Arena arena_{kFirstBlockBytes};  // freed without a walk
  std::vector<Statement> statements_;
};

// libpg_query's settings are the thread's.
class SyntaxScope {
 public:
  explicit SyntaxScope(const StringSyntax& syntax) { set(syntax); }
  ~SyntaxScope() { set({}); }
  SyntaxScope(const SyntaxScope&) = delete;
  SyntaxScope& operator=(const SyntaxScope&) = delete;

 private:
  static void set(const StringSyntax& syntax) {
    standard_conforming_strings = syntax.standard;
    escape_string_warning = false;  // escape_warnings() gives them
    backslash_quote = static_cast<int>(syntax.backslash_quote);
  }
};

// Junk behind a number is shown to its end, as PostgreSQL 15's later releases do; the grammar's scanner stops at its first byte.
std::string with_whole_junk(std::string message, std::string_view text, int offset) {
  if (!message.starts_with("trailing junk after ") || offset < 0 || message.size() < 2) return message;
  const size_t near = message.rfind(" at or near \"");
  if (near == std::string::npos) return message;
  constexpr size_t kNearSize = std::string_view(" at or near \"").size();
  size_t end = static_cast<size_t>(offset) + (message.size() - 1 - near - kNearSize);
  const auto in_name = [](unsigned char c) { return c >= 0x80 || c == '_' || c == '$' || std::isalnum(c) != 0; };
  if (end == 0 || end > text.size() || !in_name(static_cast<unsigned char>(text[end - 1]))) return message;
  while (end < text.size() && in_name(static_cast<unsigned char>(text[end]))) end++;
  message.resize(near + kNearSize);
  message += text.substr(static_cast<size_t>(offset), end - static_cast<size_t>(offset));
  return message + "\"";
}

// Is the place in U&'...' or U&"..."? The grammar tells of its escapes as of those of E'...'.
bool in_unicode_literal(std::string_view text, const StringSyntax& syntax, int offset) {
  std::vector<LiteralPlace> literals;
  if (offset < 0 || !pre_scan(text, syntax, {.unicode_literals = &literals}).ok()) return false;
  const auto at = static_cast<size_t>(offset);
  return std::any_of(literals.begin(), literals.end(),
                     [&](const LiteralPlace& l) { return l.begin <= at && at < l.end; });
}

// `scanned` is `text` after pre_scan.
Result<std::shared_ptr<const ParsedText>> parse_scanned(std::string_view text, const std::string& scanned,
                                                        const StringSyntax& syntax) {
  auto parsed = std::make_shared<ParsedTree>();
  GrammarTree tree(parsed->arena());
  PgQueryProtobufParseResult raw{};
  {
    const GrammarTree::Collecting scope(tree);
    const SyntaxScope strings(syntax);
    raw = call_grammar([&] { return pg_query_parse_protobuf(scanned.c_str()); });
  }
  Result<std::shared_ptr<const ParsedText>> answer = std::shared_ptr<const ParsedText>();
  if (raw.error != nullptr) {
    const int offset = byte_offset(scanned, raw.error->cursorpos);
    answer = parse_error(with_whole_junk(raw.error->message, scanned, offset), character_position(text, offset));
    if (answer.error().state == sqlstate::kInvalidEscapeSequence && in_unicode_literal(scanned, syntax, offset)) {
      answer.error().state = sqlstate::kSyntaxError;
      answer.error().hint = "Unicode escapes must be \\XXXX or \\+XXXXXX.";
    }
  } else if (tree.root() == nullptr) {
    answer = Error(sqlstate::kInternalError, "the parse tree cannot be read");
  } else {
    parsed->set_root(tree.root());
    answer = std::shared_ptr<const ParsedText>(std::move(parsed));
  }
  pg_query_free_protobuf_parse_result(raw);
  return answer;
}

}  // namespace

Result<std::shared_ptr<const ParsedText>> parse(std::string_view text, const StringSyntax& syntax) {
  INDIGO_TRY(check_client_text(text));
  INDIGO_ASSIGN(const std::string scanned, pre_scan(text, syntax));
  return run_on_large_stack([&] { return parse_scanned(text, scanned, syntax); });
}

}  // namespace indigo::sql
