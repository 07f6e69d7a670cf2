// What a jsonpath asks of an inverted index: the names on its ways, and the scalars that something at their ends must equal.
// Where a comparison is denied, or a method makes another value, nothing is asked.
#include <utility>

#include "types/inverted/inverted_class.h"
#include "types/inverted/jsonb_keys.h"

namespace indigo::types::jsonb_keys {

namespace {

class PathQuery {
 public:
  PathQuery(const JsonPath& path, bool hashed) : path_(path), hashed_(hashed) {}

  // The expression answers at least one item.
  KeyQuery something(int32_t item) { return something(item, Way()); }
  // It answers true.
  KeyQuery is_true(int32_t item) {
    if (is_predicate(path_.at(item).op)) return holds(item, Way());
    std::vector<KeyQuery> asked;
    const Way way = walk(item, Way(), asked);
    asked.push_back(scalar(way, other('t')));
    return with_all(std::move(asked));
  }

 private:
  // Where an expression has come to in the document.
  struct Way {
    bool inside = true;  // it is a part of the document, not what a method or operator has made
    bool known = true;   // `hash` is that of the names so far
    uint64_t hash = 0;
  };

  KeyQuery something(int32_t item, const Way& current) {
    std::vector<KeyQuery> asked;
    if (is_predicate(path_.at(item).op)) return every_row();  // it answers whether it holds
    walk(item, current, asked);
    return with_all(std::move(asked));
  }

  Way walk(int32_t item, const Way& current, std::vector<KeyQuery>& asked) {
    Way way;
    switch (path_.at(item).op) {
      case PathOp::kRoot: break;
      case PathOp::kCurrent: way = current; break;
      default: way.inside = false;
    }
    for (int32_t i = path_.at(item).next; i >= 0; i = path_.at(i).next) {
      const PathItem& step = path_.at(i);
      switch (step.op) {
        case PathOp::kKey:
          if (!way.inside) break;
          if (!hashed_) asked.push_back(with_key(inverted_key(kName, step.text)));
          way.hash = longer(way.hash, step.text);
          break;
        case PathOp::kAnyKey:
        case PathOp::kAny: way.known = false; break;
        case PathOp::kAnyArray:
        case PathOp::kIndexArray: break;
        case PathOp::kFilter: asked.push_back(holds(step.left, way)); break;
        default: way.inside = false;
      }
    }
    return way;
  }

  KeyQuery scalar(const Way& way, const std::string& key) const {
    if (!way.inside) return every_row();
    if (!hashed_) return with_key(key);
    return way.known ? with_key(at_end_of(way.hash, key)) : every_row();
  }

  // Equal to a constant: what it needs at the end of the way.
  KeyQuery equal_to(const Way& way, const PathItem& constant) const {
    switch (constant.op) {
      case PathOp::kNull: return scalar(way, other('0'));
      case PathOp::kTrue: return scalar(way, other('t'));
      case PathOp::kFalse: return scalar(way, other('f'));
      case PathOp::kNumeric: return scalar(way, number(constant.text));
      default: {
        if (hashed_) return scalar(way, inverted_key(kString, constant.text));
        return with_any(
            {scalar(way, inverted_key(kString, constant.text)), scalar(way, inverted_key(kName, constant.text))});
      }
    }
  }

  bool is_constant(int32_t item) const { return path_.at(item).op <= PathOp::kString && path_.at(item).next < 0; }

  // Comparisons hold for something only.
  KeyQuery compares(const PathItem& comparison, const Way& current) {
    std::vector<KeyQuery> asked;
    const Way left = walk(comparison.left, current, asked), right = walk(comparison.right, current, asked);
    if (comparison.op == PathOp::kEqual) {
      if (is_constant(comparison.right)) asked.push_back(equal_to(left, path_.at(comparison.right)));
      if (is_constant(comparison.left)) asked.push_back(equal_to(right, path_.at(comparison.left)));
    }
    return with_all(std::move(asked));
  }

  KeyQuery holds(int32_t item, const Way& current) {
    const PathItem& p = path_.at(item);
    switch (p.op) {
      case PathOp::kAnd: return with_all({holds(p.left, current), holds(p.right, current)});
      case PathOp::kOr: return with_any({holds(p.left, current), holds(p.right, current)});
      case PathOp::kExists:
      case PathOp::kStartsWith:
      case PathOp::kLikeRegex: return something(p.left, current);
      case PathOp::kEqual:
      case PathOp::kNotEqual:
      case PathOp::kLess:
      case PathOp::kGreater:
      case PathOp::kLessOrEqual:
      case PathOp::kGreaterOrEqual: return compares(p, current);
      default: return every_row();
    }
  }

  const JsonPath& path_;
  const bool hashed_;
};

}  // namespace

KeyQuery query_of_path(const JsonPath& path, bool answers_true, bool hashed) {
  PathQuery query(path, hashed);
  std::vector<KeyQuery> either;
  either.push_back(answers_true ? query.is_true(path.root) : query.something(path.root));
  either.push_back(with_key(deep()));
  return with_any(std::move(either));
}

}  // namespace indigo::types::jsonb_keys
