// ispell: the normal forms of a word, found by taking its affixes off until a word of the dictionary is left. Compound words are
// split into their parts.
#include <algorithm>
#include <map>
#include <optional>

#include <re2/re2.h>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/ispell/affix_file.h"
#include "types/textsearch/dictionary/ispell/word_list.h"
#include "types/textsearch/dictionary/stop_words.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace ispell {

namespace {

constexpr size_t kMaxWordBytes = 256, kMaxForms = 1023;

bool compare_backwards(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend(),
                                      [](char x, char y) { return static_cast<uint8_t>(x) < static_cast<uint8_t>(y); });
}

class IspellDictionary final : public Dictionary {
 public:
  IspellDictionary(AffixFile file, WordList words, StopWords stop, const Letters* letters)
      : file_(std::move(file)), words_(std::move(words)), stop_(std::move(stop)), letters_(letters) {
    std::stable_sort(file_.affixes.begin(), file_.affixes.end(), [](const Affix& a, const Affix& b) {
      if (a.suffix != b.suffix) return b.suffix;
      return a.suffix ? compare_backwards(a.replacement, b.replacement) : a.replacement < b.replacement;
    });
    for (const Affix& affix : file_.affixes) {
      (affix.suffix ? suffixes_ : prefixes_)[affix.replacement].push_back(&affix);
      add_joint(affix);
    }
  }

  Normals lexize(Str word, LexizeState&) const override {
    if (word.empty()) return std::nullopt;
    const std::string lower = lower_case(letters_, word);
    std::vector<Normal> normals;
    uint16_t variant = 1;
    for (std::string& form : forms(lower, 0)) normals.push_back({.word = std::move(form), .variant = variant++});
    if (file_.flags.has_compounds()) add_compounds(lower, variant, normals);
    if (normals.empty()) return std::nullopt;
    std::erase_if(normals, [this](const Normal& normal) { return stop_.contains(normal.word); });
    return normals;
  }

 private:
  using Affixes = std::map<std::string, std::vector<const Affix*>, std::less<>>;
  // An affix that may stand between the parts of a compound.
  struct Joint {
    std::string text;
    bool suffix;
  };
  // The parts of a compound word, as one way of splitting has them.
  using Parts = std::vector<std::string>;

  void add_joint(const Affix& affix) {
    if ((affix.compound & kCompoundAnywhere) == 0 || affix.replacement.empty()) return;
    if (!words_.uses(file_.flags, affix.flag)) return;
    const bool covered = !joints_.empty() && joints_.back().suffix == affix.suffix &&
                         Str(affix.replacement).ends_with(joints_.back().text);
    if (!covered) joints_.push_back({affix.replacement, affix.suffix});
  }

  // The word without the affix; none: it cannot be taken off in this part of a compound. `kept` is how much of the word a suffix
  // has left unchanged, which a prefix must not take all of; null: nobody asks.
  static std::optional<std::string> without(const Affix& affix, const std::string& word, Compound part, size_t* kept) {
    const bool forbidden = (affix.compound & kCompoundForbid) != 0;
    if (part == 0) {
      if ((affix.compound & kCompoundOnly) != 0) return std::nullopt;
    } else if ((part & kCompoundBegin) != 0) {
      if (forbidden || ((affix.compound & kCompoundBegin) == 0 && affix.suffix)) return std::nullopt;
    } else if ((part & kCompoundMiddle) != 0) {
      if (forbidden || (affix.compound & kCompoundMiddle) == 0) return std::nullopt;
    } else if ((part & kCompoundLast) != 0) {
      if (forbidden || ((affix.compound & kCompoundLast) == 0 && !affix.suffix)) return std::nullopt;
    }
    const size_t keep = word.size() - affix.replacement.size();
    if (keep + affix.find.size() >= 2 * kMaxWordBytes) return std::nullopt;
    std::string out;
    if (affix.suffix) {
      out = word.substr(0, keep) + affix.find;
      if (kept != nullptr) *kept = keep;
    } else {
      if (kept != nullptr && *kept + affix.find.size() <= affix.replacement.size()) return std::nullopt;
      out = affix.find + word.substr(affix.replacement.size());
    }
    if (affix.mask != nullptr && !re2::RE2::PartialMatch(out, *affix.mask)) return std::nullopt;
    return out;
  }

  template <class F>
  static void for_each_affix(const Affixes& affixes, const std::string& word, bool suffix, F&& visit) {
    for (size_t length = 0; length <= word.size(); length++) {
      note_work(16);
      const Str part = suffix ? Str(word).substr(word.size() - length) : Str(word).substr(0, length);
      const auto found = affixes.find(part);
      if (found == affixes.end()) continue;
      for (const Affix* affix : found->second) visit(*affix);
    }
  }

  // The words that this one can be a form of.
  Parts forms(const std::string& word, Compound part) const {
    Parts out;
    if (word.size() > kMaxWordBytes) return out;
    const auto add = [&out](const std::string& form) {
      if (out.size() < kMaxForms && (out.empty() || out.back() != form)) out.push_back(form);
    };
    const auto is_word = [&](const std::string& text, Str flag) {
      return words_.contains(file_.flags, text, flag, part);
    };
    if (is_word(word, {})) out.push_back(word);
    for_each_affix(prefixes_, word, false, [&](const Affix& prefix) {
      const auto stem = without(prefix, word, part, nullptr);
      if (stem && is_word(*stem, prefix.flag)) add(*stem);
    });
    for_each_affix(suffixes_, word, true, [&](const Affix& suffix) {
      size_t kept = 0;
      const auto stem = without(suffix, word, part, &kept);
      if (!stem) return;
      if (is_word(*stem, suffix.flag)) add(*stem);
      for_each_affix(prefixes_, *stem, false, [&](const Affix& prefix) {
        const auto inner = without(prefix, *stem, part, &kept);
        if (!inner) return;
        const bool cross = (prefix.compound & suffix.compound & kCrossProduct) != 0;
        if (is_word(*inner, cross ? Str() : Str(prefix.flag))) add(*inner);
      });
    });
    return out;
  }

  // ---- compounds

  void add_compounds(const std::string& word, uint16_t variant, std::vector<Normal>& normals) const {
    std::vector<Parts> ways;
    split(word, std::nullopt, {}, 0, -1, ways);
    for (const Parts& parts : ways) {
      if (parts.size() < 2) continue;
      for (const std::string& last : forms(parts.back(), kCompoundLast)) {
        for (size_t i = 0; i + 1 < parts.size(); i++) normals.push_back({.word = parts[i], .variant = variant});
        normals.push_back({.word = last, .variant = variant});
        variant++;
        if (normals.size() >= kMaxForms) return;
      }
    }
  }

  // Where a joint ends that begins at `text`, or with `anywhere` later in it: the bytes that belong to the part before. From
  // joint number `next` on, which becomes the one behind. -1: there is none.
  int64_t joint_end(size_t& next, Str text, bool anywhere) const {
    for (; next < joints_.size(); next++) {
      const Joint& joint = joints_[next];
      if (text.size() <= joint.text.size()) continue;
      const size_t at = anywhere ? text.find(joint.text) : text.starts_with(joint.text) ? 0 : Str::npos;
      if (at == Str::npos) continue;
      next++;
      return joint.suffix ? static_cast<int64_t>(at + joint.text.size()) : 0;
    }
    return -1;
  }

  // The ways of splitting what is left from `start` on, after the parts so far. `from` is a place in the tree of words where a
  // longer word is looked for that begins at `start`; parts end behind `least`.
  void split(const std::string& word, std::optional<WordList::Node> from, const Parts& before, int64_t start,
             int64_t least, std::vector<Parts>& ways) const {
    constexpr size_t kMaxWays = 100000;
    if (stack_remaining() == 0 || ways.size() > kMaxWays) return;
    const size_t own = ways.size();
    ways.push_back(before);
    const auto size = static_cast<int64_t>(word.size());
    std::vector<bool> tried(word.size(), false);
    int64_t level = from ? least : start;
    std::optional<WordList::Node> node = from ? from : words_.root();
    const auto text = [&](int64_t begin, int64_t bytes) {
      return word.substr(static_cast<size_t>(begin), static_cast<size_t>(bytes));
    };
    for (; level < size; level++) {
      note_work(64);
      size_t next = 0;
      while (level > start) {
        const int64_t end = joint_end(next, Str(word).substr(static_cast<size_t>(level)), !node);
        if (end < 0) break;
        const int64_t bytes = level - start + end;
        if (tried[static_cast<size_t>(start + bytes - 1)] || level + bytes - 1 <= least ||
            bytes >= static_cast<int64_t>(kMaxWordBytes)) {
          continue;
        }
        const Parts stems = forms(text(start, bytes), part_at(level == 0, level == size - 1));
        if (stems.empty()) continue;
        tried[static_cast<size_t>(start + bytes - 1)] = true;
        Parts longer = ways[own];
        longer.insert(longer.end(), stems.begin(), stems.end());
        split(word, std::nullopt, longer, start + bytes, start + bytes, ways);
      }
      if (!node) break;
      WordList::Node below = *node;
      if (!words_.step(below, word[static_cast<size_t>(level)])) {
        node.reset();
        continue;
      }
      const Compound part = part_at(start == 0, level == size - 1);
      if ((words_.compound_at(below) & part) != 0 && !tried[static_cast<size_t>(level)] && level > least) {
        if (level + 1 == size) {
          ways[own].push_back(text(start, size - start));
          return;
        }
        split(word, node, Parts(ways[own]), start, level, ways);
        ways[own].push_back(text(start, level + 1 - start));
        node = words_.root();
        start = level + 1;
        continue;
      }
      node = below;
    }
    ways[own].push_back(text(start, size - start));
  }
  static Compound part_at(bool begin, bool last) {
    return begin ? kCompoundBegin : last ? kCompoundLast : kCompoundMiddle;
  }

  AffixFile file_;
  WordList words_;
  StopWords stop_;
  const Letters* letters_;
  Affixes prefixes_, suffixes_;  // by what they are in the word; void ones under ""
  std::vector<Joint> joints_;
};

}  // namespace

}  // namespace ispell

Result<DictionaryPtr> make_ispell_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> words, affixes, stop;
  std::vector<std::string> lines;
  ispell::AffixFile file;
  StopWords stop_words;
  for (const DictionaryOption& option : options) {
    if (option.name == "dictfile") {
      INDIGO_TRY(set_once(words, "DictFile", option.value));
      INDIGO_ASSIGN(lines, source.files.lines(*words, "dict", "dictionary file"));
    } else if (option.name == "afffile") {
      INDIGO_TRY(set_once(affixes, "AffFile", option.value));
      INDIGO_ASSIGN(file, ispell::read_affix_file(source.files, *affixes));
    } else if (option.name == "stopwords") {
      INDIGO_TRY(set_once(stop, "StopWords", option.value));
      INDIGO_ASSIGN(stop_words, StopWords::read(source.files, *stop));
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized Ispell parameter: \"" + option.name + "\"");
    }
  }
  if (!affixes) return Error(sqlstate::kInvalidParameterValue, "missing AffFile parameter");
  if (!words) return Error(sqlstate::kInvalidParameterValue, "missing DictFile parameter");
  INDIGO_ASSIGN(ispell::WordList list, ispell::WordList::read(lines, file.flags));
  return DictionaryPtr(std::make_shared<ispell::IspellDictionary>(std::move(file), std::move(list),
                                                                  std::move(stop_words), source.letters));
}

}  // namespace indigo::types
