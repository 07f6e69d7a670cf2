#include "types/extension/extension.h"

#include <algorithm>
#include <vector>

#include "types/extension/cube/cube.h"
#include "types/extension/seg/seg.h"
#include "types/extension/vector/vector.h"
#include "types/oids.h"

namespace indigo::types {

const Extension& plpgsql_extension() {
  static constexpr Extension kExtension{.name = "plpgsql",
                                        .version = "1.0",
                                        .comment = "PL/pgSQL procedural language",
                                        .relocatable = false,
                                        .trusted = true,
                                        .schema = "pg_catalog",
                                        .required = {},
                                        .definitions = {},
                                        .functions = {}};
  return kExtension;
}

std::span<const Extension> extensions() {
  static const std::vector<Extension> all = {amcheck_extension(),
                                             autoinc_extension(),
                                             bloom_extension(),
                                             btree_gin_extension(),
                                             btree_gist_extension(),
                                             citext_extension(),
                                             cube_extension(),
                                             dblink_extension(),
                                             dict_int_extension(),
                                             dict_xsyn_extension(),
                                             earthdistance_extension(),
                                             file_fdw_extension(),
                                             fuzzystrmatch_extension(),
                                             hstore_extension(),
                                             insert_username_extension(),
                                             intagg_extension(),
                                             intarray_extension(),
                                             isn_extension(),
                                             lo_extension(),
                                             ltree_extension(),
                                             moddatetime_extension(),
                                             pg_prewarm_extension(),
                                             pg_stat_statements_extension(),
                                             pg_trgm_extension(),
                                             pgcrypto_extension(),
                                             pgrowlocks_extension(),
                                             pgstattuple_extension(),
                                             plpgsql_extension(),
                                             refint_extension(),
                                             seg_extension(),
                                             sslinfo_extension(),
                                             postgres_fdw_extension(),
                                             tablefunc_extension(),
                                             tcn_extension(),
                                             tsm_system_rows_extension(),
                                             tsm_system_time_extension(),
                                             unaccent_extension(),
                                             uuid_ossp_extension(),
                                             vector_extension(),
                                             xml2_extension()};
  return all;
}

const Extension* find_extension(std::string_view name) {
  const auto all = extensions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Extension& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

std::vector<ExtensionScript> all_scripts(const Extension& extension) {
  std::vector<ExtensionScript> out = {{{}, extension.version, extension.definitions}};
  out.insert(out.end(), extension.scripts.begin(), extension.scripts.end());
  return out;
}

}  // namespace

std::optional<std::vector<ExtensionScript>> scripts_between(const Extension& extension, std::string_view from,
                                                            std::string_view to) {
  const std::vector<ExtensionScript> all = all_scripts(extension);
  std::vector<std::vector<ExtensionScript>> ways = {{}};
  std::vector<std::string_view> seen = {from};
  for (size_t i = 0; i < ways.size(); i++) {
    const std::string_view here = ways[i].empty() ? from : ways[i].back().to;
    for (const ExtensionScript& script : all) {
      if (script.from != here || std::find(seen.begin(), seen.end(), script.to) != seen.end()) continue;
      seen.push_back(script.to);
      std::vector<ExtensionScript> longer = ways[i];
      longer.push_back(script);
      if (script.to == to) return longer;
      ways.push_back(std::move(longer));
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> versions_of(const Extension& extension) {
  std::vector<std::string_view> out;
  for (const ExtensionScript& script : all_scripts(extension)) {
    if (std::find(out.begin(), out.end(), script.to) == out.end()) out.push_back(script.to);
  }
  return out;
}

const Collator* collator_of_comparison(std::string_view symbol) {
  if (symbol == "citext_cmp") return &Collator::case_insensitive();
  if (symbol == "cube_cmp") return &cube::equality();
  if (symbol == "seg_cmp") return &seg::order();
  if (symbol == "vector_cmp") return &vectors::vector_order();
  if (symbol == "halfvec_cmp") return &vectors::halfvec_order();
  if (symbol == "sparsevec_cmp") return &vectors::sparsevec_order();
  return nullptr;
}

const Collator* collator_of_own_order(Oid type, const FindType& find) {
  const auto without_domains = [&](Oid oid) {
    auto found = oid < oid::kFirstUserOid ? nullptr : find(oid);
    while (found != nullptr && found->kind == 'd')
      found = found->base < oid::kFirstUserOid ? nullptr : find(found->base);
    return found;
  };
  auto info = without_domains(type);
  if (info != nullptr && info->is_array()) info = without_domains(info->element);
  return info == nullptr || info->comparison.empty() ? nullptr : collator_of_comparison(info->comparison);
}

bool holds_members(Oid type, const FindType& find) {
  auto info = type < oid::kFirstUserOid ? nullptr : find(type);
  while (info != nullptr && info->kind == 'd') {
    type = info->base;
    info = type < oid::kFirstUserOid ? nullptr : find(type);
  }
  if (info == nullptr) return type == oid::kRecord || type == oid::kRecordArray;
  return info->kind == 'c' || info->is_array();
}

std::string module_of(const Extension& extension) { return "$libdir/" + std::string(extension.name); }

std::string_view module_name(std::string_view object_file) {
  if (object_file.ends_with(".so")) object_file.remove_suffix(3);
  const size_t slash = object_file.rfind('/');
  return slash == std::string_view::npos ? object_file : object_file.substr(slash + 1);
}

const Extension* find_module(std::string_view object_file) {
  const Extension* found = find_extension(module_name(object_file));
  return found != nullptr && (!found->functions.empty() || !found->sets.empty()) ? found : nullptr;
}

namespace {

template <class Entry>
const Entry* named(std::span<const Entry> entries, std::string_view symbol) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == symbol; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

const ScalarEntry* find_symbol(const Extension& extension, std::string_view symbol) {
  return named(extension.functions, symbol);
}

const SetEntry* find_set_symbol(const Extension& extension, std::string_view symbol) {
  return named(extension.sets, symbol);
}

const TypeDefinition* find_type_forms(const Extension& extension, std::string_view input) {
  const auto found = std::find_if(extension.types.begin(), extension.types.end(),
                                  [&](const ExtensionType& t) { return t.input == input; });
  return found == extension.types.end() ? nullptr : found->definition;
}

}  // namespace indigo::types
