// ltxtquery.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/extension/ltree/ltree.h"

namespace indigo::types::ltree {

namespace {

class TermsReader {
 public:
  TermsReader(FuncContext& context, Str text) : context_(context), text_(text) {}

  std::optional<Terms> read() {
    if (!disjunction()) return std::nullopt;
    skip_spaces();
    if (at_ < text_.size()) return refuse("syntax error");
    return std::move(terms_);
  }

 private:
  std::nullopt_t refuse(const char* message) {
    if (!context_.failed()) context_.fail(sqlstate::kSyntaxError, message);
    return std::nullopt;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') at_++;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }

  std::optional<size_t> add(Term term) {
    terms_.push_back(std::move(term));
    return terms_.size() - 1;
  }
  std::optional<size_t> chain(char sign, Term::Kind kind, std::optional<size_t> (TermsReader::*part)()) {
    auto left = (this->*part)();
    while (left && take(sign)) {
      const auto right = (this->*part)();
      if (!right) return std::nullopt;
      left = add({kind, {}, *left, *right});
    }
    return left;
  }
  std::optional<size_t> disjunction() { return chain('|', Term::Kind::kOr, &TermsReader::conjunction); }
  std::optional<size_t> conjunction() { return chain('&', Term::Kind::kAnd, &TermsReader::operand); }

  std::optional<size_t> operand() {
    if (Status deep = check_stack_depth(); !deep.ok()) {
      context_.fail(std::move(*deep.take_error()));
      return std::nullopt;
    }
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) at_++;
    if (take('!')) {
      const auto right = operand();
      return right ? add({Term::Kind::kNot, {}, 0, *right}) : std::nullopt;
    }
    if (take('(')) {
      const auto inner = disjunction();
      if (!inner) return std::nullopt;
      return take(')') ? inner : refuse("syntax error");
    }
    return word();
  }

  std::optional<size_t> word() {
    Term term;
    const size_t begin = at_;
    while (at_ < text_.size() && is_label_character(text_[at_])) at_++;
    const size_t length = at_ - begin;
    if (length == 0) return refuse("operand syntax error");
    for (;; at_++) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      if (c == '%') {
        term.word.by_words = true;
      } else if (c == '@') {
        term.word.any_case = true;
      } else if (c == '*') {
        term.word.beginning = true;
      } else {
        if (is_label_character(c)) return refuse("modifiers syntax error");
        break;
      }
    }
    if (length > kMostLabelBytes) {
      context_.fail(sqlstate::kInvalidParameterValue, "operand is too long");
      return std::nullopt;
    }
    term.word.text = text_.substr(begin, length);
    return add(std::move(term));
  }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
  Terms terms_;
};

}  // namespace

std::optional<Terms> read_terms(FuncContext& context, Str text) { return TermsReader(context, text).read(); }

// Without recursion: a long row of & is as deep as it is long.
std::string print(const Terms& terms) {
  struct Part {
    const char* text;  // null: the term
    size_t term = 0;
    bool whole = false;
  };
  std::string out;
  std::vector<Part> left{{nullptr, terms.size() - 1, true}};  // still to print, from the end
  while (!left.empty()) {
    const Part part = left.back();
    left.pop_back();
    if (part.text != nullptr) {
      out += part.text;
      continue;
    }
    const Term& term = terms[part.term];
    if (term.kind == Term::Kind::kWord) {
      print(term.word, out);
    } else if (term.kind == Term::Kind::kNot) {
      const bool word = terms[term.right].kind == Term::Kind::kWord;
      left.insert(left.end(), {{word ? "" : " )"}, {nullptr, term.right, !word}, {word ? "!" : "!( "}});
    } else {
      const bool either = term.kind == Term::Kind::kOr, closed = either && !part.whole;
      left.insert(left.end(), {{closed ? " )" : ""},
                               {nullptr, term.right},
                               {either ? " | " : " & "},
                               {nullptr, term.left},
                               {closed ? "( " : ""}});
    }
  }
  return out;
}

// Parts come before what is made of them.
bool matches(const Terms& terms, const std::vector<Str>& labels) {
  std::vector<bool> holds(terms.size());
  for (size_t i = 0; i < terms.size(); i++) {
    const Term& term = terms[i];
    note_work(8 + (term.kind == Term::Kind::kWord ? 16 * labels.size() : 0));
    switch (term.kind) {
      case Term::Kind::kWord:
        holds[i] = std::any_of(labels.begin(), labels.end(), [&](Str label) { return matches(term.word, label); });
        break;
      case Term::Kind::kNot: holds[i] = !holds[term.right]; break;
      case Term::Kind::kAnd: holds[i] = holds[term.left] && holds[term.right]; break;
      case Term::Kind::kOr: holds[i] = holds[term.left] || holds[term.right]; break;
    }
  }
  return holds.back();
}

}  // namespace indigo::types::ltree
