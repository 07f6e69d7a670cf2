#include "types/inverted/inverted_class.h"

namespace indigo::types {

const InvertedClass* inverted_class(std::string_view extract_query) {
  for (const InvertedClass* known : {&kArrayKeys, &kJsonbKeys, &kJsonbPathKeys, &kTextSearchKeys, &kScalarKeys,
                                     &trgm::kTrigramKeys, &hstore::kHstoreKeys}) {
    if (known->extract_query == extract_query) return known;
  }
  return nullptr;
}

std::string inverted_key(char kind, Str bytes) {
  std::string out(1, kind);
  out.append(bytes.substr(0, kMaxInvertedKeyBytes));
  return out;
}

}  // namespace indigo::types
