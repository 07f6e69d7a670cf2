// Comments on objects, and objects in words (pg_describe_object).
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/object_identity.h"
#include "sql/deparse.h"
#include "types/io/record.h"
#include "types/textsearch/session.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

Result<OwnedDatum> comment(SessionParts& session, Oid object, Oid class_id, int32_t column) {
  std::optional<std::string> text;
  CatalogRows(session).find(pg_description::kOid, {Datum::of_oid(object), Datum::of_oid(class_id), Datum::of(column)},
                            [&](RowReader row) { text = row.str(pg_description::c_description); });
  return text_or_null(text);
}

Oid catalog_named(SessionParts& session, std::string_view name) {
  return session.session_catalog().relation_oid(oid::kPgCatalogSchema, name);
}

Result<OwnedDatum> object_description(SessionParts& session, std::span<const Datum> arguments) {
  return comment(session, arguments[0].oid(), catalog_named(session, arguments[1].str), 0);
}
// Without its catalog: the first comment on any object of that number.
Result<OwnedDatum> any_description(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<std::string> text;
  CatalogRows(session).scan(pg_description::kOid, {arguments[0]}, [&](RowReader row) {
    if (row.i32(pg_description::c_objsubid) == 0) text = row.str(pg_description::c_description);
    return !text;
  });
  return text_or_null(text);
}
Result<OwnedDatum> column_description(SessionParts& session, std::span<const Datum> arguments) {
  return comment(session, arguments[0].oid(), pg_class::kOid, arguments[1].i32);
}
Result<OwnedDatum> shared_description(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<std::string> text;
  CatalogRows(session).find(pg_shdescription::kOid,
                            {arguments[0], Datum::of_oid(catalog_named(session, arguments[1].str))},
                            [&](RowReader row) { text = row.str(pg_shdescription::c_description); });
  return text_or_null(text);
}

std::string text_search_in_words(SessionParts& session, Oid class_id, Oid oid) {
  constexpr struct {
    Oid table;
    types::TextSearchKind kind;
    const char* words;
  } kKinds[] = {{pg_ts_config::kOid, types::TextSearchKind::kConfiguration, "text search configuration "},
                {pg_ts_dict::kOid, types::TextSearchKind::kDictionary, "text search dictionary "},
                {pg_ts_parser::kOid, types::TextSearchKind::kParser, "text search parser "},
                {pg_ts_template::kOid, types::TextSearchKind::kTemplate, "text search template "}};
  for (const auto& kind : kKinds) {
    if (kind.table != class_id) continue;
    const auto name = dynamic_cast<types::TextSearchSession&>(session.context()).text_search_name(kind.kind, oid);
    if (!name) break;
    const std::string own = types::quote_identifier(name->name);
    return kind.words + (name->visible ? own : types::quote_identifier(name->schema) + "." + own);
  }
  return {};
}

std::string relation_in_words(NameContext& names, SessionParts& session, Oid oid) {
  const auto relation = session.session_catalog().relation(oid);
  char kind = 0;
  if (relation != nullptr) kind = static_cast<char>(relation->kind);
  std::string name = types::relation_name(names.context, oid);
  CatalogRows(session).find(pg_class::kOid, oid, [&](RowReader row) { kind = row.chr(pg_class::c_relkind); });
  switch (kind) {
    case 'i': return "index " + name;
    case 'S': return "sequence " + name;
    case 'v': return "view " + name;
    case 'm': return "materialized view " + name;
    case 'f': return "foreign table " + name;
    case 'c': return "composite type " + name;
    case 't': return "toast table " + name;
    case 'r': return "table " + name;
    default: return name.empty() ? name : "relation " + name;
  }
}

std::string in_words(SessionParts& session, Oid class_id, Oid oid, int32_t column) {
  NameContext names(session);
  CatalogRows rows(session);
  SessionCatalog& view = session.session_catalog();
  const auto named = [](std::string_view what, const std::string& name) {
    return name.empty() ? name : std::string(what) + " " + name;
  };
  std::string out;
  switch (class_id) {
    case pg_class::kOid: {
      std::string relation = relation_in_words(names, session, oid);
      if (column == 0) return relation;
      rows.find(pg_attribute::kOid, {Datum::of_oid(oid), Datum::of(static_cast<int16_t>(column))}, [&](RowReader row) {
        out = "column " + std::string(row.str(pg_attribute::c_attname)) + " of " + relation;
      });
      return out;
    }
    case pg_type::kOid: return view.type(oid) == nullptr ? "" : "type " + types::format_type(names.context, oid);
    case pg_proc::kOid: return named("function", types::procedure_name(names.context, oid));
    case pg_operator::kOid: return named("operator", types::operator_signature(names.context, oid));
    case pg_statistic_ext::kOid:
      rows.find(class_id, oid, [&](RowReader row) {
        const Oid schema = row.oid(pg_statistic_ext::c_stxnamespace);
        const auto& path = view.search_path();
        const bool seen = std::find(path.begin(), path.end(), schema) != path.end();
        out = "statistics object " + (seen ? std::string() : types::quote_identifier(view.schema_name(schema)) + ".") +
              types::quote_identifier(row.str(pg_statistic_ext::c_stxname));
      });
      return out;
    case pg_ts_config::kOid:
    case pg_ts_dict::kOid:
    case pg_ts_parser::kOid:
    case pg_ts_template::kOid: return text_search_in_words(session, class_id, oid);
    case pg_namespace::kOid: return named("schema", view.schema_name(oid));
    case pg_authid::kOid: return named("role", view.role_name(oid));
    case pg_collation::kOid:
      return view.collation_name(oid).empty() ? "" : "collation " + sql::deparse_collation(view, oid, false);
    case pg_database::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "database " + std::string(row.str(pg_database::c_datname)); });
      return out;
    case pg_am::kOid:
      rows.find(class_id, oid, [&](RowReader row) { out = "access method " + std::string(row.str(pg_am::c_amname)); });
      return out;
    case pg_language::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "language " + std::string(row.str(pg_language::c_lanname)); });
      return out;
    case pg_event_trigger::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "event trigger " + std::string(row.str(pg_event_trigger::c_evtname)); });
      return out;
    case pg_publication::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "publication " + std::string(row.str(pg_publication::c_pubname)); });
      return out;
    case pg_subscription::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "subscription " + std::string(row.str(pg_subscription::c_subname)); });
      return out;
    case pg_publication_rel::kOid:
      rows.find(class_id, oid, [&](RowReader row) {
        out = "publication of " + in_words(session, pg_class::kOid, row.oid(pg_publication_rel::c_prrelid), 0) +
              " in " + in_words(session, pg_publication::kOid, row.oid(pg_publication_rel::c_prpubid), 0);
      });
      return out;
    case pg_publication_namespace::kOid:
      rows.find(class_id, oid, [&](RowReader row) {
        out = "publication of " +
              in_words(session, pg_namespace::kOid, row.oid(pg_publication_namespace::c_pnnspid), 0) + " in " +
              in_words(session, pg_publication::kOid, row.oid(pg_publication_namespace::c_pnpubid), 0);
      });
      return out;
    case pg_foreign_data_wrapper::kOid:
      rows.find(class_id, oid, [&](RowReader row) {
        out = "foreign-data wrapper " + std::string(row.str(pg_foreign_data_wrapper::c_fdwname));
      });
      return out;
    case pg_foreign_server::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "server " + std::string(row.str(pg_foreign_server::c_srvname)); });
      return out;
    case pg_user_mapping::kOid:
      rows.find(class_id, oid, [&](RowReader row) {
        const Oid role = row.oid(pg_user_mapping::c_umuser);
        out = "user mapping for " + (role == kInvalidOid ? "public" : view.role_name(role)) + " on " +
              in_words(session, pg_foreign_server::kOid, row.oid(pg_user_mapping::c_umserver), 0);
      });
      return out;
    case catalog::pg_tablespace::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "tablespace " + std::string(row.str(catalog::pg_tablespace::c_spcname)); });
      return out;
    case catalog::pg_largeobject::kOid:
      rows.find(catalog::pg_largeobject_metadata::kOid, oid,
                [&](RowReader) { out = "large object " + std::to_string(oid); });
      return out;
    case catalog::pg_extension::kOid:
      rows.find(class_id, oid,
                [&](RowReader row) { out = "extension " + std::string(row.str(catalog::pg_extension::c_extname)); });
      return out;
    case pg_constraint::kOid: {
      Oid table = kInvalidOid;
      rows.find(class_id, oid, [&](RowReader row) {
        out = "constraint " + std::string(row.str(pg_constraint::c_conname));
        table = row.oid(pg_constraint::c_conrelid);
      });
      return table == kInvalidOid ? out : out + " on " + relation_in_words(names, session, table);
    }
    case pg_attrdef::kOid: {
      Oid table = kInvalidOid;
      int16_t number = 0;
      rows.find(class_id, oid, [&](RowReader row) {
        table = row.oid(pg_attrdef::c_adrelid);
        number = row.i16(pg_attrdef::c_adnum);
      });
      return named("default value for", in_words(session, pg_class::kOid, table, number));
    }
    case pg_rewrite::kOid: {
      Oid table = kInvalidOid;
      rows.find(class_id, oid, [&](RowReader row) {
        out = "rule " + std::string(row.str(pg_rewrite::c_rulename));
        table = row.oid(pg_rewrite::c_ev_class);
      });
      return out.empty() ? out : out + " on " + relation_in_words(names, session, table);
    }
    default: return out;
  }
}

Result<OwnedDatum> describe_object(SessionParts& session, std::span<const Datum> arguments) {
  const std::string words = in_words(session, arguments[0].oid(), arguments[1].oid(), arguments[2].i32);
  return words.empty() ? text_null() : text_value(words);
}

// (type, schema, name, identity)
Result<OwnedDatum> identify(SessionParts& session, std::span<const Datum> arguments) {
  const auto found = identify_object(session, arguments[0].oid(), arguments[1].oid(), arguments[2].i32);
  ObjectIdentity identity = found.value_or(ObjectIdentity{});
  // A column is named by its relation here, unlike in what event triggers tell.
  if (found && arguments[0].oid() == catalog::pg_class::kOid && arguments[2].i32 != 0)
    identity.name = identity.names[1];
  const auto text = [](const std::string& s) { return s.empty() ? null_text() : text_datum(s); };
  const auto quoted = [](const std::string& s) { return s.empty() ? s : types::quote_identifier(s); };
  const types::TypeRef column{oid::kText, -1, oid::kDefaultCollation};
  const TypeRef types[] = {column, column, column, column};
  const std::string schema = quoted(identity.schema), name = quoted(identity.name);
  const Datum values[] = {text(identity.type), text(schema), text(name), text(identity.identity)};
  return text_value(types::make_record(oid::kRecord, types, values));
}

constexpr SystemValue kCommentsValues[] = {
    {"obj_description(oid,name)", object_description}, {"obj_description(oid)", any_description},
    {"col_description(oid,int4)", column_description}, {"shobj_description(oid,name)", shared_description},
    {"pg_describe_object", describe_object},           {"pg_identify_object", identify},
};

}  // namespace

std::span<const SystemValue> comment_values() { return kCommentsValues; }

}  // namespace indigo::engine
