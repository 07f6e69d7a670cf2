#include "engine/system/operator_class/method_rules.h"

#include <algorithm>

#include "types/oids.h"

namespace indigo::engine {

namespace {

using namespace oid;  // NOLINT(google-build-using-namespace): signatures are lists of types

constexpr SupportRule options(int16_t number) { return {number, kVoid, true, 1, {kInternal}}; }

constexpr SupportRule kBtreeFunctions[] = {
    {1, kInt4, true, 2, {kLeftType, kRightType}},
    {2, kVoid, true, 1, {kInternal}},
    {3, kBool, true, 5, {kLeftType, kLeftType, kRightType, kBool, kBool}},
    {4, kBool, true, 1, {kOid}},
    options(5),
};
constexpr SupportRule kHashFunctions[] = {
    {1, kInt4, false, 1, {kLeftType}},
    {2, kInt8, false, 2, {kLeftType, kInt8}},
    options(3),
};
constexpr SupportRule kGistFunctions[] = {
    {1, kBool, false, 5, {kInternal, kInputType, kInt2, kOid, kInternal}},
    {2, kKeyType, false, 2, {kInternal, kInternal}},
    {3, kInternal, true, 1, {kInternal}},
    {4, kInternal, true, 1, {kInternal}},
    {5, kInternal, true, 3, {kInternal, kInternal, kInternal}},
    {6, kInternal, true, 2, {kInternal, kInternal}},
    {7, kInternal, false, 3, {kKeyType, kKeyType, kInternal}},
    {8, kFloat8, false, 5, {kInternal, kInputType, kInt2, kOid, kInternal}},
    {9, kInternal, true, 1, {kInternal}},
    options(10),
    {11, kVoid, true, 1, {kInternal}},
};
constexpr SupportRule kGinFunctions[] = {
    {1, kInt4, false, 2, {kKeyType, kKeyType}},
    {2, kInternal, false, 2, {kInputType, kInternal, kInternal}},
    {3, kInternal, false, 5, {kInputType, kInternal, kInt2, kInternal, kInternal, kInternal, kInternal}},
    {4, kBool, false, 6, {kInternal, kInt2, kInputType, kInt4, kInternal, kInternal, kInternal, kInternal}},
    {5, kInt4, false, 4, {kKeyType, kKeyType, kInt2, kInternal}},
    {6, kChar, false, 7, {kInternal, kInt2, kInputType, kInt4, kInternal, kInternal, kInternal}},
    options(7),
};
constexpr SupportRule kSpgistFunctions[] = {
    {1, kVoid, true, 2, {kInternal, kInternal}},
    {2, kVoid, true, 2, {kInternal, kInternal}},
    {3, kVoid, true, 2, {kInternal, kInternal}},
    {4, kVoid, true, 2, {kInternal, kInternal}},
    {5, kBool, true, 2, {kInternal, kInternal}},
    {6, kKeyType, true, 1, {kLeftType}},  // the key: what the configuration says that leaves are
    options(7),
};
constexpr SupportRule kBrinFunctions[] = {
    {1, kInternal, true, 1, {kInternal}},
    {2, kBool, true, 4, {kInternal, kInternal, kInternal, kInternal}},
    {3, kBool, true, 3, {kInternal, kInternal, kInternal, kInt4}},
    {4, kBool, true, 3, {kInternal, kInternal, kInternal}},
    options(5),
};
constexpr SupportRule kBloomFunctions[] = {
    {1, kInt4, false, 1, {kKeyType}},
    options(2),
};

constexpr int16_t kAnyStrategy = 32767;

constexpr MethodRules kRules[] = {
    {RuleSet::kBtree, "bthandler", "btree", kBtreeFunctions, 0, 0, 5, OrderRule::kNone, false, false},
    {RuleSet::kHash, "hashhandler", "hash", kHashFunctions, 0, 0, 1, OrderRule::kNone, true, false},
    {RuleSet::kGist, "gisthandler", "gist", kGistFunctions, 0, 0, kAnyStrategy, OrderRule::kDistance, true, true},
    {RuleSet::kGin, "ginhandler", "gin", kGinFunctions, 0, 0, 63, OrderRule::kNone, true, true},
    {RuleSet::kSpgist, "spghandler", "spgist", kSpgistFunctions, 0, 0, 63, OrderRule::kFamily, true, false},
    {RuleSet::kBrin, "brinhandler", "brin", kBrinFunctions, 11, 15, 63, OrderRule::kNone, false, false},
    {RuleSet::kBloom, "blhandler", "bloom", kBloomFunctions, 0, 0, 1, OrderRule::kNone, true, true},
};

constexpr Oid kHashInt4 = 450, kHashInt4Extended = 425, kHashInt8 = 949, kHashInt8Extended = 442, kHashChar = 454,
              kHashCharExtended = 446, kHashVarlena = 456, kHashVarlenaExtended = 772, kTimestampHash = 2039,
              kTimestampHashExtended = 3411, kBox = 603;

}  // namespace

size_t SupportRule::most() const {
  return static_cast<size_t>(std::ranges::find(arguments, kInvalidOid) - arguments.begin());
}

const SupportRule* MethodRules::function(int16_t number) const {
  const auto at = std::ranges::find(functions, number, &SupportRule::number);
  return at == functions.end() ? nullptr : &*at;
}

const MethodRules* method_rules(std::string_view handler) {
  const auto* at = std::ranges::find(kRules, handler, &MethodRules::handler);
  return at == std::end(kRules) ? nullptr : at;
}

bool hashes_same_form(Oid function, Oid type) {
  switch (function) {
    case kHashInt4:
    case kHashInt4Extended: return type == kDate || type == kXid || type == kCid;
    case kHashInt8:
    case kHashInt8Extended: return type == kXid8;
    case kTimestampHash:
    case kTimestampHashExtended: return type == kTimestampTz;
    case kHashChar:
    case kHashCharExtended: return type == kBool;
    case kHashVarlena:
    case kHashVarlenaExtended: return type == kBytea;
    default: return false;
  }
}

Oid spgist_leaf_type(std::string_view configuration) {
  return configuration == "spg_bbox_quad_config" ? kBox : kInvalidOid;
}

}  // namespace indigo::engine
