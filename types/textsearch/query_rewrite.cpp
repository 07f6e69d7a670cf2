#include "types/textsearch/query_rewrite.h"

#include <algorithm>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/function/compare.h"

namespace indigo::types {

// AND and OR have any number of operands, sorted.
struct RewriteNode {
  QueryNode value;
  std::vector<std::unique_ptr<RewriteNode>> operands;
  bool replaced = false;  // put in by this replacement: not looked into

  bool is_word() const { return value.op == QueryOperator::kWord; }
  bool is_set() const { return value.op == QueryOperator::kAnd || value.op == QueryOperator::kOr; }
};

namespace {

using NodePtr = std::unique_ptr<RewriteNode>;

NodePtr node_of(const QueryTree& tree, uint32_t at) {
  note_work(64);
  auto node = std::make_unique<RewriteNode>();
  node->value = tree[at];
  if (node->is_word()) return node;
  node->operands.push_back(node_of(tree, at + 1));
  if (node->value.op != QueryOperator::kNot) node->operands.push_back(node_of(tree, tree[at].left));
  return node;
}

NodePtr copy_of(const RewriteNode& from) {
  auto node = std::make_unique<RewriteNode>();
  node->value = from.value;
  for (const NodePtr& operand : from.operands) node->operands.push_back(copy_of(*operand));
  return node;
}

int compare_nodes(const RewriteNode& a, const RewriteNode& b) {
  if (a.is_word() != b.is_word()) return a.is_word() ? 1 : -1;
  if (a.is_word()) {
    if (const int c = three_way(query_word_checksum(b.value.word), query_word_checksum(a.value.word))) return c;
    return three_way(a.value.word, b.value.word);
  }
  if (const int c = three_way(b.value.op, a.value.op)) return c;
  if (const int c = three_way(b.operands.size(), a.operands.size())) return c;
  for (size_t i = 0; i < a.operands.size(); i++)
    if (const int c = compare_nodes(*a.operands[i], *b.operands[i])) return c;
  return three_way(b.value.distance, a.value.distance);
}

// Operands of a set that are sets of the same kind give it their own.
void flatten(RewriteNode& node) {
  for (const NodePtr& operand : node.operands) flatten(*operand);
  if (!node.is_set()) return;
  std::vector<NodePtr> all;
  for (NodePtr& operand : node.operands) {
    if (operand->value.op != node.value.op) {
      all.push_back(std::move(operand));
      continue;
    }
    for (NodePtr& inner : operand->operands) all.push_back(std::move(inner));
  }
  node.operands = std::move(all);
}
void sort_operands(RewriteNode& node) {
  for (const NodePtr& operand : node.operands) sort_operands(*operand);
  if (!node.is_set()) return;
  note_work(64 * node.operands.size());
  std::stable_sort(node.operands.begin(), node.operands.end(),
                   noted_order([](const NodePtr& a, const NodePtr& b) { return compare_nodes(*a, *b) < 0; }));
}
NodePtr canonical(const QueryTree& tree) {
  if (tree.empty()) return nullptr;
  NodePtr node = node_of(tree, 0);
  flatten(*node);
  sort_operands(*node);
  return node;
}

class Replacement {
 public:
  Replacement(const RewriteNode& found, const RewriteNode* by) : found_(found), by_(by) {}

  // Null: nothing is left.
  NodePtr run(NodePtr node) const {
    note_work(64);
    if (!node->replaced) node = at_node(std::move(node));
    if (node == nullptr || node->replaced || node->is_word()) return node;
    for (NodePtr& operand : node->operands) operand = run(std::move(operand));
    std::erase(node->operands, nullptr);
    if (node->operands.empty()) return nullptr;
    if (node->operands.size() == 1 && node->value.op != QueryOperator::kNot) return std::move(node->operands[0]);
    return node;
  }

 private:
  NodePtr replacement() const {
    if (by_ == nullptr) return nullptr;
    NodePtr node = copy_of(*by_);
    node->replaced = true;
    return node;
  }
  NodePtr at_node(NodePtr node) const {
    if (node->value.op != found_.value.op) return node;
    if (node->operands.size() == found_.operands.size()) {
      return compare_nodes(*node, found_) == 0 ? replacement() : std::move(node);
    }
    if (node->operands.size() > found_.operands.size() && node->is_set()) replace_subset(*node);
    return node;
  }
  // Both are sorted.
  void replace_subset(RewriteNode& node) const {
    std::vector<size_t> matched;
    for (size_t i = 0, j = 0; i < node.operands.size() && j < found_.operands.size(); i++) {
      const int order = compare_nodes(*node.operands[i], *found_.operands[j]);
      if (order > 0) return;
      if (order < 0) continue;
      matched.push_back(i);
      j++;
    }
    if (matched.size() != found_.operands.size()) return;
    for (const size_t i : matched) node.operands[i].reset();
    std::erase(node.operands, nullptr);
    if (NodePtr by = replacement()) node.operands.push_back(std::move(by));
    sort_operands(node);
  }

  const RewriteNode& found_;
  const RewriteNode* by_;
};

void forget_replaced(RewriteNode& node) {
  node.replaced = false;
  for (const NodePtr& operand : node.operands) forget_replaced(*operand);
}

void append_nodes(const RewriteNode& node, QueryTree& out);

// A set's operands as a tree of pairs: of a b c d e it is (((a b) e) d) c.
void append_pairs(const RewriteNode& node, QueryTree& out) {
  for (size_t left = node.operands.size(); left > 1; left--) out.push_back({.op = node.value.op, .word = {}});
  append_nodes(*node.operands[0], out);
  append_nodes(*node.operands[1], out);
  for (size_t i = node.operands.size(); i-- > 2;) append_nodes(*node.operands[i], out);
}
void append_nodes(const RewriteNode& node, QueryTree& out) {
  note_work(32);
  if (node.operands.size() > 2) return append_pairs(node, out);
  out.push_back(node.value);
  for (const NodePtr& operand : node.operands) append_nodes(*operand, out);
}

}  // namespace

QueryRewriter::QueryRewriter(const QueryTree& query) : root_(canonical(query)) {}
QueryRewriter::~QueryRewriter() = default;

void QueryRewriter::replace(const QueryTree& found, const QueryTree& by) {
  if (root_ == nullptr) return;
  const NodePtr wanted = canonical(found);
  const NodePtr substitute = by.empty() ? nullptr : node_of(by, 0);
  root_ = Replacement(*wanted, substitute.get()).run(std::move(root_));
  if (root_ == nullptr) return;
  forget_replaced(*root_);
}

void QueryRewriter::settle() {
  if (root_ == nullptr) return;
  flatten(*root_);
  sort_operands(*root_);
}

QueryTree QueryRewriter::result() const {
  QueryTree tree;
  if (root_ != nullptr) append_nodes(*root_, tree);
  link_query(tree);
  return tree;
}

Datum rewrite_query(FuncContext& context, Str query, Str found, Str by) {
  const QueryTree tree = query_of(query), wanted = query_of(found), substitute = query_of(by);
  if (tree.empty() || wanted.empty()) return Datum::of(query);
  if (!check_tree(context, tree) || !check_tree(context, wanted) || !check_tree(context, substitute))
    return Datum::make_null(Phys::kStr);
  QueryRewriter rewriter(tree);
  rewriter.replace(wanted, substitute);
  return make_tsquery(context, rewriter.result());
}

}  // namespace indigo::types
