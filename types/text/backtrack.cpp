#include "types/text/backtrack.h"

#include "base/fiber/long_work.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

using Op = BacktrackRegex::Op;
using Instruction = BacktrackRegex::Instruction;

uint32_t fold(uint32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
bool is_word(uint32_t c) { return c == '_' || (c < 128 && is_alnum(static_cast<char>(c))); }

// Running a program from a position: the registers, and the choices not yet taken.
struct Choice {
  uint32_t pc;   // kRestore: put a register back
  size_t value;  // position, or the register's old value
  uint32_t reg;
};
constexpr uint32_t kRestore = UINT32_MAX;

}  // namespace

bool BacktrackRegex::CharacterSet::has(uint32_t c) const {
  bool in = c < 128 ? ascii[c] : false;
  for (size_t i = 0; !in && i < ranges.size(); i++) in = c >= ranges[i].first && c <= ranges[i].second;
  return in != negated;
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
  bool at_word_start(size_t at) const {
    return at < text_.size() && is_word(utf8_decode(text_, at)) &&
           (at == 0 || !is_word(static_cast<uint8_t>(text_[at - 1])));
  }
  bool at_word_end(size_t at) const {
    return at > 0 && is_word(static_cast<uint8_t>(text_[at - 1])) &&
           (at >= text_.size() || !is_word(utf8_decode(text_, at)));
  }
  bool holds(char assertion, size_t at) const {
    switch (assertion) {
      case '^': return at == 0 || (regex_.options_.multi_line && text_[at - 1] == '\n');
      case '$': return at == text_.size() || (regex_.options_.multi_line && text_[at] == '\n');
      case 'A': return at == 0;
      case 'z': return at == text_.size();
      case 'b': return at_word_start(at) || at_word_end(at);
      default: return !at_word_start(at) && !at_word_end(at);
    }
  }
  bool reference(uint32_t group, size_t& at) const {
    const size_t from = registers_[2 * group], to = registers_[2 * group + 1];
    if (from == Str::npos || to == Str::npos) return false;
    const Str wanted = text_.substr(from, to - from);
    const Str here = text_.substr(at, wanted.size());
    if (here.size() != wanted.size()) return false;
    note_work(here.size());
    for (size_t i = 0; i < here.size(); i++) {
      const bool same = regex_.options_.ignore_case
                            ? fold(static_cast<uint8_t>(here[i])) == fold(static_cast<uint8_t>(wanted[i]))
                            : here[i] == wanted[i];
      if (!same) return false;
    }
    at += wanted.size();
    return true;
  }
  bool character(const Instruction& in, size_t& at) const {
    note_work(8);
    if (at >= text_.size()) return false;
    uint32_t c = utf8_decode(text_, at);
    const size_t length = utf8_length(text_[at]);
    bool ok = false;
    switch (in.op) {
      case Op::kCharacter: ok = c == in.x || (regex_.options_.ignore_case && fold(c) == fold(in.x)); break;
      case Op::kAny: ok = regex_.options_.dot_newline || c != '\n'; break;
      default: {
        const CharacterSet& set = regex_.sets_[in.x];
        ok = set.has(c);
        if (regex_.options_.ignore_case && c < 128 && is_alpha(static_cast<char>(c)) && ok == set.negated)
          ok = set.has(c ^ 32);
        break;
      }
    }
    at += length;
    return ok;
  }
  bool look(const Instruction& in, uint32_t pc, size_t at) {
    bool found = false;
    if (in.op == Op::kAhead) {
      found = run(pc + 1, at, Str::npos, false);
    } else {
      for (size_t from = at + 1; !found && from-- > 0 && !too_complex();) found = run(pc + 1, from, at, false);
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
