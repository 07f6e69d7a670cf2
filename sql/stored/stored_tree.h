// Expressions and queries as the catalog keeps them (pg_node_tree: adbin, conbin, indexprs, indpred, typdefaultbin, ev_action):
// analyzed trees, whose objects are OIDs and whose constants are values. Names occur only where they are part of the meaning:
// output columns, aliases, WITH items. What is renamed, moved or hidden from search_path therefore changes nothing.
//
//   text     "{T6:" base64 "}"; "{T1:" to "{T5:" have no fields that were added since (tree_fields.h)
//   bytes    CRC-32C of the rest (4, little-endian) | 'E' expression or 'Q' query | the node
//   node     0: none; 1: number of a node before this one; else kind + 2, the type, its fields (sql/stored/tree_fields.h)
//   numbers  zigzag varints; texts: length, bytes; lists: count, items
//
// Invariants:
//  1. A tree holds no comma, quote, parenthesis or blank: several may stand in one column, separated by ", ".
//  2. What one pointer was before, one pointer is after reading.
//  3. Reading answers an error (XX001) for bytes that are no tree, never a tree that indexes out of its own lists.
// Thread safety: pure functions; reading uses one session's catalog view.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sql/analyze/analysis.h"
#include "sql/query.h"

namespace indigo::sql {

// Built-in definitions are SQL text; everything else is a tree.
bool is_stored_tree(std::string_view text);

// 0A000 for what only one statement can hold: plans' nodes, changes.
Result<std::string> store_tree(const ExprPtr& expression);
Result<std::string> store_tree(const std::shared_ptr<const Query>& query);

// kUse: as the analyzer would make it now, with the checks of domains, the definitions of views, and (analysis.inline_functions)
// functions in language SQL in the place of their calls. kPrinting: without these three.
enum class LoadFor : uint8_t { kUse, kPrinting };
Result<ExprPtr> load_expression(Analysis& analysis, std::string_view tree, LoadFor purpose);
Result<std::shared_ptr<const Query>> load_query(Analysis& analysis, std::string_view tree, LoadFor purpose);

}  // namespace indigo::sql
