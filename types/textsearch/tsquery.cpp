// tsquery as a tree: its image, its text, its order.
#include "types/textsearch/tsquery.h"

#include <algorithm>
#include <array>

#include <absl/hash/hash.h>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/io/type_definition.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

constexpr size_t kQueryNodeBytes = 12, kQueryHeaderBytes = 8;  // of PostgreSQL's form, which limits and order count
constexpr size_t kMaxQueryBytes = 0x3fffffff;

int priority_of(QueryOperator op) {
  switch (op) {
    case QueryOperator::kOr: return 1;
    case QueryOperator::kAnd: return 2;
    case QueryOperator::kPhrase: return 3;
    default: return 4;
  }
}

size_t query_bytes(const QueryTree& tree) {
  size_t bytes = kQueryHeaderBytes + kQueryNodeBytes * tree.size();
  for (const QueryNode& node : tree)
    if (node.op == QueryOperator::kWord) bytes += node.word.size() + 1;
  return bytes;
}

void append_word(const QueryNode& node, std::string& out) {
  append_quoted_word(node.word, out);
  if (node.weights == 0 && !node.prefix) return;
  out.push_back(':');
  if (node.prefix) out.push_back('*');
  for (int weight = 3; weight >= 0; weight--)
    if ((node.weights >> weight & 1) != 0) out.push_back("DCBA"[weight]);
}

// The expression at a node, printed without recursion: what is still to print lies on a stack of its own.
class QueryPrinter {
 public:
  QueryPrinter(const QueryTree& tree, std::string& out) : tree_(tree), out_(out) {}
  void print() {
    todo_.push_back({0, {}, 0, false});
    while (!todo_.empty()) {
      note_work(32);
      const Step step = todo_.back();
      todo_.pop_back();
      if (step.text.empty()) {
        print_node(step);
      } else {
        out_.append(step.text);
      }
    }
  }

 private:
  struct Step {
    uint32_t node;
    std::string text;  // not empty: this text instead of a node
    int parent;        // priority of the operator around it
    bool right_of_phrase;
  };
  void print_node(const Step& step) {
    const QueryNode& node = tree_[step.node];
    if (node.op == QueryOperator::kWord) return append_word(node, out_);
    const int priority = priority_of(node.op);
    const bool phrase = node.op == QueryOperator::kPhrase;
    const bool parentheses = priority < step.parent || (phrase && step.right_of_phrase);
    if (parentheses) {
      out_.append("( ");
      todo_.push_back({0, " )", 0, false});
    }
    if (node.op == QueryOperator::kNot) {
      out_.push_back('!');
      todo_.push_back({step.node + 1, {}, priority, false});
      return;
    }
    todo_.push_back({step.node + 1, {}, priority, phrase});
    todo_.push_back({0, sign(node), 0, false});
    todo_.push_back({node.left, {}, priority, false});
  }
  static std::string sign(const QueryNode& node) {
    if (node.op == QueryOperator::kAnd) return " & ";
    if (node.op == QueryOperator::kOr) return " | ";
    return node.distance == 1 ? " <-> " : " <" + std::to_string(node.distance) + "> ";
  }

  const QueryTree& tree_;
  std::string& out_;
  std::vector<Step> todo_;
};

// Both trees in step: right operands first, which stand first in the nodes' order too. A phrase's distance counts after its
// operands.
int compare_trees(const QueryTree& a, const QueryTree& b) {
  struct Open {
    size_t node;
    int operands;  // still to come
  };
  std::vector<Open> open;
  for (size_t i = 0; i < std::min(a.size(), b.size()); i++) {
    note_work(16);
    const QueryNode &x = a[i], &y = b[i];
    const bool x_word = x.op == QueryOperator::kWord, y_word = y.op == QueryOperator::kWord;
    if (x_word != y_word) return x_word ? 1 : -1;
    if (!x_word) {
      if (x.op != y.op) return x.op > y.op ? -1 : 1;
      open.push_back({i, x.op == QueryOperator::kNot ? 1 : 2});
      continue;
    }
    if (const int c = three_way(query_word_checksum(y.word), query_word_checksum(x.word))) return c;
    if (const int c = three_way(x.word, y.word)) return c;
    for (; !open.empty() && --open.back().operands == 0; open.pop_back())
      if (const int c = three_way(b[open.back().node].distance, a[open.back().node].distance)) return c;
  }
  return 0;
}

int tsquery_order(const Datum& a, const Datum& b, const Collator*) { return compare_queries(a.str, b.str); }
bool tsquery_equal(const Datum& a, const Datum& b, const Collator*) { return compare_queries(a.str, b.str) == 0; }
// Weights and prefixes do not count.
uint64_t tsquery_hash(const Datum& v, const Collator*) {
  const QueryTree tree = query_of(v.str);
  uint64_t hash = absl::HashOf(tree.size());
  for (const QueryNode& node : tree)
    hash = absl::HashOf(hash, static_cast<int>(node.op), absl::string_view(node.word.data(), node.word.size()));
  return hash;
}

}  // namespace

const TypeOrder kTsQueryOrder{tsquery_order, tsquery_equal, tsquery_hash};

// The table of CRC-32, entered by the high byte.
int32_t query_word_checksum(Str word) {
  static const auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); i++) {
      uint32_t v = i;
      for (int bit = 0; bit < 8; bit++) v = (v & 1) != 0 ? v >> 1 ^ 0xedb88320u : v >> 1;
      table[i] = v;
    }
    return table;
  }();
  uint32_t crc = 0xffffffffu;
  for (const char c : word) crc = kTable[(crc >> 24 ^ static_cast<uint8_t>(c)) & 0xff] ^ crc << 8;
  return static_cast<int32_t>(crc ^ 0xffffffffu);
}

bool link_query(QueryTree& tree) {
  // From the end: each operator finds its operands on the stack, the right one on top.
  std::vector<uint32_t> operands;
  for (size_t i = tree.size(); i-- > 0;) {
    QueryNode& node = tree[i];
    if (node.op == QueryOperator::kWord) {
      operands.push_back(static_cast<uint32_t>(i));
      continue;
    }
    const size_t wanted = node.op == QueryOperator::kNot ? 1 : 2;
    if (operands.size() < wanted) return false;
    operands.pop_back();
    if (wanted == 2) {
      node.left = operands.back();
      operands.pop_back();
    }
    operands.push_back(static_cast<uint32_t>(i));
  }
  return operands.size() == (tree.empty() ? 0 : 1);
}

QueryTree query_of(Str image) {
  QueryTree tree(big_endian(load_unaligned<uint32_t>(image.data())));
  note_work(16 * tree.size());
  size_t at = 4;
  for (QueryNode& node : tree) {
    if (image[at] == 1) {
      node.weights = static_cast<uint8_t>(image[at + 1]);
      node.prefix = image[at + 2] != 0;
      const size_t end = image.find('\0', at + 3);
      node.word = image.substr(at + 3, end - at - 3);
      at = end + 1;
      continue;
    }
    node.op = static_cast<QueryOperator>(image[at + 1]);
    at += 2;
    if (node.op == QueryOperator::kPhrase) {
      node.distance = big_endian(load_unaligned<uint16_t>(image.data() + at));
      at += 2;
    }
  }
  link_query(tree);
  return tree;
}

std::string query_image(const QueryTree& tree) {
  std::string image;
  send_integer(static_cast<uint32_t>(tree.size()), image);
  for (const QueryNode& node : tree) {
    if (node.op == QueryOperator::kWord) {
      image.push_back(1);
      image.push_back(static_cast<char>(node.weights));
      image.push_back(node.prefix ? 1 : 0);
      image.append(node.word);
      image.push_back('\0');
      continue;
    }
    image.push_back(2);
    image.push_back(static_cast<char>(node.op));
    if (node.op == QueryOperator::kPhrase) send_integer(node.distance, image);
  }
  return image;
}

Datum make_tsquery(FuncContext& context, const QueryTree& tree) {
  if (query_bytes(tree) > kMaxQueryBytes) {
    context.fail(sqlstate::kProgramLimitExceeded, "tsquery is too large");
    return Datum::make_null(Phys::kStr);
  }
  return Datum::of(context.arena().copy(query_image(tree)));
}

QueryTree join_queries(QueryOperator op, uint16_t distance, const QueryTree& left, const QueryTree& right) {
  QueryTree tree;
  tree.reserve(left.size() + right.size() + 1);
  tree.push_back({.op = op, .distance = op == QueryOperator::kPhrase ? distance : uint16_t{0}, .word = {}});
  tree.insert(tree.end(), right.begin(), right.end());
  tree.insert(tree.end(), left.begin(), left.end());
  link_query(tree);
  return tree;
}

uint32_t query_end(const QueryTree& tree, uint32_t node) {
  for (;;) {
    switch (tree[node].op) {
      case QueryOperator::kWord: return node + 1;
      case QueryOperator::kNot: node++; break;
      default: node = tree[node].left;
    }
  }
}

bool check_tree(FuncContext& context, const QueryTree& tree) {
  constexpr size_t kFrameBytes = 1024;
  std::vector<uint32_t> depth(tree.size() + 1, 0);
  uint32_t deepest = 0;
  for (size_t i = 0; i < tree.size(); i++) {
    deepest = std::max(deepest, depth[i]);
    if (tree[i].op == QueryOperator::kWord) continue;
    depth[i + 1] = depth[i] + 1;
    if (tree[i].op != QueryOperator::kNot) depth[tree[i].left] = depth[i] + 1;
  }
  if (deepest * kFrameBytes < stack_remaining()) return true;
  context.fail(stack_depth_error());
  return false;
}

void append_query_text(const QueryTree& tree, std::string& out) {
  if (!tree.empty()) QueryPrinter(tree, out).print();
}

int compare_queries(Str a, Str b) {
  const QueryTree x = query_of(a), y = query_of(b);
  if (const int c = three_way(x.size(), y.size())) return c;
  if (const int c = three_way(query_bytes(x), query_bytes(y))) return c;
  return compare_trees(x, y);
}

// As compare_queries goes; what comes first when it is greater is written inverted.
void append_tsquery_key(Str image, std::string& out) {
  const QueryTree tree = query_of(image);
  send_integer(static_cast<uint32_t>(tree.size()), out);
  send_integer(static_cast<uint32_t>(query_bytes(tree)), out);
  struct Open {
    uint16_t distance;
    int operands;  // still to come
  };
  std::vector<Open> open;
  for (const QueryNode& node : tree) {
    const bool is_word = node.op == QueryOperator::kWord;
    out.push_back(is_word ? 1 : 0);
    if (!is_word) {
      out.push_back(static_cast<char>(~static_cast<uint8_t>(node.op)));
      open.push_back({node.distance, node.op == QueryOperator::kNot ? 1 : 2});
      continue;
    }
    send_integer(~(static_cast<uint32_t>(query_word_checksum(node.word)) ^ 0x80000000u), out);
    out.append(node.word);
    out.push_back('\0');
    for (; !open.empty() && --open.back().operands == 0; open.pop_back())
      send_integer(static_cast<uint16_t>(~open.back().distance), out);
  }
}

}  // namespace indigo::types
