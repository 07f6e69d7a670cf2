// What jsonb_ops and jsonb_path_ops make keys of, for documents and for what is asked of them.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "types/inverted/key_query.h"
#include "types/json/jsonb.h"
#include "types/jsonpath/path.h"

namespace indigo::types::jsonb_keys {

// Of a field, and of a string that is an element; of other strings.
inline constexpr char kName = 'k', kString = 's';

std::string number(Str numeric);
// Of true, false and null by their first letters.
std::string other(char word);
// What jsonb_path_ops has of a scalar's own key at the end of a way, and a way with one more name.
std::string at_end_of(uint64_t way, Str scalar);
uint64_t longer(uint64_t way, Str name);
// A document with parts so deep that they have no keys has this one.
std::string deep();

// What a document must have for a path to answer something, or true (`@@`). `hashed`: in jsonb_path_ops' keys.
KeyQuery query_of_path(const JsonPath& path, bool answers_true, bool hashed);

}  // namespace indigo::types::jsonb_keys
