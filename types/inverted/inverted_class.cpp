#include "types/inverted/inverted_class.h"

#include <algorithm>
#include <cmath>

#include "types/extension/intarray/intarray.h"
#include "types/extension/seg/seg.h"

namespace indigo::types {

const InvertedClass* inverted_class(std::string_view support) {
  static constexpr const InvertedClass* kKnown[] = {&kArrayKeys,
                                                    &kJsonbKeys,
                                                    &kJsonbPathKeys,
                                                    &kTextSearchKeys,
                                                    &kTextSearchGist,
                                                    &kScalarKeys,
                                                    &kRangeGist,
                                                    &kRangeSpgist,
                                                    &kMultirangeGist,
                                                    &kNetworkGist,
                                                    &kNetworkSpgist,
                                                    &kBoxGist,
                                                    &kBoxSpgist,
                                                    &kPolygonGist,
                                                    &kPolygonSpgist,
                                                    &kCircleGist,
                                                    &kPointGist,
                                                    &kPointQuadSpgist,
                                                    &kPointKdSpgist,
                                                    &trgm::kTrigramKeys,
                                                    &trgm::kTrigramGist,
                                                    &hstore::kHstoreKeys,
                                                    &hstore::kHstoreGist,
                                                    &ltree::kPathGist,
                                                    &ltree::kPathArrayGist,
                                                    &intarray::kIntKeys,
                                                    &intarray::kIntGist,
                                                    &intarray::kIntBigGist,
                                                    &cube::kCubeGist,
                                                    &seg::kSegmentGist};
  for (const InvertedClass* known : kKnown) {
    if (known->support == support) return known;
  }
  // btree_gin's and btree_gist's.
  const bool gin = support.starts_with("gin_extract_query_");
  const bool gist = support.starts_with("gbt_") && support.ends_with("_consistent");
  return gin || gist ? &kScalarKeys : nullptr;
}

double first_ring_of(double extent) {
  constexpr double kPart = 0x1p-20, kLeast = 1e-3;
  return (std::isfinite(extent) ? std::max(extent, kLeast) : 1) * kPart;
}

std::string inverted_key(char kind, Str bytes) {
  std::string out(1, kind);
  out.append(bytes.substr(0, kMaxInvertedKeyBytes));
  return out;
}

}  // namespace indigo::types
