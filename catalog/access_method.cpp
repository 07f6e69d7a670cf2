#include "catalog/access_method.h"

#include <algorithm>

#include "storage/index/btree_index.h"
#include "storage/index/empty_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hnsw/hnsw_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "types/builtin/index_methods.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace {

// Of extensions' methods, which are dropped with them, unlike what lies below oid::kFirstUserOid; no other object comes so far.
constexpr Oid kHnsw = 4'294'967'001, kIvfflat = 4'294'967'002, kBloom = 4'294'967'003;

constexpr AccessMethod kMethods[] = {
    {oid::kBtreeMethod, oid::kBtreeMethod, "btree", storage::create_btree_index, true, true, true, true, true, true,
     true, true},
    {oid::kHashMethod, oid::kHashMethod, "hash", storage::create_hash_index, false, false, false, false, true, false,
     true, true, 0.5},
    {Oid{8030}, oid::kBtreeMethod, "griffin", storage::create_griffin_index, true, true, true, true, true, true, true,
     true, 0.5},
    {Oid{8031}, oid::kBtreeMethod, "indexlet", storage::create_indexlet_index, true, true, true, true, true, true, true,
     true},
    {Oid{8032}, oid::kBtreeMethod, "hydralist", storage::create_hydralist_index, true, true, true, true, true, true,
     true, true},
    {Oid{783}, Oid{783}, "gist", storage::create_inverted_index, false, false, true, true, true, true, true, false, 1,
     true},
    {Oid{2742}, Oid{2742}, "gin", storage::create_inverted_index, false, false, true, false, false, false, false, false,
     1, true, 3},
    {Oid{4000}, Oid{4000}, "spgist", storage::create_inverted_index, false, false, false, true, true, false, true,
     false, 1, true},
    {kHnsw, kHnsw, "hnsw", storage::create_hnsw_index, false, false, false, false, true, false, true, false, 1, true, 1,
     true, "hnswhandler", 2000},
    {kIvfflat, kIvfflat, "ivfflat", storage::create_hnsw_index, false, false, false, false, true, false, true, false, 1,
     true, 1, true, "ivfflathandler", 2000},
    {kBloom, kBloom, "bloom", storage::create_empty_index, false, false, true, false, false, false, false, false, 1,
     false, 1, false, "blhandler"},
    {Oid{3580}, Oid{3580}, "brin", storage::create_empty_index, false, false, true, false, false, false, false, false},
};

}  // namespace

bool AccessMethod::searchable() const { return make != storage::create_empty_index && !inverted; }

AccessMethod::Property AccessMethod::property(std::string_view which) const {
  if (which == "can_order") return {true, ordered};
  if (which == "can_unique") return {true, unique};
  if (which == "can_multi_col") return {true, multicolumn};
  if (which == "can_exclude") return {true, exclude};
  if (which == "can_include") return {true, included};
  return {false, false};
}

AccessMethod::Property AccessMethod::index_property(std::string_view which) const {
  if (which == "clusterable") return {true, clusterable};
  if (which == "index_scan") return {true, one_by_one};
  if (which == "bitmap_scan") return {true, !nearest};
  return {which == "backward_scan", backward};
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

const AccessMethod* access_method_of_handler(std::string_view function) {
  const auto* it = std::find_if(std::begin(kMethods), std::end(kMethods),
                                [&](const auto& m) { return !m.handler.empty() && m.handler == function; });
  return it == std::end(kMethods) ? nullptr : it;
}

const AccessMethod& default_access_method() { return kMethods[0]; }

}  // namespace indigo::catalog
