// libpg_query's parse tree as it makes it, without the bytes: its writer builds the protobuf-c structs in memory, packs them,
// and a caller would unpack them into structs again. third_party.cmake links the writer's allocations, and the packing, to
// functions of grammar_tree.cpp: the structs are made in the arena that outlives the call, and nothing is packed.
//
// Thread safety: one owner; a collection belongs to the thread that calls the library. Invariants:
// 1. After the call nothing in the tree refers to the library's memory: texts that the writer passes on uncopied are copied.
// 2. Within the call an allocation that fails leaves it with a jump (grammar_call.h); what was made stays the arena's.
#pragma once

#include <vector>

#include "base/memory/arena.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

class GrammarTree {
 public:
  explicit GrammarTree(Arena& arena) : arena_(arena) {}
  GrammarTree(const GrammarTree&) = delete;
  GrammarTree& operator=(const GrammarTree&) = delete;

  // Around the library's call: trees that this thread's writer makes are this one's.
  class Collecting {
   public:
    explicit Collecting(GrammarTree& tree);
    ~Collecting();
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;
  };

  // Null when nothing was written.
  const PgQuery__ParseResult* root() const { return root_; }

  // For the functions that the library is linked to; each may throw std::bad_alloc and can then be called again.
  void* allocate(size_t bytes) { return arena_.allocate(bytes); }
  char* copy(const char* text);
  void note_text(char** text) { texts_.push_back({text, nullptr}); }
  void finish(const PgQuery__ParseResult& result);

 private:
  // A text that the writer sets to a copy of its own, the first that it makes after this, or to the library's memory.
  struct Text {
    char** text;
    const char* copy;
  };

  Arena& arena_;
  std::vector<Text> texts_;
  const PgQuery__ParseResult* root_ = nullptr;
};

}  // namespace indigo::sql
