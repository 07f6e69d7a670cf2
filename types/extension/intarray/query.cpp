// query_int: "1&(2|!3)".
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/bytes.h"
#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/intarray/intarray.h"
#include "types/function/kernel.h"

namespace indigo::types::intarray {

namespace {

constexpr size_t kItemBytes = 5;
constexpr size_t kMostPending = 16;  // operators that wait for their right argument, within one pair of parentheses

void append(std::string& image, char op, int32_t value) {
  image += op;
  image.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads the text as PostgreSQL's contrib/intarray does: ! and & bind tighter than |, all from the left.
class QueryReader {
 public:
  QueryReader(FuncContext& context, Str text) : context_(context), text_(text) {}

  std::optional<std::string> read() {
    bool wants_value = true;
    for (; at_ < text_.size(); at_++) {
      const char c = text_[at_];
      if (c == ' ') continue;
      if (wants_value) {
        if (c == '!') {
          if (!push(c)) return std::nullopt;
        } else if (c == '(') {
          pending_.emplace_back();
        } else {
          if (!value()) return std::nullopt;
          wants_value = false;
        }
      } else if (c == '&' || c == '|') {
        if (!binary(c)) return std::nullopt;
        wants_value = true;
      } else if (c == ')' && pending_.size() > 1) {
        close();
      } else {
        return syntax_error();
      }
    }
    if (wants_value || pending_.size() > 1) return syntax_error();
    end_level();
    return std::move(image_);
  }

 private:
  std::nullopt_t syntax_error() {
    context_.fail(sqlstate::kSyntaxError, "syntax error");
    return std::nullopt;
  }

  bool push(char op) {
    if (pending_.back().size() == kMostPending) {
      context_.fail(sqlstate::kStatementTooComplex, "statement too complex");
      return false;
    }
    pending_.back() += op;
    return true;
  }
  bool binary(char op) {
    if (op != '|' || pending_.back().empty()) return push(op);
    append(image_, op, 0);  // the one that waits is left for what follows
    return true;
  }
  // What binds tighter than | has its right argument now.
  void apply_tight() {
    std::string& level = pending_.back();
    while (!level.empty() && level.back() != '|') append(image_, level.back(), 0), level.pop_back();
  }
  void end_level() {
    for (std::string& level = pending_.back(); !level.empty(); level.pop_back()) append(image_, level.back(), 0);
  }
  void close() {
    end_level();
    pending_.pop_back();
    apply_tight();
  }

  // Leaves at_ at the last digit.
  bool value() {
    constexpr size_t kMostDigits = 15;
    const size_t begin = at_;
    if (text_[at_] == '-') at_++;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') at_++;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty() || word.size() > kMostDigits) return syntax_error(), false;
    // As strtol reads it with base 0: a leading zero is octal, and a minus alone is 0.
    const long long number = std::strtoll(word.c_str(), nullptr, 0);
    if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max())
      return syntax_error(), false;
    append(image_, 0, static_cast<int32_t>(number));
    apply_tight();
    at_--;
    return true;
  }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
  std::string image_;
  std::vector<std::string> pending_{1};  // by level of parentheses
};

// How many items each item's expression has.
std::vector<uint32_t> sizes_of(const std::vector<Item>& items) {
  std::vector<uint32_t> sizes(items.size(), 1);
  for (size_t i = 0; i < items.size(); i++) {
    if (items[i].op == 0) continue;
    sizes[i] += sizes[i - 1];
    if (items[i].op != '!') sizes[i] += sizes[i - 1 - sizes[i - 1]];
  }
  return sizes;
}

std::string print(const std::vector<Item>& items) {
  const std::vector<uint32_t> sizes = sizes_of(items);
  struct Step {
    const char* text;  // or, null, an item
    size_t item = 0;
    bool first = false;
  };
  std::string out;
  std::vector<Step> steps{{nullptr, items.size() - 1, true}};
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (step.text != nullptr) {
      out += step.text;
      continue;
    }
    const Item& item = items[step.item];
    const size_t right = step.item - 1;
    if (item.op == 0) {
      out += std::to_string(item.value);
    } else if (item.op == '!') {
      out += '!';
      const bool nested = items[right].op != 0;
      if (nested) out += "( ", steps.push_back({" )"});
      steps.push_back({nullptr, right, nested});
    } else {
      const bool nested = item.op == '|' && !step.first;
      if (nested) out += "( ", steps.push_back({" )"});
      steps.push_back({nullptr, right, false});
      steps.push_back({item.op == '|' ? " | " : " & "});
      steps.push_back({nullptr, right - sizes[right], false});
    }
  }
  return out;
}

Datum input(FuncContext& context, const TypeRef&, Str text) {
  note_work(text.size());
  const auto image = QueryReader(context, text).read();
  return image ? Datum::of(context.arena().copy(*image)) : Datum::make_null(Phys::kStr);
}
void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { out += print(items_of(value.str)); }

bool satisfies(FuncContext& context, Str array, Str query) {
  auto set = elements(context, array);
  if (!set) return false;
  std::sort(set->begin(), set->end(), noted_order(std::less<>(), 2));
  std::vector<char> truths;
  for (const Item& item : items_of(query)) {
    if (item.op == 0) {
      truths.push_back(std::binary_search(set->begin(), set->end(), item.value));
    } else if (item.op == '!') {
      truths.back() = truths.back() == 0;
    } else {
      const char right = truths.back();
      truths.pop_back();
      truths.back() = item.op == '&' ? truths.back() & right : truths.back() | right;
    }
  }
  return truths.back() != 0;
}
bool satisfied_by(FuncContext& context, Str query, Str array) { return satisfies(context, array, query); }

// The type's forms called as functions: a value of type cstring is text here.
std::optional<std::string> image_of(FuncContext& context, Str text) { return QueryReader(context, text).read(); }
std::string text_of(Str query) { return print(items_of(query)); }
std::string no_tree(FuncContext& context, Str) {
  context.fail(sqlstate::kInternalError, "querytree is no longer implemented");
  return {};
}

const ScalarEntry kQueryFunctions[] = {{"bqarr_in", kernel<image_of>},
                                       {"bqarr_out", kernel<text_of>},
                                       {"boolop", kernel<satisfies>},
                                       {"rboolop", kernel<satisfied_by>},
                                       {"querytree", kernel<no_tree>}};

}  // namespace

std::vector<Item> items_of(Str query) {
  std::vector<Item> out(query.size() / kItemBytes);
  for (size_t i = 0; i < out.size(); i++)
    out[i] = {query[i * kItemBytes], load_unaligned<int32_t>(query.data() + i * kItemBytes + 1)};
  note_work(out.size());
  return out;
}

std::span<const ScalarEntry> query_functions() { return kQueryFunctions; }

const TypeDefinition kQueryForms = {kInvalidOid, input, output, nullptr, nullptr, Phys::kStr};

}  // namespace indigo::types::intarray
