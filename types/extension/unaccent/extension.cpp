// unaccent 1.1.
#include <string>

#include "base/sqlstate.h"
#include "types/extension/index_entry.h"
#include "types/extension/script.h"
#include "types/extension/unaccent/rules.h"
#include "types/function/kernel.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

constexpr ScriptFunction kScalars[] = {
    {"unaccent(regdictionary, text)", "text", "unaccent_dict", "stable strict"},
    {"unaccent(text)", "text", "unaccent_dict", "stable strict"},
    {"unaccent_init(internal)", "internal", {}, "volatile"},
    {"unaccent_lexize(internal, internal, internal, internal)", "internal", {}, "volatile"},
};
constexpr std::string_view kObjects =
    "create text search template unaccent (init = unaccent_init, lexize = unaccent_lexize);\n"
    "create text search dictionary unaccent (template = unaccent, rules = 'unaccent');\n";

std::string without_accents(Str text) {
  std::string out;
  unaccent::builtin_replacements().replace(text, out);
  return out;
}
// What a dictionary makes of the text; the text where that is nothing.
std::string through_dictionary(FuncContext& context, int32_t dictionary, Str text) {
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return {};
  const Result<DictionaryPtr> found = session->text_search_dictionary(static_cast<Oid>(dictionary));
  if (!found) {
    context.fail(Error(found.error()));
    return {};
  }
  LexizeState state;
  const Normals normals = (*found)->lexize(text, state);
  return normals && !normals->empty() ? normals->front().word : std::string(text);
}

void unaccent_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                     Selection selection, Vector& out) {
  if (arguments.size() == 1) return kernel<without_accents>(context, call, arguments, selection, out);
  kernel<through_dictionary>(context, call, arguments, selection, out);
}

constexpr ScalarEntry kFunctions[] = {
    {"unaccent_dict", unaccent_kernel},
    {"unaccent_init", uncallable_kernel},
    {"unaccent_lexize", uncallable_kernel},
};

}  // namespace

const Extension& unaccent_extension() {
  static const std::string script = function_script(kScalars) + std::string(kObjects);
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
