// CREATE TEXT SEARCH CONFIGURATION and ALTER ... MAPPING: which dictionaries see the tokens of which types.
#include <algorithm>

#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "types/textsearch/parser/token_type.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_ts_config = catalog::pg_ts_config;
namespace pg_ts_config_map = catalog::pg_ts_config_map;
namespace pg_ts_dict = catalog::pg_ts_dict;

struct MapRow {
  int32_t type, number;
  Oid dictionary;
};

std::vector<MapRow> map_of(DdlContext& c, Oid configuration) {
  std::vector<MapRow> rows;
  table(c, pg_ts_config_map::kOid).scan(c.txn, {Datum::of_oid(configuration)}, [&](RowReader row) {
    rows.push_back({row.i32(pg_ts_config_map::c_maptokentype), row.i32(pg_ts_config_map::c_mapseqno),
                    row.oid(pg_ts_config_map::c_mapdict)});
    return true;
  });
  return rows;
}

Status insert_map_row(DdlContext& c, Oid configuration, const MapRow& r) {
  SystemTable& t = table(c, pg_ts_config_map::kOid);
  RowValues row(t.definition());
  row.oid(pg_ts_config_map::c_mapcfg, configuration)
      .i32(pg_ts_config_map::c_maptokentype, r.type)
      .i32(pg_ts_config_map::c_mapseqno, r.number)
      .oid(pg_ts_config_map::c_mapdict, r.dictionary);
  const StorageStatus status = t.insert(c.txn, row);
  if (status != StorageStatus::kDuplicateKey) return check(status);
  return Error(sqlstate::kUniqueViolation, "duplicate key value violates unique constraint \"pg_ts_config_map_index\"")
      .with_detail("Key (mapcfg, maptokentype, mapseqno)=(" + std::to_string(configuration) + ", " +
                   std::to_string(r.type) + ", " + std::to_string(r.number) + ") already exists.");
}

Status erase_map_row(DdlContext& c, Oid configuration, const MapRow& r) {
  return check_erased(table(c, pg_ts_config_map::kOid)
                          .erase(c.txn, {Datum::of_oid(configuration), Datum::of(r.type), Datum::of(r.number)}));
}

// On its parser, and each dictionary of its map.
Status record_parts(DdlContext& c, Oid configuration, Oid parser) {
  const Address self{pg_ts_config::kOid, configuration, 0};
  for (const Dependent& d : references_of(c, self))
    if (d.address.class_id == pg_ts_dict::kOid) INDIGO_TRY(remove_dependency(c, self, d.address));
  if (parser != kInvalidOid) {
    INDIGO_TRY(record_dependency(c, self, {catalog::pg_ts_parser::kOid, parser, 0}, 'n'));
  }
  std::vector<Oid> recorded;
  for (const MapRow& r : map_of(c, configuration)) {
    if (std::find(recorded.begin(), recorded.end(), r.dictionary) != recorded.end()) continue;
    recorded.push_back(r.dictionary);
    INDIGO_TRY(record_dependency(c, self, {pg_ts_dict::kOid, r.dictionary, 0}, 'n'));
  }
  c.catalog.changed({kInvalidOid});
  return {};
}

struct TokenName {
  int32_t type;
  std::string alias;
};
bool has_type(const std::vector<TokenName>& types, int32_t type) {
  return std::any_of(types.begin(), types.end(), [type](const TokenName& t) { return t.type == type; });
}

Result<std::vector<TokenName>> read_token_types(NodeList names) {
  std::vector<TokenName> out;
  for (const PgQuery__Node* node : names) {
    const std::string_view alias = string_of(node);
    int32_t type = 0;
    for (int32_t i = 0; i < types::kTokenTypes; i++)
      if (types::token_type_names()[static_cast<size_t>(i)].alias == alias) type = i + 1;
    if (type == 0) {
      return Error(sqlstate::kInvalidParameterValue, "token type " + quoted(alias) + " does not exist");
    }
    if (!has_type(out, type)) out.push_back({type, std::string(alias)});
  }
  return out;
}

Status add_mapping(DdlContext& c, Oid configuration, const PgQuery__AlterTSConfigurationStmt& s,
                   const std::vector<TokenName>& types) {
  std::vector<Oid> dictionaries;
  for (const PgQuery__Node* node : nodes(s.n_dicts, s.dicts)) {
    INDIGO_ASSIGN(const Oid dictionary, existing_text_search(c, text_search_type(types::TextSearchKind::kDictionary),
                                                             nodes(node->list->n_items, node->list->items)));
    dictionaries.push_back(dictionary);
  }
  if (s.override) {
    for (const MapRow& r : map_of(c, configuration))
      if (has_type(types, r.type)) INDIGO_TRY(erase_map_row(c, configuration, r));
  }
  if (s.replace) {
    for (MapRow r : map_of(c, configuration)) {
      if (r.dictionary != dictionaries[0] || (!types.empty() && !has_type(types, r.type))) continue;
      INDIGO_TRY(erase_map_row(c, configuration, r));
      r.dictionary = dictionaries[1];
      INDIGO_TRY(insert_map_row(c, configuration, r));
    }
    return {};
  }
  for (const TokenName& type : types) {
    int32_t number = 0;
    for (const Oid dictionary : dictionaries)
      INDIGO_TRY(insert_map_row(c, configuration, {type.type, ++number, dictionary}));
  }
  return {};
}

Status drop_mapping(DdlContext& c, Oid configuration, bool missing_ok, const std::vector<TokenName>& types) {
  for (const TokenName& type : types) {
    bool found = false;
    for (const MapRow& r : map_of(c, configuration)) {
      if (r.type != type.type) continue;
      found = true;
      INDIGO_TRY(erase_map_row(c, configuration, r));
    }
    if (found) continue;
    const std::string message = "mapping for token type " + quoted(type.alias) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
  }
  return {};
}

}  // namespace

Status execute_create_text_search_configuration(DdlContext& c, const PgQuery__DefineStmt& s) {
  const TextSearchType& type = text_search_type(types::TextSearchKind::kConfiguration);
  INDIGO_ASSIGN(const NewTextSearchName name, new_text_search_name(c, nodes(s.n_defnames, s.defnames)));
  Oid parser = kInvalidOid, copied = kInvalidOid;
  for (const PgQuery__Node* node : nodes(s.n_definition, s.definition)) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view option = d.defname;
    if (option == "parser") {
      INDIGO_ASSIGN(parser, existing_text_search(c, text_search_type(types::TextSearchKind::kParser), option_name(d)));
    } else if (option == "copy") {
      INDIGO_ASSIGN(copied, existing_text_search(c, type, option_name(d)));
    } else {
      return Error(sqlstate::kSyntaxError, "text search configuration parameter " + quoted(option) + " not recognized");
    }
  }
  if (copied != kInvalidOid && parser != kInvalidOid) {
    return Error(sqlstate::kSyntaxError, "cannot specify both PARSER and COPY options");
  }
  std::string image;
  const SystemTable& t = table(c, type.table);
  if (copied != kInvalidOid && t.find_oid(c.txn, copied, image)) {
    parser = t.reader(image).oid(pg_ts_config::c_cfgparser);
  }
  if (parser == kInvalidOid) return Error(sqlstate::kInvalidObjectDefinition, "text search parser is required");
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_ts_config::c_oid, oid)
      .str(pg_ts_config::c_cfgname, name.name)
      .oid(pg_ts_config::c_cfgnamespace, name.schema)
      .oid(pg_ts_config::c_cfgowner, c.catalog.user())
      .oid(pg_ts_config::c_cfgparser, parser);
  INDIGO_TRY(insert_text_search(c, type, row, oid, name.schema));
  if (copied != kInvalidOid) {
    for (const MapRow& r : map_of(c, copied)) INDIGO_TRY(insert_map_row(c, oid, r));
  }
  return record_parts(c, oid, parser);
}

Status execute_alter_text_search_configuration(DdlContext& c, const PgQuery__AlterTSConfigurationStmt& s) {
  const TextSearchType& type = text_search_type(types::TextSearchKind::kConfiguration);
  INDIGO_ASSIGN(const auto found, find_own_text_search(c, type, nodes(s.n_cfgname, s.cfgname), false));
  const SystemTable& t = table(c, type.table);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(found->object)}), image)));
  INDIGO_ASSIGN(const std::vector<TokenName> types, read_token_types(nodes(s.n_tokentype, s.tokentype)));
  if (s.n_dicts > 0) {
    INDIGO_TRY(add_mapping(c, found->object, s, types));
  } else {
    INDIGO_TRY(drop_mapping(c, found->object, s.missing_ok, types));
  }
  return record_parts(c, found->object, kInvalidOid);
}

}  // namespace indigo::engine::ddl
