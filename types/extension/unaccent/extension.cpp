// unaccent 1.1 but for its text search dictionary: the function that names a dictionary refuses every call.
#include <string>
#include <unordered_map>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/index_entry.h"
#include "types/extension/script.h"
#include "types/extension/unaccent/rules.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

constexpr ScriptFunction kScalars[] = {
    {"unaccent(regdictionary, text)", "text", "unaccent_dict", "stable strict"},
    {"unaccent(text)", "text", "unaccent_dict", "stable strict"},
    {"unaccent_init(internal)", "internal", {}, "volatile"},
    {"unaccent_lexize(internal, internal, internal, internal)", "internal", {}, "volatile"},
};

const std::unordered_map<std::string_view, std::string_view>& replacements() {
  static const auto all = [] {
    std::unordered_map<std::string_view, std::string_view> out;
    for (const unaccent::Rule& rule : unaccent::rules()) {
      for (size_t at = 0; at < rule.characters.size();) {
        const size_t length = utf8_length(rule.characters[at]);
        out.emplace(rule.characters.substr(at, length), rule.replacement);
        at += length;
      }
    }
    return out;
  }();
  return all;
}

std::string without_accents(Str text) {
  const auto& rules = replacements();
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Str character = text.substr(at, utf8_length(text[at]));
    const auto rule = character.size() == 1 ? rules.end() : rules.find(character);
    out.append(rule == rules.end() ? character : rule->second);
    at += character.size();
  }
  return out;
}

void unaccent_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                     Selection selection, Vector& out) {
  if (arguments.size() == 1) return kernel<without_accents>(context, call, arguments, selection, out);
  context.fail(sqlstate::kFeatureNotSupported, "text search is not supported");
}

constexpr ScalarEntry kFunctions[] = {
    {"unaccent_dict", unaccent_kernel},
    {"unaccent_init", uncallable_kernel},
    {"unaccent_lexize", uncallable_kernel},
};

}  // namespace

const Extension& unaccent_extension() {
  static const std::string script = function_script(kScalars);
  static const Extension extension{.name = "unaccent",
                                   .version = "1.1",
                                   .comment = "text search dictionary that removes accents",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
