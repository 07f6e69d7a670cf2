#include "types/text/backtrack.h"

#include <algorithm>

#include <unicode/uchar.h>

#include "base/fiber/long_work.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

using Op = BacktrackRegex::Op;
using Instruction = BacktrackRegex::Instruction;

uint32_t lower(uint32_t c, bool unicode) {
  if (c < 128 || !unicode) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return static_cast<uint32_t>(u_tolower(static_cast<UChar32>(c)));
}
bool is_word(uint32_t c, bool unicode) {
  if (c < 128 || !unicode) return c == '_' || (c < 128 && is_alnum(static_cast<char>(c)));
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_L_MASK | U_GC_ND_MASK)) != 0;
}
// Where the character before `at` begins; `at` is not 0.
size_t before(Str text, size_t at) {
  at--;
  while (at > 0 && utf8_continuation(text[at])) at--;
  return at;
}

// Running a program from a position: the registers, and the choices not yet taken.
struct Choice {
  uint32_t pc;   // kRestore: put a register back
  size_t value;  // position, or the register's old value
  uint32_t reg;
};
constexpr uint32_t kRestore = UINT32_MAX;

}  // namespace

bool BacktrackRegex::CharacterSet::has(uint32_t c) const {
  if (c < 128 && ascii[c]) return !negated;
  if (categories != 0 && (U_GET_GC_MASK(static_cast<UChar32>(c)) & categories) != 0) return !negated;
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](uint32_t value, const auto& range) { return value < range.first; });
  return (after != ranges.begin() && c <= std::prev(after)->second) != negated;
}

class BacktrackRegex::Machine {
 public:
  Machine(const BacktrackRegex& regex, Str text)
      : regex_(regex), text_(text), registers_(regex.registers_, Str::npos) {}

  uint64_t steps = 0;
  bool too_complex() const { return steps > kMaxSteps; }
  const std::vector<size_t>& best() const { return best_; }

  // The whole program from `at`; true: best() has the registers.
  bool match(size_t at) {
    std::fill(registers_.begin(), registers_.end(), Str::npos);
    best_end_ = Str::npos;
    (void)run(0, at, Str::npos, regex_.options_.longest);
    return best_end_ != Str::npos;
  }

 private:
  bool word_at(size_t at) const { return is_word(utf8_decode(text_, at), regex_.options_.unicode); }
  bool word_before(size_t at) const { return at > 0 && word_at(before(text_, at)); }
  bool word_behind(size_t at) const { return at < text_.size() && word_at(at); }
  bool holds(char assertion, size_t at) const {
    switch (assertion) {
      case '^': return at == 0 || (regex_.options_.multi_line && text_[at - 1] == '\n');
      case '$': return at == text_.size() || (regex_.options_.multi_line && text_[at] == '\n');
      case 'A': return at == 0;
      case 'z': return at == text_.size();
      case 'b': return word_before(at) != word_behind(at);
      default: return word_before(at) == word_behind(at);
    }
  }
  bool reference(uint32_t group, size_t& at) const {
    const size_t from = registers_[2 * group], to = registers_[2 * group + 1];
    if (from == Str::npos || to == Str::npos) return false;
    const Str wanted = text_.substr(from, to - from);
    note_work(wanted.size());
    if (!regex_.options_.ignore_case) {
      if (!text_.substr(at).starts_with(wanted)) return false;
      at += wanted.size();
      return true;
    }
    // Letter by letter: the two cases of one may have different lengths.
    for (size_t i = 0; i < wanted.size(); i += utf8_length(wanted[i])) {
      if (at >= text_.size() || !same_letter(utf8_decode(wanted, i), utf8_decode(text_, at))) return false;
      at += utf8_length(text_[at]);
    }
    return true;
  }
  bool same_letter(uint32_t a, uint32_t b) const {
    const bool unicode = regex_.options_.unicode;
    return a == b || lower(a, unicode) == lower(b, unicode);
  }
  bool character(const Instruction& in, size_t& at) const {
    note_work(8);
    if (at >= text_.size()) return false;
    uint32_t c = utf8_decode(text_, at);
    const size_t length = utf8_length(text_[at]);
    bool ok = false;
    switch (in.op) {
      case Op::kCharacter: ok = c == in.x; break;
      case Op::kAny: ok = regex_.options_.dot_newline || c != '\n'; break;
      default: ok = regex_.sets_[in.x].has(c); break;
    }
    at += length;
    return ok;
  }
  bool look(const Instruction& in, uint32_t pc, size_t at) {
    bool found = false;
    if (in.op == Op::kAhead) {
      found = run(pc + 1, at, Str::npos, false);
    } else {
      for (size_t from = at;; from = before(text_, from)) {
        found = run(pc + 1, from, at, false);
        if (found || from == 0 || too_complex()) break;
      }
    }
    return found != in.flag;
  }

  // `must_end`: where a lookbehind has to end. A lookaround's program answers at its kMatch; the outermost keeps the best.
  bool run(uint32_t pc, size_t at, size_t must_end, bool longest) {
    const bool outermost = pc == 0;
    std::vector<Choice> choices;
    choices.push_back({pc, at, 0});
    while (!choices.empty()) {
      const Choice choice = choices.back();
      choices.pop_back();
      if (choice.pc == kRestore) {
        registers_[choice.reg] = choice.value;
        continue;
      }
      pc = choice.pc;
      at = choice.value;
      for (bool alive = true; alive;) {
        if (++steps > kMaxSteps) return false;
        const Instruction& in = regex_.code_[pc];
        switch (in.op) {
          case Op::kCharacter:
          case Op::kAny:
          case Op::kSet: alive = character(in, at); break;
          case Op::kSplit:
            choices.push_back({in.y, at, 0});
            pc = in.x;
            continue;
          case Op::kJump: pc = in.x; continue;
          case Op::kSave:
            choices.push_back({kRestore, registers_[in.x], in.x});
            registers_[in.x] = at;
            break;
          case Op::kProgress: alive = registers_[in.x] != at; break;
          case Op::kAssert: alive = holds(static_cast<char>(in.x), at); break;
          case Op::kReference: alive = reference(in.x, at); break;
          case Op::kAhead:
          case Op::kBehind: {
            const std::vector<size_t> saved = registers_;
            alive = look(in, pc, at);
            // What a lookaround captured counts outside, until another way is tried.
            if (!alive || in.flag) registers_ = saved;
            for (uint32_t r = 0; r < saved.size(); r++)
              if (registers_[r] != saved[r]) choices.push_back({kRestore, saved[r], r});
            if (alive) {
              pc = in.y;
              continue;
            }
            break;
          }
          case Op::kMatch:
            if (!outermost) {
              if (must_end == Str::npos || at == must_end) return true;
            } else if (best_end_ == Str::npos || at > best_end_) {
              best_end_ = at;
              best_ = registers_;
              if (!longest || at == text_.size()) return true;
            }
            alive = false;
            break;
        }
        pc++;
      }
    }
    return false;
  }

  const BacktrackRegex& regex_;
  const Str text_;
  std::vector<size_t> registers_, best_;
  size_t best_end_ = Str::npos;
};

BacktrackRegex::Outcome BacktrackRegex::find(Str text, size_t from, std::span<Str> found) const {
  Machine machine(*this, text);
  for (size_t at = from; at <= text.size(); at += at < text.size() ? utf8_length(text[at]) : 1) {
    if (machine.match(at)) {
      for (size_t g = 0; g < found.size(); g++) {
        const size_t begin = machine.best()[2 * g], end = machine.best()[2 * g + 1];
        found[g] = begin == Str::npos || end == Str::npos ? Str() : text.substr(begin, end - begin);
      }
      return Outcome::kMatch;
    }
    if (machine.too_complex()) return Outcome::kTooComplex;
  }
  return Outcome::kNone;
}

}  // namespace indigo::types
