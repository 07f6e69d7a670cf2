// The backtracking machine's compiler: pattern to tree, tree to program.
#include <algorithm>

#include <unicode/uchar.h>

#include "base/fiber/stack.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/text/backtrack.h"

namespace indigo::types {

namespace {

constexpr int kUnlimited = -1, kMaxRepeat = 255;
constexpr uint32_t kLastCharacter = 0x10ffff;

struct Node {
  enum class Kind : uint8_t {
    kCharacter,
    kAny,
    kSet,
    kAssert,
    kReference,
    kSequence,
    kChoice,
    kGroup,
    kRepeat,
    kAhead,
    kBehind
  };
  Kind kind = Kind::kSequence;
  uint32_t value = 0;  // character, set, assertion, group
  bool flag = false;   // negated lookaround; lazy repeat
  int min = 0, max = 0;
  std::vector<Node> children;
};
using Kind = Node::Kind;

}  // namespace

class BacktrackRegex::Compiler {
 public:
  Compiler(Str pattern, BacktrackRegex& out) : in_(pattern), out_(out) {}
  const char* error = nullptr;

  bool run() {
    Node root;
    if (!alternatives(root)) return false;
    if (at_ < in_.size()) return fail("parentheses () not balanced");
    if (references_ > out_.groups_) return fail("invalid backreference number");
    out_.registers_ = static_cast<uint32_t>(2 * (out_.groups_ + 1));
    emit({Op::kSave, false, 0, 0});
    if (!write(root)) return false;
    emit({Op::kSave, false, 1, 0});
    emit({Op::kMatch});
    return true;
  }

 private:
  bool fail(const char* message) {
    if (error == nullptr) error = message;
    return false;
  }
  bool more() const { return at_ < in_.size(); }

  // ---- parsing
  bool alternatives(Node& node) {
    if (stack_remaining() == 0) return fail("regular expression is too complex");
    node.kind = Kind::kChoice;
    do {
      if (!node.children.empty()) at_++;  // the bar
      Node branch;
      while (more() && in_[at_] != '|' && in_[at_] != ')')
        if (!piece(branch)) return false;
      node.children.push_back(std::move(branch));
    } while (more() && in_[at_] == '|');
    return true;
  }
  bool piece(Node& sequence) {
    Node atom;
    if (!parse_atom(atom)) return false;
    if (more() && Str("*+?{").find(in_[at_]) != Str::npos) {
      if (atom.kind == Kind::kAhead || atom.kind == Kind::kBehind) return fail("quantifier operand invalid");
      Node repeat;
      repeat.kind = Kind::kRepeat;
      repeat.max = kUnlimited;
      const char c = in_[at_];
      if (c == '*') {
        at_++;
      } else if (c == '+') {
        repeat.min = 1;
        at_++;
      } else if (c == '?') {
        repeat.max = 1;
        at_++;
      } else if (!bounds(repeat)) {
        return false;
      }
      if (more() && in_[at_] == '?') {
        repeat.flag = true;
        at_++;
      }
      repeat.children.push_back(std::move(atom));
      atom = std::move(repeat);
      if (more() && Str("*+?{").find(in_[at_]) != Str::npos) return fail("quantifier operand invalid");
    }
    sequence.children.push_back(std::move(atom));
    return true;
  }
  bool bounds(Node& repeat) {
    const auto number = [this](int& out) {
      int n = 0;
      const size_t from = at_;
      while (more() && is_digit(in_[at_]) && n <= kMaxRepeat) n = n * 10 + (in_[at_++] - '0');
      out = n;
      return at_ > from && n <= kMaxRepeat;
    };
    at_++;
    if (!number(repeat.min)) return fail("invalid repetition count(s)");
    repeat.max = repeat.min;
    if (more() && in_[at_] == ',') {
      at_++;
      repeat.max = kUnlimited;
      if (more() && is_digit(in_[at_]) && !number(repeat.max)) return fail("invalid repetition count(s)");
    }
    if (!more() || in_[at_] != '}') return fail("invalid repetition count(s)");
    at_++;
    if (repeat.max != kUnlimited && repeat.max < repeat.min) return fail("invalid repetition count(s)");
    return true;
  }
  bool group(Node& node) {
    at_++;
    const Str rest = in_.substr(at_);
    struct Opening {
      Str text;
      Kind kind;
      bool negated;
    };
    constexpr Opening kOpenings[] = {{"?<=", Kind::kBehind, false},
                                     {"?<!", Kind::kBehind, true},
                                     {"?=", Kind::kAhead, false},
                                     {"?!", Kind::kAhead, true},
                                     {"?:", Kind::kSequence, false}};
    bool found = false;
    for (const Opening& o : kOpenings) {
      if (found || !rest.starts_with(o.text)) continue;
      found = true;
      at_ += o.text.size();
      node.kind = o.kind;
      node.flag = o.negated;
    }
    if (!found) {
      if (rest.starts_with("?")) return fail("quantifier operand invalid");
      node.kind = Kind::kGroup;
      node.value = static_cast<uint32_t>(++out_.groups_);
    }
    Node inner;
    if (!alternatives(inner)) return false;
    if (!more()) return fail("parentheses () not balanced");
    at_++;
    node.children.push_back(std::move(inner));
    return true;
  }
  bool parse_atom(Node& node) {
    const char c = in_[at_];
    switch (c) {
      case '(': return group(node);
      case '[': return bracket(node);
      case '\\': return escape(node);
      case '*':
      case '+':
      case '?':
      case '{': return fail("quantifier operand invalid");
      case '.': node.kind = Kind::kAny; break;
      case '^':
      case '$':
        node.kind = Kind::kAssert;
        node.value = static_cast<uint8_t>(c);
        break;
      default:
        node.kind = Kind::kCharacter;
        node.value = utf8_decode(in_, at_);
        at_ += utf8_length(c);
        return true;
    }
    at_++;
    return true;
  }
  // \x{...}, \n and the like: behind the backslash.
  bool character_escape(uint32_t& code) {
    const char c = in_[at_];
    constexpr Str kNames = "afnrtv", kCodes = "\a\f\n\r\t\v";
    if (const size_t i = kNames.find(c); i != Str::npos) {
      code = static_cast<uint8_t>(kCodes[i]);
      at_++;
      return true;
    }
    if (c != 'x') {
      code = utf8_decode(in_, at_);
      at_ += utf8_length(c);
      return true;
    }
    at_++;
    const bool braces = more() && in_[at_] == '{';
    if (braces) at_++;
    code = 0;
    for (int n = 0; more() && hex_value(in_[at_]) >= 0 && n < (braces ? 8 : 2); n++)
      code = code * 16 + static_cast<uint32_t>(hex_value(in_[at_++]));
    if (braces) {
      if (!more() || in_[at_] != '}') return fail("invalid escape \\ sequence");
      at_++;
    }
    return true;
  }
  // \p{L}, \P{Nd}: behind the backslash. What the translator writes, and nothing else.
  bool category(CharacterSet& set) {
    struct Category {
      Str name;
      uint32_t mask;
    };
    constexpr Category kCategories[] = {
        {"L", U_GC_L_MASK},   {"Ll", U_GC_LL_MASK}, {"Lu", U_GC_LU_MASK}, {"M", U_GC_M_MASK}, {"N", U_GC_N_MASK},
        {"Nd", U_GC_ND_MASK}, {"P", U_GC_P_MASK},   {"S", U_GC_S_MASK},   {"Z", U_GC_Z_MASK}, {"Co", U_GC_CO_MASK}};
    const bool others = in_[at_] == 'P';
    const size_t close = in_.find('}', at_);
    if (!out_.options_.unicode || close == Str::npos) return fail("invalid escape \\ sequence");
    const Str name = in_.substr(at_ + 2, close - at_ - 2);
    for (const Category& known : kCategories) {
      if (known.name != name) continue;
      set.categories |= others ? ~known.mask : known.mask;
      at_ = close + 1;
      return true;
    }
    return fail("invalid escape \\ sequence");
  }
  void add_class(char name, CharacterSet& set) const {
    if (out_.options_.unicode && name == 'w') set.categories |= U_GC_L_MASK | U_GC_ND_MASK;
    for (uint32_t c = 0; c < 128; c++) {
      const bool in = name == 'd'   ? is_digit(static_cast<char>(c))
                      : name == 's' ? is_blank(static_cast<char>(c))
                                    : is_word_byte(c);
      if (in) set.ascii[c] = true;
    }
  }
  static bool is_word_byte(uint32_t c) { return c == '_' || is_alnum(static_cast<char>(c)); }
  uint32_t add_set(CharacterSet set) {
    auto& ranges = set.ranges;
    std::sort(ranges.begin(), ranges.end());
    size_t kept = 0;
    for (const auto& range : ranges) {
      if (kept > 0 && range.first <= ranges[kept - 1].second) {
        ranges[kept - 1].second = std::max(ranges[kept - 1].second, range.second);
      } else {
        ranges[kept++] = range;
      }
    }
    ranges.resize(kept);
    out_.sets_.push_back(std::move(set));
    return static_cast<uint32_t>(out_.sets_.size()) - 1;
  }
  bool escape(Node& node) {
    at_++;
    if (!more()) return fail("invalid escape \\ sequence");
    const char c = in_[at_];
    if (c >= '1' && c <= '9') {
      node.kind = Kind::kReference;
      node.value = static_cast<uint32_t>(c - '0');
      references_ = std::max(references_, c - '0');
      at_++;
      return true;
    }
    if (Str("AzbB").find(c) != Str::npos) {
      node.kind = Kind::kAssert;
      node.value = static_cast<uint8_t>(c);
      at_++;
      return true;
    }
    if (Str("dswDSW").find(c) != Str::npos) {
      CharacterSet set;
      set.negated = c < 'a';
      add_class(static_cast<char>(c | 32), set);
      node.kind = Kind::kSet;
      node.value = add_set(std::move(set));
      at_++;
      return true;
    }
    node.kind = Kind::kCharacter;
    return character_escape(node.value);
  }
  bool named_class(CharacterSet& set) {
    const size_t close = in_.find(":]", at_ + 2);
    if (close == Str::npos) return fail("brackets [] not balanced");
    const Str name = in_.substr(at_ + 2, close - at_ - 2);
    at_ = close + 2;
    bool known = false;
    const auto add = [&](Str wanted, auto&& belongs) {
      if (name != wanted) return;
      known = true;
      for (uint32_t c = 0; c < 128; c++)
        if (belongs(static_cast<char>(c))) set.ascii[c] = true;
    };
    add("alpha", [](char c) { return is_alpha(c); });
    add("digit", [](char c) { return is_digit(c); });
    add("alnum", [](char c) { return is_alnum(c); });
    add("space", [](char c) { return is_blank(c); });
    add("blank", [](char c) { return c == ' ' || c == '\t'; });
    add("upper", [](char c) { return c >= 'A' && c <= 'Z'; });
    add("lower", [](char c) { return c >= 'a' && c <= 'z'; });
    add("xdigit", [](char c) { return hex_value(c) >= 0; });
    add("word", [](char c) { return c == '_' || is_alnum(c); });
    add("cntrl", [](char c) { return c < 32 || c == 127; });
    add("print", [](char c) { return c >= 32 && c < 127; });
    add("graph", [](char c) { return c > 32 && c < 127; });
    add("punct", [](char c) { return c > 32 && c < 127 && !is_alnum(c); });
    return known || fail("invalid character class");
  }
  bool bracket(Node& node) {
    CharacterSet set;
    at_++;
    if (more() && in_[at_] == '^') {
      set.negated = true;
      at_++;
    }
    while (true) {
      if (!more()) return fail("brackets [] not balanced");
      if (in_[at_] == ']') break;
      if (in_.substr(at_, 2) == "[:") {
        if (!named_class(set)) return false;
        continue;
      }
      uint32_t low = 0, high = 0;
      bool is_class = false;
      if (!set_end(set, low, is_class)) return false;
      if (is_class) continue;
      high = low;
      if (at_ + 1 < in_.size() && in_[at_] == '-' && in_[at_ + 1] != ']') {
        at_++;
        if (!set_end(set, high, is_class)) return false;
        if (is_class || high < low) return fail("invalid character range");
      }
      for (uint32_t c = low; c <= high && c < 128; c++) set.ascii[c] = true;
      if (high >= 128) set.ranges.emplace_back(std::max<uint32_t>(low, 128), high);
    }
    at_++;
    node.kind = Kind::kSet;
    node.value = add_set(std::move(set));
    return true;
  }
  bool set_end(CharacterSet& set, uint32_t& code, bool& is_class) {
    if (!more()) return fail("brackets [] not balanced");
    if (in_[at_] != '\\') {
      code = utf8_decode(in_, at_);
      at_ += utf8_length(in_[at_]);
      return true;
    }
    at_++;
    if (!more()) return fail("invalid escape \\ sequence");
    if (Str("dsw").find(in_[at_]) != Str::npos) {
      add_class(in_[at_++], set);
      is_class = true;
      return true;
    }
    if (Str("DSW").find(in_[at_]) != Str::npos) {
      CharacterSet others;
      add_class(static_cast<char>(in_[at_++] | 32), others);
      for (size_t c = 0; c < 128; c++) set.ascii[c] = set.ascii[c] || !others.ascii[c];
      set.ranges.emplace_back(128, kLastCharacter);
      is_class = true;
      return true;
    }
    if (in_[at_] == 'p' || in_[at_] == 'P') {
      is_class = true;
      return category(set);
    }
    return character_escape(code);
  }

  // ---- writing
  void emit(Instruction in) { out_.code_.push_back(in); }
  uint32_t here() const { return static_cast<uint32_t>(out_.code_.size()); }
  Instruction& at(uint32_t pc) { return out_.code_[pc]; }

  bool write(const Node& node) {
    if (stack_remaining() == 0 || out_.code_.size() > kMaxInstructions)
      return fail("regular expression is too complex");
    switch (node.kind) {
      case Kind::kCharacter: emit({Op::kCharacter, false, node.value, 0}); return true;
      case Kind::kAny: emit({Op::kAny}); return true;
      case Kind::kSet: emit({Op::kSet, false, node.value, 0}); return true;
      case Kind::kAssert: emit({Op::kAssert, false, node.value, 0}); return true;
      case Kind::kReference: emit({Op::kReference, false, node.value, 0}); return true;
      case Kind::kSequence: return write_all(node);
      case Kind::kChoice: return write_choice(node);
      case Kind::kGroup:
        emit({Op::kSave, false, 2 * node.value, 0});
        if (!write_all(node)) return false;
        emit({Op::kSave, false, 2 * node.value + 1, 0});
        return true;
      case Kind::kRepeat: return write_repeat(node);
      case Kind::kAhead:
      case Kind::kBehind: {
        const uint32_t look = here();
        emit({node.kind == Kind::kAhead ? Op::kAhead : Op::kBehind, node.flag, 0, 0});
        if (!write_all(node)) return false;
        emit({Op::kMatch});
        at(look).y = here();
        return true;
      }
    }
    return false;
  }
  bool write_all(const Node& node) {
    for (const Node& child : node.children)
      if (!write(child)) return false;
    return true;
  }
  bool write_choice(const Node& node) {
    std::vector<uint32_t> ends;
    for (size_t i = 0; i < node.children.size(); i++) {
      const bool last = i + 1 == node.children.size();
      const uint32_t split = here();
      if (!last) emit({Op::kSplit, false, split + 1, 0});
      if (!write(node.children[i])) return false;
      if (last) break;
      ends.push_back(here());
      emit({Op::kJump});
      at(split).y = here();
    }
    for (uint32_t end : ends) at(end).x = here();
    return true;
  }
  bool write_repeat(const Node& node) {
    for (int i = 0; i < node.min; i++)
      if (!write_all(node)) return false;
    const auto split = [&] {
      emit({Op::kSplit});
      return here() - 1;
    };
    const auto direct = [&](uint32_t pc, uint32_t body, uint32_t end) {
      at(pc).x = node.flag ? end : body;
      at(pc).y = node.flag ? body : end;
    };
    if (node.max == kUnlimited) {
      const uint32_t reg = out_.registers_++, loop = split();
      emit({Op::kSave, false, reg, 0});
      if (!write_all(node)) return false;
      emit({Op::kProgress, false, reg, 0});
      emit({Op::kJump, false, loop, 0});
      direct(loop, loop + 1, here());
      return true;
    }
    std::vector<uint32_t> splits;
    for (int i = node.min; i < node.max; i++) {
      splits.push_back(split());
      if (!write_all(node)) return false;
    }
    for (uint32_t pc : splits) direct(pc, pc + 1, here());
    return true;
  }

  Str in_;
  size_t at_ = 0;
  int references_ = 0;
  BacktrackRegex& out_;
};

std::unique_ptr<BacktrackRegex> BacktrackRegex::compile(Str pattern, const BacktrackOptions& options,
                                                        const char*& error) {
  std::unique_ptr<BacktrackRegex> out(new BacktrackRegex());
  out->options_ = options;
  Compiler compiler(pattern, *out);
  if (compiler.run()) return out;
  error = compiler.error;
  return nullptr;
}

}  // namespace indigo::types
