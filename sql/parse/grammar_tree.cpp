#include "sql/parse/grammar_tree.h"

#include <cstring>
#include <new>

#include "sql/parse/grammar_call.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {
namespace {

thread_local GrammarTree* collecting = nullptr;

// What is asked of the tree, again and again until there is memory for it or the library's call is left.
template <class F>
auto insist(F&& ask) {
  for (;;) {
    try {
      return ask(*collecting);
    } catch (const std::bad_alloc&) {  // left before the jump, which would pass it by
    }
    grammar_memory_missing();
  }
}

}  // namespace

GrammarTree::Collecting::Collecting(GrammarTree& tree) { collecting = &tree; }

GrammarTree::Collecting::~Collecting() { collecting = nullptr; }

char* GrammarTree::copy(const char* text) {
  const size_t bytes = std::strlen(text) + 1;
  auto* out = static_cast<char*>(std::memcpy(arena_.allocate(bytes, 1), text, bytes));
  if (!texts_.empty() && texts_.back().copy == nullptr) texts_.back().copy = out;
  return out;
}

void GrammarTree::finish(const PgQuery__ParseResult& result) {
  for (; !texts_.empty(); texts_.pop_back()) {
    const Text& last = texts_.back();
    char*& text = *last.text;
    if (text == nullptr || text == last.copy || text == protobuf_c_empty_string) continue;
    const size_t bytes = std::strlen(text) + 1;
    text = static_cast<char*>(std::memcpy(arena_.allocate(bytes, 1), text, bytes));
  }
  root_ = new (arena_.allocate(sizeof(PgQuery__ParseResult))) PgQuery__ParseResult(result);
}

}  // namespace indigo::sql

// What the library's writer of trees is linked to.
extern "C" {
void* indigo_tree_palloc(size_t bytes);
char* indigo_tree_pstrdup(const char* text);
void indigo_tree_string_init(PgQuery__String* made);
void indigo_tree_float_init(PgQuery__Float* made);
void indigo_tree_bit_string_init(PgQuery__BitString* made);
size_t indigo_tree_packed_size(const PgQuery__ParseResult* result);
size_t indigo_tree_pack(const PgQuery__ParseResult* result, uint8_t* out);
}

void* indigo_tree_palloc(size_t bytes) {
  return indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { return tree.allocate(bytes); });
}

char* indigo_tree_pstrdup(const char* text) {
  return indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { return tree.copy(text); });
}

void indigo_tree_string_init(PgQuery__String* made) {
  *made = PG_QUERY__STRING__INIT;
  indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { tree.note_text(&made->sval); });
}

void indigo_tree_float_init(PgQuery__Float* made) {
  *made = PG_QUERY__FLOAT__INIT;
  indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { tree.note_text(&made->fval); });
}

void indigo_tree_bit_string_init(PgQuery__BitString* made) {
  *made = PG_QUERY__BIT_STRING__INIT;
  indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { tree.note_text(&made->bsval); });
}

size_t indigo_tree_packed_size(const PgQuery__ParseResult* result) {
  indigo::sql::insist([&](indigo::sql::GrammarTree& tree) { tree.finish(*result); });
  return 0;
}

size_t indigo_tree_pack(const PgQuery__ParseResult*, uint8_t*) { return 0; }
