// CREATE and ALTER TEXT SEARCH DICTIONARY. The dictionary is made once with its options before they are written down.
#include <algorithm>

#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "types/textsearch/dictionary/dictionary_options.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_ts_dict = catalog::pg_ts_dict;
namespace pg_ts_template = catalog::pg_ts_template;

types::DictionaryOption option_of(const PgQuery__DefElem& d) {
  const bool number = is(d.arg, PG_QUERY__NODE__NODE_INTEGER) || is(d.arg, PG_QUERY__NODE__NODE_FLOAT);
  return {d.defname, text_value(d.arg), !number};
}

Status check_options(DdlContext& c, Oid text_search_template, const types::DictionaryOptions& options) {
  std::string image;
  const SystemTable& t = table(c, pg_ts_template::kOid);
  if (!options.empty() && t.find_oid(c.txn, text_search_template, image) &&
      t.reader(image).oid(pg_ts_template::c_tmplinit) == kInvalidOid) {
    return Error(
        sqlstate::kSyntaxError,
        "text search template " + quoted(t.reader(image).str(pg_ts_template::c_tmplname)) + " does not accept options");
  }
  return text_search(c).try_text_search_dictionary(text_search_template, types::dictionary_options_text(options));
}

void write_options(RowValues& row, const types::DictionaryOptions& options) {
  if (options.empty()) {
    row.set_null(pg_ts_dict::c_dictinitoption);
  } else {
    row.str(pg_ts_dict::c_dictinitoption, types::dictionary_options_text(options));
  }
}

}  // namespace

Status execute_create_text_search_dictionary(DdlContext& c, const PgQuery__DefineStmt& s) {
  const TextSearchType& type = text_search_type(types::TextSearchKind::kDictionary);
  INDIGO_ASSIGN(const NewTextSearchName name, new_text_search_name(c, nodes(s.n_defnames, s.defnames)));
  Oid of = kInvalidOid;
  types::DictionaryOptions options;
  for (const PgQuery__Node* node : nodes(s.n_definition, s.definition)) {
    const PgQuery__DefElem& d = *node->def_elem;
    if (std::string_view(d.defname) != "template") {
      options.push_back(option_of(d));
      continue;
    }
    INDIGO_ASSIGN(of, existing_text_search(c, text_search_type(types::TextSearchKind::kTemplate), option_name(d)));
  }
  if (of == kInvalidOid) return Error(sqlstate::kInvalidObjectDefinition, "text search template is required");
  INDIGO_TRY(check_options(c, of, options));
  const Oid oid = next_oid(c);
  RowValues row(table(c, type.table).definition());
  row.oid(pg_ts_dict::c_oid, oid)
      .str(pg_ts_dict::c_dictname, name.name)
      .oid(pg_ts_dict::c_dictnamespace, name.schema)
      .oid(pg_ts_dict::c_dictowner, c.catalog.user())
      .oid(pg_ts_dict::c_dicttemplate, of);
  write_options(row, options);
  INDIGO_TRY(insert_text_search(c, type, row, oid, name.schema));
  return record_dependency(c, {type.table, oid, 0}, {pg_ts_template::kOid, of, 0}, 'n');
}

Status execute_alter_text_search_dictionary(DdlContext& c, const PgQuery__AlterTSDictionaryStmt& s) {
  const TextSearchType& type = text_search_type(types::TextSearchKind::kDictionary);
  INDIGO_ASSIGN(const auto found, find_own_text_search(c, type, nodes(s.n_dictname, s.dictname), false));
  const SystemTable& t = table(c, type.table);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(found->object)}), image)));
  const RowReader before = t.reader(image);
  INDIGO_ASSIGN(types::DictionaryOptions options,
                types::read_dictionary_options(before.str(pg_ts_dict::c_dictinitoption)));
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem& d = *node->def_elem;
    std::erase_if(options, [&d](const types::DictionaryOption& o) { return o.name == d.defname; });
    if (!sql::absent(d.arg)) options.push_back(option_of(d));
  }
  INDIGO_TRY(check_options(c, before.oid(pg_ts_dict::c_dicttemplate), options));
  INDIGO_TRY(
      update_row(c, type.table, {Datum::of_oid(found->object)}, [&](RowValues& row) { write_options(row, options); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
