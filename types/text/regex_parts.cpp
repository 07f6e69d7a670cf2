#include "types/text/regex_parts.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/text/regex_steps.h"

namespace indigo::types {

namespace {

constexpr int kNoBound = -1;
// The bytes of all parts' texts together: each may become a program of its own.
constexpr size_t kMaxPartBytes = size_t{1} << 20;
// Of a part's program, where that is enough: there may be hundreds of them.
constexpr int64_t kPartMemory = int64_t{1} << 20;

// What a part prefers, whether parts within it differ in that, and whether it has groups.
constexpr unsigned kLonger = 1, kShorter = 2, kMixed = 4, kGroups = 8;

unsigned preference(unsigned flags) { return flags & (kLonger | kShorter); }
unsigned passed_up(unsigned flags) {
  return (flags & (kMixed | kGroups)) | (preference(flags) == (kLonger | kShorter) ? kMixed : 0);
}
// Of a part that begins with `first`.
unsigned combined(unsigned first, unsigned second) {
  return passed_up(first | second) | (preference(first) != 0 ? preference(first) : preference(second));
}

}  // namespace

struct RegexParts::Part {
  enum class Kind : uint8_t { kPlain, kGroup, kSequence, kChoice, kRounds };
  Kind kind = Kind::kPlain;
  unsigned flags = 0;
  Str text;
  int group = 0;                                 // kGroup
  int most = kNoBound;                           // kRounds: from none to so many
  std::vector<std::unique_ptr<Part>> children;   // kSequence: two
  std::unique_ptr<re2::RE2> program;             // made when first asked
  std::vector<std::unique_ptr<re2::RE2>> later;  // kRounds: what so many more rounds match
};

RegexParts::RegexParts() = default;
RegexParts::~RegexParts() = default;

// The same tree as Spencer's parser makes: a branch is what comes before the first part that has groups or another preference,
// then that part, then the rest as a branch of its own.
class RegexParts::Reader {
 public:
  explicit Reader(RegexParts& out) : out_(out), in_(out.text_) {}

  std::unique_ptr<Part> run() {
    auto root = choice();
    return failed_ || at_ < in_.size() ? nullptr : std::move(root);
  }

 private:
  using PartPtr = std::unique_ptr<Part>;
  using Kind = Part::Kind;
  struct Quantifier {
    int least = 1, most = 1;
    unsigned preferred = 0;
  };

  bool ends_branch() const { return failed_ || at_ >= in_.size() || in_[at_] == '|' || in_[at_] == ')'; }
  Str since(size_t from) const { return in_.substr(from, at_ - from); }

  PartPtr make(Kind kind, unsigned flags, Str text) {
    auto part = std::make_unique<Part>();
    part->kind = kind;
    part->flags = flags;
    part->text = text;
    bytes_ += text.size();
    failed_ |= bytes_ > kMaxPartBytes;
    return part;
  }

  PartPtr choice() {
    if (stack_remaining() == 0) failed_ = true;
    const size_t from = at_;
    auto out = make(Kind::kChoice, kLonger, Str());
    while (!failed_) {
      out->children.push_back(branch());
      out->flags |= passed_up(out->flags | out->children.back()->flags);
      if (at_ >= in_.size() || in_[at_] != '|') break;
      at_++;
    }
    if (failed_) return out;
    if (out->children.size() == 1) return std::move(out->children[0]);
    out->text = since(from);
    return out;
  }

  PartPtr branch() {
    if (stack_remaining() == 0) failed_ = true;
    const size_t from = at_;
    unsigned before = 0;
    while (!ends_branch()) {
      const size_t atom_from = at_;
      const bool grouped = in_[at_] == '(';
      PartPtr part = atom();
      const Str atom_text = since(atom_from);
      const Quantifier quantifier = quantity();
      if (failed_ || quantifier.most == 0) continue;
      const unsigned all = before | quantifier.preferred | part->flags;
      if (!grouped && (passed_up(all) & (kMixed | kGroups)) == 0) {
        before = all;
        continue;
      }
      unsigned flags = combined(quantifier.preferred, part->flags);
      part = repeated(std::move(part), quantifier, atom_text, since(atom_from));
      if (ends_branch()) {
        flags = part->flags;
      } else {
        PartPtr rest = branch();
        if (failed_) break;
        flags |= combined(flags, rest->flags);
        part = sequence(std::move(part), std::move(rest), flags, since(atom_from));
      }
      if (failed_ || atom_from == from) return part;
      const Str head = in_.substr(from, atom_from - from);
      return sequence(make(Kind::kPlain, before, head), std::move(part), before | combined(before, flags), since(from));
    }
    return make(Kind::kPlain, before, since(from));
  }

  PartPtr sequence(PartPtr first, PartPtr second, unsigned flags, Str text) {
    auto out = make(Kind::kSequence, flags, text);
    out->children.push_back(std::move(first));
    out->children.push_back(std::move(second));
    return out;
  }

  PartPtr repeated(PartPtr part, const Quantifier& q, Str atom_text, Str text) {
    const unsigned own = part->flags & (kLonger | kShorter | kMixed);
    if (q.least == 1 && q.most == 1 && (q.preferred == 0 || own == 0 || own == q.preferred)) return part;
    const unsigned flags = combined(q.preferred, part->flags);
    if ((part->flags & kGroups) == 0) return make(Kind::kPlain, flags, text);
    if (q.least == 0) {
      auto out = make(Kind::kRounds, flags, text);
      out->most = q.most;
      out->children.push_back(std::move(part));
      return out;
    }
    // The groups are those of the last round.
    auto rounds = make(Kind::kPlain, preference(flags), rounds_text(atom_text, q.least - 1, q.most));
    return sequence(std::move(rounds), std::move(part), flags, text);
  }
  Str rounds_text(Str atom_text, int least, int most) {
    std::string text = "(?:" + std::string(atom_text) + "){" + std::to_string(least) + ",";
    if (most != kNoBound) text += std::to_string(most - 1);
    return out_.made_.emplace_back(text + "}");
  }

  PartPtr atom() {
    const size_t from = at_;
    switch (in_[at_]) {
      case '(': {
        const bool plain = in_.substr(at_).starts_with("(?:");
        at_ += plain ? 3 : 1;
        const int group = plain ? 0 : ++groups_;
        auto inner = choice();
        if (failed_ || at_ >= in_.size()) break;
        at_++;
        if (plain) return inner;
        auto out = make(Kind::kGroup, inner->flags | kGroups, since(from));
        out->group = group;
        out->children.push_back(std::move(inner));
        return out;
      }
      case '[': skip_bracket(); break;
      case '\\': skip_escape(); break;
      default: at_ += utf8_length(in_[at_]);
    }
    at_ = std::min(at_, in_.size());
    return make(Kind::kPlain, 0, since(from));
  }
  void skip_escape() {
    const Str rest = in_.substr(at_);
    const char c = rest.size() > 1 ? rest[1] : '\0';
    if (rest.size() > 2 && rest[2] == '{' && (c == 'x' || c == 'p' || c == 'P')) {
      const size_t close = rest.find('}');
      at_ += close == Str::npos ? rest.size() : close + 1;
    } else {
      at_ += c == 'x' ? 4 : 1 + utf8_length(c);
    }
  }
  void skip_bracket() {
    at_++;
    if (at_ < in_.size() && in_[at_] == '^') at_++;
    while (at_ < in_.size() && in_[at_] != ']') {
      if (in_[at_] == '\\') {
        skip_escape();
      } else if (in_.substr(at_).starts_with("[:")) {
        const size_t close = in_.find(":]", at_);
        at_ = close == Str::npos ? in_.size() : close + 2;
      } else {
        at_++;
      }
    }
    at_++;
  }

  Quantifier quantity() {
    Quantifier out;
    if (at_ >= in_.size()) return out;
    bool prefers = true;
    switch (in_[at_]) {
      case '*': out = {0, kNoBound}; break;
      case '+': out = {1, kNoBound}; break;
      case '?': out = {0, 1}; break;
      case '{': {
        at_++;
        out.least = out.most = number();
        prefers = at_ < in_.size() && in_[at_] == ',';
        if (prefers) {
          at_++;
          out.most = at_ < in_.size() && is_digit(in_[at_]) ? number() : kNoBound;
        }
        break;
      }
      default: return out;
    }
    at_++;
    const bool lazy = at_ < in_.size() && in_[at_] == '?';
    if (lazy) at_++;
    if (prefers) out.preferred = lazy ? kShorter : kLonger;
    return out;
  }
  int number() {
    int n = 0;
    while (at_ < in_.size() && is_digit(in_[at_]) && n < 10000) n = n * 10 + (in_[at_++] - '0');
    return n;
  }

  RegexParts& out_;
  const Str in_;
  size_t at_ = 0, bytes_ = 0;
  int groups_ = 0;
  bool failed_ = false;
};

class RegexParts::Finder {
 public:
  Finder(const RegexParts& parts, Str text, std::span<Str> found) : parts_(parts), text_(text), found_(found) {}

  // The smallest end of a match from `begin`; one ends at `end` or before.
  size_t shortest(Part& part, size_t begin, size_t end) const {
    const re2::RE2& re = program(part);
    const auto by = [&](size_t e) { return runs(re, begin, e, re2::RE2::ANCHOR_START); };
    if (begin == end || !by(end - 1)) return end;  // mostly
    // By steps that double: the end is near in most texts.
    size_t without = begin, step = 16;
    if (by(begin)) return begin;
    end--;
    while (end - without > step && !by(without + step)) {
      without += step;
      step *= 2;
    }
    end = std::min(end, without + step);
    while (end - without > 1) {
      const size_t middle = without + (end - without) / 2;
      (by(middle) ? end : without) = middle;
    }
    return end;
  }

  void dissect(Part& part, size_t begin, size_t end) {
    if ((part.flags & kGroups) == 0) return;
    switch (part.kind) {
      case Part::Kind::kPlain: return;
      case Part::Kind::kGroup:
        if (static_cast<size_t>(part.group) < found_.size())
          found_[static_cast<size_t>(part.group)] = text_.substr(begin, end - begin);
        return dissect(*part.children[0], begin, end);
      case Part::Kind::kSequence: {
        const size_t middle = between(part, begin, end);
        dissect(*part.children[0], begin, middle);
        return dissect(*part.children[1], middle, end);
      }
      case Part::Kind::kChoice:
        for (const auto& child : part.children) {
          if (&child == &part.children.back() || whole(program(*child), begin, end)) return dissect(*child, begin, end);
        }
        return;
      case Part::Kind::kRounds: return last_round(part, begin, end);
    }
  }

 private:
  re2::RE2& made(std::unique_ptr<re2::RE2>& program, const std::string& text) const {
    if (program != nullptr) return *program;
    re2::RE2::Options small = parts_.options_;
    small.set_max_mem(kPartMemory);
    program = std::make_unique<re2::RE2>(parts_.prefix_ + text, small);
    if (!program->ok()) program = std::make_unique<re2::RE2>(parts_.prefix_ + text, parts_.options_);
    return *program;
  }
  re2::RE2& program(Part& part) const { return made(part.program, std::string(part.text)); }

  bool runs(const re2::RE2& re, size_t begin, size_t end, re2::RE2::Anchor anchor) const {
    note_work(64 + (end - begin));
    const RegexSteps steps(re.ProgramSize());
    return re.Match(re2::StringPiece(text_.data(), text_.size()), begin, end, anchor, nullptr, 0);
  }
  bool whole(const re2::RE2& re, size_t begin, size_t end) const { return runs(re, begin, end, re2::RE2::ANCHOR_BOTH); }
  size_t longest(Part& part, size_t begin, size_t end) const {
    re2::StringPiece match;
    note_work(64);
    const re2::RE2& re = program(part);
    const RegexSteps steps(re.ProgramSize());
    const re2::StringPiece text(text_.data(), text_.size());
    if (!re.Match(text, begin, end, re2::RE2::ANCHOR_START, &match, 1)) return begin;
    note_work(match.size());
    return begin + match.size();
  }
  size_t next(size_t at) const { return std::min(text_.size(), at + utf8_length(text_[at])); }
  size_t previous(size_t at) const {
    do at--;
    while (at > 0 && utf8_continuation(text_[at]));
    return at;
  }

  // Where the first of two parts ends. The second is asked first: what does not begin there says so soon.
  size_t between(Part& part, size_t begin, size_t end) const {
    Part &first = *part.children[0], &second = *part.children[1];
    const auto fits = [&](size_t middle) {
      return whole(program(second), middle, end) && whole(program(first), begin, middle);
    };
    if (first.flags & kShorter) {
      size_t middle = begin;
      while (middle < end && !fits(middle)) middle = next(middle);
      return middle;
    }
    size_t middle = longest(first, begin, end);
    while (middle > begin && !fits(middle)) middle = previous(middle);
    return middle;
  }

  // Rounds are as long (or short) as those behind them allow; an empty one is only where all is empty, and long ones are wanted.
  void last_round(Part& part, size_t begin, size_t end) {
    Part& child = *part.children[0];
    const bool shorter = (child.flags & kShorter) != 0;
    if (begin == end) {
      if (!shorter && whole(program(child), begin, end)) dissect(child, begin, end);
      return;
    }
    size_t from = begin;
    if (part.most == kNoBound) {
      // Mostly the rounds that are preferred lead to the end, and there is no need to look ahead.
      for (size_t to = begin; from < end; from = to) {
        to = shorter ? shortest_round(child, from, end) : longest(child, from, end);
        if (to == end) return dissect(child, from, to);
        if (to == from) break;
      }
      from = begin;
      if (!shorter && step_back(child, begin, end)) return;
    }
    for (int round = 1; from < end; round++) {
      const auto fits = [&](size_t to) {
        return (to == end || (round != part.most && whole(rounds(part, round), to, end))) &&
               whole(program(child), from, to);
      };
      size_t to = shorter ? next(from) : longest(child, from, end);
      if (shorter) {
        while (to < end && !fits(to)) to = next(to);
      } else {
        while (to > from && !fits(to)) to = previous(to);
      }
      if (to == from) return;
      if (to == end) return dissect(child, from, to);
      from = to;
    }
  }
  // Long rounds that give way one by one, from the last, until they lead to the end. False: that takes too many attempts.
  bool step_back(Part& child, size_t begin, size_t end) {
    std::vector<size_t> ends{begin};
    size_t limit = end;
    for (size_t attempts = 4 * (end - begin) + 1000; attempts > 0; attempts--) {
      const size_t from = ends.back(), to = longest(child, from, limit);
      if (to == end) {
        dissect(child, from, to);
        return true;
      }
      if (to > from) {
        ends.push_back(to);
        limit = end;
        continue;
      }
      do {
        if (ends.size() == 1) return false;
        limit = previous(ends.back());
        ends.pop_back();
      } while (limit <= ends.back());
    }
    return false;
  }
  // The end of the shortest match from `begin` that is not empty; `begin`: there is none up to `end`.
  size_t shortest_round(Part& part, size_t begin, size_t end) const {
    const re2::RE2& re = program(part);
    if (whole(re, begin, begin)) {
      size_t to = next(begin);
      while (to < end && !whole(re, begin, to)) to = next(to);
      return to < end || whole(re, begin, end) ? to : begin;
    }
    size_t reach = 16;
    const auto by = [&](size_t e) { return runs(re, begin, e, re2::RE2::ANCHOR_START); };
    while (reach < end - begin && !by(begin + reach)) reach *= 2;
    const size_t to = std::min(end, begin + reach);
    return by(to) ? shortest(part, begin, to) : begin;
  }
  // What may come behind so many rounds.
  re2::RE2& rounds(Part& part, int done) const {
    const auto i = part.most == kNoBound ? 0 : static_cast<size_t>(done);
    if (part.later.size() <= i) part.later.resize(i + 1);
    std::string text = "(?:" + std::string(part.children[0]->text) + ")";
    text += part.most == kNoBound ? "*" : "{0," + std::to_string(part.most - done) + "}";
    return made(part.later[i], text);
  }

  const RegexParts& parts_;
  const Str text_;
  const std::span<Str> found_;
};

std::unique_ptr<RegexParts> RegexParts::read(Str text, const std::string& prefix, const re2::RE2::Options& options) {
  std::unique_ptr<RegexParts> out(new RegexParts());
  out->text_ = text;
  out->prefix_ = prefix;
  out->options_ = options;
  out->options_.set_longest_match(true);
  out->options_.set_never_capture(true);
  out->root_ = Reader(*out).run();
  return out->root_ == nullptr ? nullptr : std::move(out);
}

bool RegexParts::prefers_shortest() const { return (root_->flags & kShorter) != 0; }

size_t RegexParts::shortest(Str text, size_t begin, size_t end) const {
  return Finder(*this, text, {}).shortest(*root_, begin, end);
}

void RegexParts::find_groups(Str text, size_t begin, size_t end, std::span<Str> found) const {
  std::fill(found.begin() + 1, found.end(), Str());
  Finder(*this, text, found).dissect(*root_, begin, end);
}

}  // namespace indigo::types
