// jsonpath: its tree, and the way from text to tree and back.
//
// A value of the type is its canonical text (what PostgreSQL prints); who runs a path parses it again and keeps the tree
// for the query. Items lie in one vector and name each other by number, so that a long chain is no deep structure.
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/text/regex.h"

namespace indigo::types {

enum class PathOp : uint8_t {
  // Values
  kNull,
  kTrue,
  kFalse,
  kNumeric,   // text: a numeric's image
  kString,    // text
  kVariable,  // text: its name
  kRoot,
  kCurrent,
  kLast,
  // Accessors
  kKey,  // text
  kAnyKey,
  kAnyArray,
  kIndexArray,  // subscripts
  kAny,         // ** from level `first` to `last`
  kFilter,      // left: the predicate
  // Methods
  kType,
  kSize,
  kAbs,
  kFloor,
  kCeiling,
  kDouble,
  kDatetime,  // left: the template or none
  kKeyValue,
  // Arithmetic: left and right, or left alone
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPlus,
  kMinus,
  // Predicates
  kEqual,
  kNotEqual,
  kLess,
  kGreater,
  kLessOrEqual,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kNot,
  kIsUnknown,
  kExists,
  kStartsWith,
  kLikeRegex,  // left; text: the pattern; flags
};

inline bool is_predicate(PathOp op) { return op >= PathOp::kEqual; }

inline constexpr uint32_t kPathLastLevel = std::numeric_limits<uint32_t>::max();

struct PathRegexFlags {
  bool ignore_case = false, dot_all = false, multi_line = false, expanded = false, quote = false;
};

RegexFlags regex_flags_of(const PathRegexFlags& flags);

struct PathItem {
  PathOp op = PathOp::kNull;
  int32_t left = -1, right = -1;  // operands
  int32_t next = -1;              // the accessor after this one
  std::string text;
  uint32_t first = 0, last = 0;
  struct Subscript {
    int32_t from, to;  // to: -1 when it is one element
  };
  std::vector<Subscript> subscripts;
  PathRegexFlags flags;
};

struct JsonPath {
  bool strict = false;
  std::vector<PathItem> items;
  int32_t root = -1;
  const PathItem& at(int32_t i) const { return items[static_cast<size_t>(i)]; }
};

// False: the context has the error (42601, 22P02 ...). `kept`: a value of the type, as json_path_text writes it; it leaves out
// parentheses that users need, as PostgreSQL does: `exists ($).type()`.
bool parse_json_path(FuncContext& context, Str text, JsonPath& path, bool kept = false);
std::string json_path_text(const JsonPath& path);
// The name of a method or operator in messages and in text: "size", "+".
const char* path_op_name(PathOp op);

}  // namespace indigo::types
