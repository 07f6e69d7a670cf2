// jsonpath's grammar by recursive descent.
#include <absl/container/flat_hash_map.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/string_view.h>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/jsonpath/path.h"
#include "types/jsonpath/path_lexer.h"
#include "types/number/integer_text.h"
#include "types/numeric/numeric.h"
#include "types/text/ascii.h"
#include "types/text/regex.h"

namespace indigo::types {

namespace {

using Kind = PathToken::Kind;

class PathParser {
 public:
  PathParser(FuncContext& context, Str text, JsonPath& path, bool kept)
      : context_(context), lexer_(context, text), path_(path), kept_(kept) {}

  bool run() {
    if (!advance()) return false;
    if (is_keyword("strict") || is_keyword("lax")) {
      path_.strict = is_keyword("strict");
      if (!advance()) return false;
    }
    path_.root = disjunction();
    if (path_.root < 0) return false;
    if (token_.kind != Kind::kEnd) return syntax();
    return check(path_.root, 0, false);
  }

 private:
  // ---- tokens
  bool advance() { return lexer_.next(token_); }
  bool is_symbol(Str s) const { return token_.kind == Kind::kSymbol && token_.text == s; }
  bool is_keyword(Str word) const {
    return token_.kind == Kind::kName && token_.keyword && absl::EqualsIgnoreCase(token_.text, std::string(word));
  }
  bool syntax() {
    if (!context_.failed()) {
      context_.fail(sqlstate::kSyntaxError,
                    token_.source.empty()
                        ? "syntax error at end of jsonpath input"
                        : "syntax error at or near \"" + std::string(token_.source) + "\" of jsonpath input");
    }
    return false;
  }
  int32_t wrong() {
    syntax();
    return -1;
  }
  bool expect(Str symbol) { return is_symbol(symbol) ? advance() : syntax(); }

  // ---- items
  int32_t make(PathOp op, int32_t left = -1, int32_t right = -1) {
    PathItem item;
    item.op = op;
    item.left = left;
    item.right = right;
    path_.items.push_back(std::move(item));
    return static_cast<int32_t>(path_.items.size()) - 1;
  }
  int32_t make_text(PathOp op, std::string text) {
    const int32_t i = make(op);
    item(i).text = std::move(text);
    return i;
  }
  PathItem& item(int32_t i) { return path_.items[static_cast<size_t>(i)]; }
  bool predicate(int32_t i) { return item(i).next < 0 && is_predicate(item(i).op); }
  // A predicate that may stand after ! and before IS UNKNOWN: in parentheses, or EXISTS.
  bool delimited(int32_t i) { return parenthesised_ == i || item(i).op == PathOp::kExists; }

  // ---- predicates and expressions, weakest binding first
  int32_t disjunction() {
    int32_t left = conjunction();
    while (left >= 0 && is_symbol("||")) left = junction(PathOp::kOr, left);
    return left;
  }
  int32_t conjunction() {
    int32_t left = comparison();
    while (left >= 0 && is_symbol("&&")) left = junction(PathOp::kAnd, left);
    return left;
  }
  int32_t junction(PathOp op, int32_t left) {
    if (!predicate(left)) return wrong();
    if (!advance()) return -1;
    const int32_t right = op == PathOp::kOr ? conjunction() : comparison();
    if (right < 0) return -1;
    if (!predicate(right)) return wrong();
    return make(op, left, right);
  }
  int32_t negation() {
    if (!advance()) return -1;
    int32_t inner = -1;
    if (is_symbol("!")) return wrong();
    inner = primary(true);
    if (inner < 0) return -1;
    if (!predicate(inner) || !delimited(inner)) return wrong();
    return with_accessors_kept(make(PathOp::kNot, inner));
  }
  int32_t comparison() {
    static const absl::flat_hash_map<absl::string_view, PathOp> kOperators = {
        {"==", PathOp::kEqual},       {"!=", PathOp::kNotEqual}, {"<>", PathOp::kNotEqual},      {"<", PathOp::kLess},
        {"<=", PathOp::kLessOrEqual}, {">", PathOp::kGreater},   {">=", PathOp::kGreaterOrEqual}};
    if (is_symbol("!") && !kept_) return negation();
    int32_t left = sum();
    if (left < 0) return -1;
    if (predicate(left)) return left;
    if (is_keyword("like_regex")) left = like_regex(left);
    if (left < 0 || predicate(left)) return left;
    if (token_.kind == Kind::kSymbol) {
      const auto it = kOperators.find(token_.text);
      if (it == kOperators.end()) return left;
      if (!advance()) return -1;
      const int32_t right = sum();
      if (right < 0) return -1;
      if (predicate(right)) return wrong();
      return make(it->second, left, right);
    }
    if (is_keyword("starts")) return starts_with(left);
    return left;
  }
  int32_t starts_with(int32_t left) {
    if (!advance()) return -1;
    if (!is_keyword("with")) return wrong();
    if (!advance()) return -1;
    if (token_.kind != Kind::kString && token_.kind != Kind::kVariable) return wrong();
    const int32_t right =
        make_text(token_.kind == Kind::kString ? PathOp::kString : PathOp::kVariable, std::move(token_.text));
    return advance() ? make(PathOp::kStartsWith, left, right) : -1;
  }
  int32_t like_regex(int32_t left) {
    if (!advance()) return -1;
    if (token_.kind != Kind::kString) return wrong();
    const int32_t made = make(PathOp::kLikeRegex, left);
    item(made).text = std::move(token_.text);
    if (!advance()) return -1;
    PathRegexFlags flags;
    if (is_keyword("flag")) {
      if (!advance()) return -1;
      if (token_.kind != Kind::kString) return wrong();
      if (!regex_flags(token_.text, flags) || !advance()) return -1;
    }
    item(made).flags = flags;
    return with_accessors_kept(made);
  }
  bool regex_flags(const std::string& text, PathRegexFlags& flags) {
    for (size_t i = 0; i < text.size(); i++) {
      switch (text[i]) {
        case 'i': flags.ignore_case = true; break;
        case 's': flags.dot_all = true; break;
        case 'm': flags.multi_line = true; break;
        case 'x': flags.expanded = true; break;
        case 'q': flags.quote = true; break;
        default:
          context_.fail(Error(sqlstate::kSyntaxError, "invalid input syntax for type jsonpath")
                            .with_detail("Unrecognized flag character \"" + text.substr(i, utf8_length(text[i])) +
                                         "\" in LIKE_REGEX predicate."));
          return false;
      }
    }
    return true;
  }

  int32_t sum() {
    int32_t left = product();
    while (left >= 0 && (is_symbol("+") || is_symbol("-")))
      left = arithmetic(is_symbol("+") ? PathOp::kAdd : PathOp::kSubtract, left);
    return left;
  }
  int32_t product() {
    int32_t left = sign();
    while (left >= 0 && (is_symbol("*") || is_symbol("/") || is_symbol("%")))
      left = arithmetic(is_symbol("*") ? PathOp::kMultiply : is_symbol("/") ? PathOp::kDivide : PathOp::kModulo, left);
    return left;
  }
  int32_t arithmetic(PathOp op, int32_t left) {
    if (predicate(left)) return wrong();
    if (!advance()) return -1;
    const int32_t right = op == PathOp::kAdd || op == PathOp::kSubtract ? product() : sign();
    if (right < 0) return -1;
    if (predicate(right)) return wrong();
    return make(op, left, right);
  }
  int32_t sign() {
    if (!is_symbol("+") && !is_symbol("-")) return primary();
    const bool minus = is_symbol("-");
    if (stack_remaining() == 0) return too_deep();
    if (!advance()) return -1;
    const int32_t operand = sign();
    if (operand < 0) return -1;
    if (predicate(operand)) return wrong();
    if (item(operand).op == PathOp::kNumeric && item(operand).next < 0) {
      if (minus) item(operand).text = Numeric::from_image(item(operand).text).negated().image();
      return operand;
    }
    return make(minus ? PathOp::kMinus : PathOp::kPlus, operand);
  }
  int32_t too_deep() {
    context_.fail(stack_depth_error());
    return -1;
  }

  // ---- primaries and their accessors
  // `denied`: it stands behind `!`, to which accessors belong where a kept path has them.
  int32_t primary(bool denied = false) {
    if (stack_remaining() == 0) return too_deep();
    int32_t head = -1;
    if (is_symbol("(")) {
      if (!advance()) return -1;
      head = disjunction();
      if (head < 0 || !expect(")")) return -1;
      if (predicate(head)) {
        if (is_keyword("is")) return with_accessors_kept(is_unknown(head));
        if (!is_accessor() || (denied && kept_)) {
          parenthesised_ = head;
          return head;
        }
      }
    } else if (kept_ && is_symbol("!")) {
      return negation();
    } else if (is_keyword("exists")) {
      if (!advance() || !expect("(")) return -1;
      const int32_t inner = disjunction();
      if (inner < 0) return -1;
      if (predicate(inner)) return wrong();
      if (!expect(")")) return -1;
      const int32_t made = make(PathOp::kExists, inner);
      return denied ? made : with_accessors_kept(made);
    } else {
      head = scalar();
    }
    return head < 0 ? -1 : with_accessors(head);
  }
  // Where nobody can write them without parentheses, but paths are kept so.
  int32_t with_accessors_kept(int32_t head) { return head >= 0 && kept_ ? with_accessors(head) : head; }
  int32_t with_accessors(int32_t head) {
    int32_t last = head;
    while (item(last).next >= 0) last = item(last).next;
    while (is_accessor()) {
      const int32_t next = accessor();
      if (next < 0) return -1;
      item(last).next = next;
      last = next;
    }
    return head;
  }
  int32_t is_unknown(int32_t inner) {
    if (!advance()) return -1;
    if (!is_keyword("unknown")) return wrong();
    return advance() ? make(PathOp::kIsUnknown, inner) : -1;
  }
  int32_t scalar() {
    int32_t made = -1;
    switch (token_.kind) {
      case Kind::kString: made = make_text(PathOp::kString, std::move(token_.text)); break;
      case Kind::kVariable: made = make_text(PathOp::kVariable, std::move(token_.text)); break;
      case Kind::kInteger:
      case Kind::kNumber: {
        Numeric n;
        if (parse_numeric(token_.text, n) != NumericParse::kOk) {
          context_.fail(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
          return -1;
        }
        made = make_text(PathOp::kNumeric, n.image());
        break;
      }
      case Kind::kSymbol:
        if (is_symbol("$")) made = make(PathOp::kRoot);
        if (is_symbol("@")) made = make(PathOp::kCurrent);
        break;
      case Kind::kName:
        // These three are case-sensitive.
        if (token_.keyword && token_.text == "null") made = make(PathOp::kNull);
        if (token_.keyword && token_.text == "true") made = make(PathOp::kTrue);
        if (token_.keyword && token_.text == "false") made = make(PathOp::kFalse);
        if (is_keyword("last")) made = make(PathOp::kLast);
        break;
      case Kind::kEnd: break;
    }
    if (made < 0) return wrong();
    return advance() ? made : -1;
  }
  bool is_accessor() const { return is_symbol(".") || is_symbol("[") || is_symbol("?"); }
  int32_t accessor() {
    if (is_symbol("[")) return subscripts();
    if (is_symbol("?")) return filter();
    if (!advance()) return -1;
    if (is_symbol("*")) return advance() ? make(PathOp::kAnyKey) : -1;
    if (is_symbol("**")) return any_levels();
    if (token_.kind != Kind::kName && token_.kind != Kind::kString) return wrong();
    const PathToken name = token_;
    if (!advance()) return -1;
    if (!is_symbol("(") || name.kind == Kind::kString) return make_text(PathOp::kKey, name.text);
    return method(name);
  }
  int32_t method(const PathToken& name) {
    static const absl::flat_hash_map<absl::string_view, PathOp> kMethods = {
        {"type", PathOp::kType},         {"size", PathOp::kSize},        {"abs", PathOp::kAbs},
        {"floor", PathOp::kFloor},       {"ceiling", PathOp::kCeiling},  {"double", PathOp::kDouble},
        {"keyvalue", PathOp::kKeyValue}, {"datetime", PathOp::kDatetime}};
    const auto it = kMethods.find(absl::AsciiStrToLower(name.text));
    if (it == kMethods.end() || !name.keyword) return wrong();
    if (!advance()) return -1;
    int32_t argument = -1;
    if (it->second == PathOp::kDatetime && token_.kind == Kind::kString) {
      argument = make_text(PathOp::kString, std::move(token_.text));
      if (!advance()) return -1;
    }
    return expect(")") ? make(it->second, argument) : -1;
  }
  int32_t filter() {
    if (!advance() || !expect("(")) return -1;
    const int32_t inner = disjunction();
    if (inner < 0) return -1;
    if (!predicate(inner)) return wrong();
    return expect(")") ? make(PathOp::kFilter, inner) : -1;
  }
  int32_t subscripts() {
    if (!advance()) return -1;
    if (is_symbol("*")) {
      if (!advance()) return -1;
      return expect("]") ? make(PathOp::kAnyArray) : -1;
    }
    std::vector<PathItem::Subscript> list;
    do {
      if (!list.empty() && !advance()) return -1;
      PathItem::Subscript s{sum(), -1};
      if (s.from < 0) return -1;
      if (predicate(s.from)) return wrong();
      if (is_keyword("to")) {
        if (!advance()) return -1;
        s.to = sum();
        if (s.to < 0) return -1;
        if (predicate(s.to)) return wrong();
      }
      list.push_back(s);
    } while (is_symbol(","));
    if (!expect("]")) return -1;
    const int32_t made = make(PathOp::kIndexArray);
    item(made).subscripts = std::move(list);
    return made;
  }
  bool level(uint32_t& out) {
    if (is_keyword("last")) {
      out = kPathLastLevel;
      return advance();
    }
    if (token_.kind != Kind::kInteger) return syntax();
    int32_t value = 0;
    if (parse_integer(token_.text, value) != IntegerParse::kOk) {
      context_.fail(sqlstate::kNumericValueOutOfRange,
                    "value \"" + token_.text + "\" is out of range for type integer");
      return false;
    }
    out = static_cast<uint32_t>(value);
    return advance();
  }
  int32_t any_levels() {
    if (!advance()) return -1;
    uint32_t first = 0, last = kPathLastLevel;
    if (is_symbol("{")) {
      if (!advance() || !level(first)) return -1;
      last = first;
      if (is_keyword("to") && (!advance() || !level(last))) return -1;
      if (!expect("}")) return -1;
    }
    const int32_t made = make(PathOp::kAny);
    item(made).first = first;
    item(made).last = last;
    return made;
  }

  // What stands only in certain places; patterns compile.
  bool check(int32_t at, int filters, bool in_subscript) {
    if (stack_remaining() == 0) return too_deep() >= 0;
    for (; at >= 0; at = item(at).next) {
      const PathItem& p = item(at);
      if (p.op == PathOp::kCurrent && filters == 0) return refuse("@ is not allowed in root expressions");
      if (p.op == PathOp::kLast && !in_subscript) return refuse("LAST is allowed only in array subscripts");
      if (p.op == PathOp::kLikeRegex && !check_regex(p)) return false;
      if (p.left >= 0 && !check(p.left, filters + (p.op == PathOp::kFilter), in_subscript)) return false;
      if (p.right >= 0 && !check(p.right, filters, in_subscript)) return false;
      for (const PathItem::Subscript& s : p.subscripts)
        if (!check(s.from, filters, true) || (s.to >= 0 && !check(s.to, filters, true))) return false;
    }
    return true;
  }
  bool refuse(const char* message) {
    context_.fail(sqlstate::kSyntaxError, message);
    return false;
  }
  bool check_regex(const PathItem& p) {
    if (p.flags.expanded && !p.flags.quote) {
      context_.fail(sqlstate::kFeatureNotSupported,
                    "XQuery \"x\" flag (expanded regular expressions) is not implemented");
      return false;
    }
    return Regex::compile(context_, p.text, regex_flags_of(p.flags)) != nullptr;
  }

  FuncContext& context_;
  PathLexer lexer_;
  JsonPath& path_;
  const bool kept_;
  PathToken token_;
  int32_t parenthesised_ = -1;  // the latest predicate in parentheses
};

}  // namespace

RegexFlags regex_flags_of(const PathRegexFlags& f) {
  RegexFlags out;
  out.ignore_case = f.ignore_case;
  out.literal = f.quote;
  out.newline_stops = !f.quote && !f.dot_all;
  out.newline_anchors = !f.quote && f.multi_line;
  return out;
}

bool parse_json_path(FuncContext& context, Str text, JsonPath& path, bool kept) {
  if (text.find_first_not_of(" \t\n\r\f\v") == Str::npos) {
    context.fail(sqlstate::kInvalidTextRepresentation,
                 "invalid input syntax for type jsonpath: \"" + std::string(text) + "\"");
    return false;
  }
  return PathParser(context, text, path, kept).run();
}

}  // namespace indigo::types
