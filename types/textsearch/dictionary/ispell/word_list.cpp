#include "types/textsearch/dictionary/ispell/word_list.h"

#include <algorithm>

#include "types/text/ascii.h"

namespace indigo::types::ispell {

namespace {

bool is_flag_byte(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

Result<WordList> WordList::read(const std::vector<std::string>& lines, const Flags& flags) {
  std::vector<Word> all;
  for (const std::string& line : lines) {
    const size_t slash = line.find('/');
    const Str before = Str(line).substr(0, slash);
    const auto end = std::find_if(before.begin(), before.end(), is_blank);
    Word word{to_lower(before.substr(0, static_cast<size_t>(end - before.begin()))), {}, 0};
    if (slash != std::string::npos) {
      const Str rest = Str(line).substr(slash + 1);
      word.flags =
          rest.substr(0, static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_flag_byte) - rest.begin()));
    }
    if (flags.has_aliases()) {
      INDIGO_ASSIGN(word.flags, flags.alias(word.flags));
    }
    all.push_back(std::move(word));
  }
  std::stable_sort(all.begin(), all.end(), [](const Word& a, const Word& b) { return a.text < b.text; });
  WordList out;
  for (Word& word : all) {
    const bool again = !out.words_.empty() && out.words_.back().text == word.text;
    if (again && out.words_.back().flags == word.flags) continue;
    INDIGO_ASSIGN(Compound compound, flags.meaning_of(word.flags));
    compound &= kCompoundMask;
    if (!again) {
      out.sets_.push_back(word.flags);
    } else {
      Word& before = out.words_.back();
      const bool only = (before.compound & compound & kCompoundOnly) != 0;
      before.flags = flags.joined(before.flags, word.flags);
      INDIGO_ASSIGN(compound, flags.meaning_of(before.flags));
      compound &= kCompoundMask;
      if ((compound & kCompoundOnly) != 0 && (compound & kCompoundAnywhere) == 0) compound |= kCompoundAnywhere;
      before.compound = only ? compound : compound & ~kCompoundOnly;
      out.sets_.push_back(word.flags);
      continue;
    }
    if ((compound & kCompoundOnly) != 0 && (compound & kCompoundAnywhere) == 0) compound |= kCompoundAnywhere;
    word.compound = compound;
    out.words_.push_back(std::move(word));
  }
  std::sort(out.sets_.begin(), out.sets_.end());
  out.sets_.erase(std::unique(out.sets_.begin(), out.sets_.end()), out.sets_.end());
  return out;
}

bool WordList::contains(const Flags& flags, Str word, Str flag, Compound part) const {
  const auto at = std::lower_bound(words_.begin(), words_.end(), word,
                                   [](const Word& w, Str wanted) { return Str(w.text) < wanted; });
  if (word.empty() || at == words_.end() || at->text != word) return false;
  part &= kCompoundMask;
  if (part == 0 ? (at->compound & kCompoundOnly) != 0 : (at->compound & part) == 0) return false;
  return flags.contains(at->flags, flag);
}

bool WordList::uses(const Flags& flags, Str flag) const {
  return std::any_of(sets_.begin(), sets_.end(), [&](const std::string& set) { return flags.contains(set, flag); });
}

bool WordList::step(Node& node, char c) const {
  const auto byte_of = [&node](const Word& w) {
    return w.text.size() > node.depth ? static_cast<int>(static_cast<uint8_t>(w.text[node.depth])) : -1;
  };
  const int wanted = static_cast<uint8_t>(c);
  const auto first = words_.begin() + static_cast<std::ptrdiff_t>(node.first);
  const auto last = words_.begin() + static_cast<std::ptrdiff_t>(node.end);
  const auto low = std::partition_point(first, last, [&](const Word& w) { return byte_of(w) < wanted; });
  const auto high = std::partition_point(low, last, [&](const Word& w) { return byte_of(w) <= wanted; });
  if (low == high) return false;
  node = {static_cast<size_t>(low - words_.begin()), static_cast<size_t>(high - words_.begin()), node.depth + 1};
  return true;
}

Compound WordList::compound_at(const Node& node) const {
  const Word& word = words_[node.first];
  return word.text.size() == node.depth ? word.compound : 0;
}

}  // namespace indigo::types::ispell
