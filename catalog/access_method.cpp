#include "catalog/access_method.h"

#include <algorithm>

#include "types/oids.h"

namespace indigo::catalog {

namespace {

using storage::IndexStructure;

constexpr AccessMethod kMethods[] = {
    {oid::kBtreeMethod, oid::kBtreeMethod, "btree", IndexStructure::kBtree, true, true, true, true},
    {Oid{405}, Oid{405}, "hash", IndexStructure::kHash, false, false, false, false, 0.5},
    {Oid{8030}, oid::kBtreeMethod, "griffin", IndexStructure::kGriffin, true, true, true, true, 0.5},
};

}  // namespace

AccessMethod::Property AccessMethod::property(std::string_view which) const {
  if (which == "can_order") return {true, ordered};
  if (which == "can_unique") return {true, unique};
  if (which == "can_multi_col") return {true, multicolumn};
  if (which == "can_exclude") return {true, true};
  if (which == "can_include") return {true, included};
  return {false, false};
}

AccessMethod::Property AccessMethod::index_property(std::string_view which) const {
  if (which == "clusterable") return {true, ordered};
  return {which == "index_scan" || which == "bitmap_scan" || which == "backward_scan", true};
}

std::span<const AccessMethod> access_methods() { return kMethods; }

const AccessMethod* access_method(Oid oid) {
  const auto* it = std::find_if(std::begin(kMethods), std::end(kMethods), [&](const auto& m) { return m.oid == oid; });
  return it == std::end(kMethods) ? nullptr : it;
}

const AccessMethod* access_method(std::string_view name) {
  if (name.empty()) return &default_access_method();
  const auto* it =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](const auto& m) { return m.name == name; });
  return it == std::end(kMethods) ? nullptr : it;
}

const AccessMethod& default_access_method() { return kMethods[0]; }

}  // namespace indigo::catalog
