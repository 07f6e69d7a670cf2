#include "types/textsearch/headline/headline_options.h"

#include <algorithm>

#include <climits>

#include "base/sqlstate.h"
#include "types/number/integer_text.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/dictionary_options.h"

namespace indigo::types {

namespace {

bool fail(FuncContext& context, std::string message) {
  context.fail(sqlstate::kInvalidParameterValue, std::move(message));
  return false;
}

bool read_option(FuncContext& context, const DictionaryOption& option, HeadlineOptions& out) {
  const auto is = [&option](Str name) { return equals_ignoring_case(option.name, name); };
  const auto number = [&](int32_t& target) {
    const IntegerParse parsed = parse_integer(option.value, target);
    if (parsed == IntegerParse::kSyntax)
      context.fail(sqlstate::kInvalidTextRepresentation,
                   "invalid input syntax for type integer: \"" + option.value + "\"");
    if (parsed == IntegerParse::kRange)
      context.fail(sqlstate::kNumericValueOutOfRange,
                   "value \"" + option.value + "\" is out of range for type integer");
    return parsed == IntegerParse::kOk;
  };
  const auto text = [&](std::string& target) {
    target = option.value;
    return true;
  };
  if (is("MaxWords")) return number(out.max_words);
  if (is("MinWords")) return number(out.min_words);
  if (is("ShortWord")) return number(out.short_word_bytes);
  if (is("MaxFragments")) return number(out.max_fragments);
  if (is("StartSel")) return text(out.start);
  if (is("StopSel")) return text(out.stop);
  if (is("FragmentDelimiter")) return text(out.delimiter);
  if (!is("HighlightAll")) return fail(context, "unrecognized headline parameter: \"" + option.name + "\"");
  for (const Str yes : {"1", "on", "true", "t", "y", "yes"})
    if (equals_ignoring_case(option.value, yes)) out.highlight_all = true;
  return true;
}

}  // namespace

int64_t HeadlineOptions::max_cover() const {
  const int64_t words = std::max<int64_t>(int64_t{max_words} * 10, 100);
  return max_fragments > 0 ? words * max_fragments : words;
}

bool read_headline_options(FuncContext& context, Str text, HeadlineOptions& options) {
  const Result<DictionaryOptions> list = read_dictionary_options(text);
  if (!list) {
    context.fail(Error(list.error()));
    return false;
  }
  for (const DictionaryOption& option : *list)
    if (!read_option(context, option, options)) return false;
  if (!options.highlight_all) {
    if (options.min_words >= options.max_words) return fail(context, "MinWords should be less than MaxWords");
    if (options.min_words <= 0) return fail(context, "MinWords should be positive");
    if (options.short_word_bytes < 0) return fail(context, "ShortWord should be >= 0");
    if (options.max_fragments < 0) return fail(context, "MaxFragments should be >= 0");
  }
  const auto too_long = [](const std::string& value) { return value.size() > SHRT_MAX; };
  if (too_long(options.start)) return fail(context, "value for \"StartSel\" is too long");
  if (too_long(options.stop)) return fail(context, "value for \"StopSel\" is too long");
  if (too_long(options.delimiter)) return fail(context, "value for \"FragmentDelimiter\" is too long");
  return true;
}

}  // namespace indigo::types
