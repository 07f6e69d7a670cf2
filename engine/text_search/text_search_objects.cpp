#include "engine/text_search/text_search_objects.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/text_search_names.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "types/system/object_name.h"
#include "types/system/type_name.h"

namespace indigo::engine {

namespace {

using catalog::RowReader;
using types::TextSearchKind;

namespace pg_ts_config = catalog::pg_ts_config;
namespace pg_ts_config_map = catalog::pg_ts_config_map;
namespace pg_ts_dict = catalog::pg_ts_dict;
namespace pg_ts_template = catalog::pg_ts_template;

// Calls read(row) when there is such a row.
template <class F>
bool with_row(catalog::CatalogView& view, Oid table, Oid oid, F&& read) {
  bool found = false;
  const Datum key = Datum::of_oid(oid);
  view.system_table_rows(table, -1, {&key, 1}, [&](const RowReader& row) {
    found = true;
    read(row);
    return false;
  });
  return found;
}

Error lookup_failed(const char* what, Oid oid) {
  return {sqlstate::kInternalError,
          std::string("cache lookup failed for text search ") + what + " " + std::to_string(oid)};
}

}  // namespace

void TextSearchObjects::refresh() {
  const uint64_t version = session_.catalog().version();
  if (version == version_) return;
  version_ = version;
  configurations_.clear();
  dictionaries_.clear();
}

Result<types::DictionaryPtr> TextSearchObjects::make_dictionary(Oid text_search_template, std::string_view options) {
  catalog::CatalogView& view = session_.catalog();
  Oid init = kInvalidOid, lexize = kInvalidOid;
  if (!with_row(view, pg_ts_template::kOid, text_search_template, [&](const RowReader& row) {
        init = row.oid(pg_ts_template::c_tmplinit);
        lexize = row.oid(pg_ts_template::c_tmpllexize);
      })) {
    return lookup_failed("template", text_search_template);
  }
  const auto function = view.function(lexize);
  const auto factory = function == nullptr ? nullptr : types::find_dictionary_factory(function->source);
  if (factory == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "text search templates in C are not supported");
  }
  INDIGO_ASSIGN(const types::DictionaryOptions list, types::read_dictionary_options(options));
  std::string directory;
  session_.setting("text_search_directory", directory);
  const types::DictionarySource source{
      types::DictionaryFiles(directory),
      [this](const std::string& name) -> Result<types::DictionaryPtr> {
        INDIGO_ASSIGN(const std::vector<std::string> parts, types::parse_qualified_name(name));
        const bool qualified = parts.size() > 1;
        const Oid oid = catalog::find_text_search(session_.catalog(), TextSearchKind::kDictionary,
                                                  qualified ? parts[parts.size() - 2] : "", parts.back());
        if (oid == kInvalidOid) {
          return Error(sqlstate::kUndefinedObject, "text search dictionary \"" + name + "\" does not exist");
        }
        return dictionary(oid);
      },
      view.letters(oid::kDefaultCollation)};
  return factory(source, list);
}

Result<types::DictionaryPtr> TextSearchObjects::read_dictionary(Oid oid) {
  Oid text_search_template = kInvalidOid;
  std::string options;
  if (!with_row(session_.catalog(), pg_ts_dict::kOid, oid, [&](const RowReader& row) {
        text_search_template = row.oid(pg_ts_dict::c_dicttemplate);
        options = row.str(pg_ts_dict::c_dictinitoption);
      })) {
    return lookup_failed("dictionary", oid);
  }
  return make_dictionary(text_search_template, options);
}

Result<types::DictionaryPtr> TextSearchObjects::dictionary(Oid oid) {
  refresh();
  if (const auto kept = dictionaries_.find(oid); kept != dictionaries_.end()) return kept->second;
  INDIGO_ASSIGN(types::DictionaryPtr made, read_dictionary(oid));
  dictionaries_[oid] = made;
  return made;
}

Result<types::ConfigurationPtr> TextSearchObjects::configuration(Oid oid) {
  refresh();
  if (const auto kept = configurations_.find(oid); kept != configurations_.end()) return kept->second;
  catalog::CatalogView& view = session_.catalog();
  if (!with_row(view, pg_ts_config::kOid, oid, [](const RowReader&) {})) return lookup_failed("configuration", oid);
  auto made = std::make_shared<types::TextSearchConfiguration>();
  made->oid = oid;
  std::vector<std::pair<int32_t, Oid>> map;  // in the order of types and dictionaries
  const Datum key = Datum::of_oid(oid);
  view.system_table_rows(pg_ts_config_map::kOid, -1, {&key, 1}, [&](const RowReader& row) {
    map.emplace_back(row.i32(pg_ts_config_map::c_maptokentype), row.oid(pg_ts_config_map::c_mapdict));
    return true;
  });
  for (const auto& [type, dictionary_oid] : map) {
    if (type < 1 || type > types::kTokenTypes) continue;
    INDIGO_ASSIGN(const types::DictionaryPtr found, dictionary(dictionary_oid));
    made->steps[static_cast<size_t>(type)].push_back({dictionary_oid, found});
  }
  configurations_[oid] = made;
  return types::ConfigurationPtr(made);
}

Result<Oid> TextSearchObjects::named_configuration(std::string_view name) {
  INDIGO_ASSIGN(const std::vector<std::string> parts, types::parse_qualified_name(name));
  const bool qualified = parts.size() > 1;
  const Oid oid = catalog::find_text_search(session_.catalog(), TextSearchKind::kConfiguration,
                                            qualified ? parts[parts.size() - 2] : "", parts.back());
  if (oid != kInvalidOid) return oid;
  return Error(sqlstate::kUndefinedObject, "text search configuration \"" + std::string(name) + "\" does not exist");
}

}  // namespace indigo::engine
