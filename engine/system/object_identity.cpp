#include "engine/system/object_identity.h"

#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
using types::quote_identifier;

class Identifier {
 public:
  explicit Identifier(SessionParts& session) : session_(session), rows_(session), names_(session) {}

  std::optional<ObjectIdentity> identify(Oid class_id, Oid object, int32_t sub) {
    switch (class_id) {
      case pg_class::kOid: return sub == 0 ? relation(object) : column(object, sub);
      case pg_type::kOid: return type(object);
      case pg_proc::kOid: return routine(object);
      case pg_constraint::kOid: return constraint(object);
      case pg_attrdef::kOid: return default_value(object);
      case pg_rewrite::kOid: return of_table("rule", class_id, object, pg_rewrite::c_rulename, pg_rewrite::c_ev_class);
      case pg_trigger::kOid: return of_table("trigger", class_id, object, pg_trigger::c_tgname, pg_trigger::c_tgrelid);
      case pg_policy::kOid: return of_table("policy", class_id, object, pg_policy::c_polname, pg_policy::c_polrelid);
      case pg_namespace::kOid: return plain("schema", session_.session_catalog().schema_name(object));
      case pg_authid::kOid: return plain("role", session_.session_catalog().role_name(object));
      case pg_database::kOid: return named("database", class_id, object, pg_database::c_datname);
      case pg_tablespace::kOid: return named("tablespace", class_id, object, pg_tablespace::c_spcname);
      case pg_language::kOid: return named("language", class_id, object, pg_language::c_lanname);
      case pg_extension::kOid: return named("extension", class_id, object, pg_extension::c_extname);
      case pg_foreign_data_wrapper::kOid:
        return named("foreign-data wrapper", class_id, object, pg_foreign_data_wrapper::c_fdwname);
      case pg_foreign_server::kOid: return named("server", class_id, object, pg_foreign_server::c_srvname);
      case pg_user_mapping::kOid: return user_mapping(object);
      case pg_subscription::kOid: return named("subscription", class_id, object, pg_subscription::c_subname);
      case pg_publication::kOid: return named("publication", class_id, object, pg_publication::c_pubname);
      case pg_largeobject::kOid: return large_object(object);
      case pg_event_trigger::kOid: return named("event trigger", class_id, object, pg_event_trigger::c_evtname);
      case pg_collation::kOid:
        return in_schema("collation", class_id, object, pg_collation::c_collname, pg_collation::c_collnamespace);
      case pg_ts_config::kOid:
        return in_schema("text search configuration", class_id, object, pg_ts_config::c_cfgname,
                         pg_ts_config::c_cfgnamespace);
      case pg_ts_dict::kOid:
        return in_schema("text search dictionary", class_id, object, pg_ts_dict::c_dictname,
                         pg_ts_dict::c_dictnamespace);
      case pg_ts_parser::kOid:
        return in_schema("text search parser", class_id, object, pg_ts_parser::c_prsname, pg_ts_parser::c_prsnamespace);
      case pg_ts_template::kOid:
        return in_schema("text search template", class_id, object, pg_ts_template::c_tmplname,
                         pg_ts_template::c_tmplnamespace);
      case pg_statistic_ext::kOid:
        return in_schema("statistics object", class_id, object, pg_statistic_ext::c_stxname,
                         pg_statistic_ext::c_stxnamespace);
      case pg_operator::kOid: return operator_of(object);
      case pg_cast::kOid: return cast(object);
      default: return std::nullopt;
    }
  }

 private:
  using Answer = std::optional<ObjectIdentity>;

  std::string schema_of(Oid schema) {
    SessionCatalog& view = session_.session_catalog();
    return schema == view.temp_schema() ? "pg_temp" : view.schema_name(schema);
  }

  std::string type_text(Oid oid) {
    const auto info = session_.session_catalog().type(oid);
    if (info == nullptr || info->schema == oid::kPgCatalogSchema) return types::format_type(names_.context, oid);
    if (info->is_array()) return type_text(info->element) + "[]";
    return quote_identifier(schema_of(info->schema)) + "." + quote_identifier(info->name);
  }

  static Answer plain(std::string type, const std::string& name) {
    if (name.empty()) return std::nullopt;
    return ObjectIdentity{std::move(type), "", name, quote_identifier(name), {name}, {}};
  }

  Answer named(std::string type, Oid class_id, Oid object, int name_column) {
    std::string name;
    rows_.find(class_id, object, [&](RowReader row) { name = row.str(name_column); });
    return plain(std::move(type), name);
  }

  Answer large_object(Oid object) {
    if (!rows_.find(pg_largeobject_metadata::kOid, object, [](const RowReader&) {})) return std::nullopt;
    const std::string number = std::to_string(object);
    return ObjectIdentity{"large object", "", "", number, {number}, {}};
  }

  Answer in_schema(std::string type, Oid class_id, Oid object, int name_column, int schema_column) {
    std::string name, schema;
    rows_.find(class_id, object, [&](RowReader row) {
      name = row.str(name_column);
      schema = schema_of(row.oid(schema_column));
    });
    if (name.empty()) return std::nullopt;
    return ObjectIdentity{std::move(type), schema, name, quote_identifier(schema) + "." + quote_identifier(name),
                          {schema, name},  {}};
  }

  Answer relation(Oid object) {
    char kind = 0;
    rows_.find(pg_class::kOid, object, [&](RowReader row) { kind = row.chr(pg_class::c_relkind); });
    std::string type = "table";
    if (kind == 'i' || kind == 'I') type = "index";
    if (kind == 'S') type = "sequence";
    if (kind == 'v') type = "view";
    if (kind == 'm') type = "materialized view";
    if (kind == 'f') type = "foreign table";
    if (kind == 'c') type = "composite type";
    return in_schema(std::move(type), pg_class::kOid, object, pg_class::c_relname, pg_class::c_relnamespace);
  }

  // Something without a schema's name of its own that belongs to a table.
  Answer part(std::string type, Oid table, const std::string& name, std::string identity) {
    Answer owner = relation(table);
    if (!owner || name.empty()) return std::nullopt;
    return ObjectIdentity{
        std::move(type), owner->schema, "", std::move(identity), {owner->schema, owner->name, name}, {}};
  }

  Answer of_table(std::string type, Oid class_id, Oid object, int name_column, int table_column) {
    std::string name;
    Oid table = kInvalidOid;
    rows_.find(class_id, object, [&](RowReader row) {
      name = row.str(name_column);
      table = row.oid(table_column);
    });
    const Answer owner = relation(table);
    if (!owner) return std::nullopt;
    Answer out = part(std::move(type), table, name, quote_identifier(name) + " on " + owner->identity);
    if (out) out->schema.clear();
    return out;
  }

  Answer column(Oid table, int32_t number) {
    const Answer owner = relation(table);
    std::string name;
    rows_.find(pg_attribute::kOid, {Datum::of_oid(table), Datum::of(static_cast<int16_t>(number))},
               [&](RowReader row) { name = row.str(pg_attribute::c_attname); });
    if (!owner) return std::nullopt;
    return part(owner->type + " column", table, name, owner->identity + "." + quote_identifier(name));
  }

  Answer type(Oid object) {
    const auto info = session_.session_catalog().type(object);
    if (info == nullptr) return std::nullopt;
    const std::string identity = type_text(object);
    return ObjectIdentity{"type", schema_of(info->schema), info->name, identity, {identity}, {}};
  }

  Answer routine(Oid object) {
    const auto f = session_.session_catalog().function(object);
    if (f == nullptr) return std::nullopt;
    ObjectIdentity out;
    out.type = f->kind == types::FunctionKind::kProcedure   ? "procedure"
               : f->kind == types::FunctionKind::kAggregate ? "aggregate"
                                                            : "function";
    out.schema = schema_of(f->schema);
    out.identity = quote_identifier(out.schema) + "." + quote_identifier(f->name) + "(";
    for (size_t i = 0; i < f->arguments.size(); i++) {
      out.arguments.push_back(type_text(f->arguments[i]));
      out.identity += (i > 0 ? "," : "") + out.arguments.back();
    }
    out.identity += ")";
    out.names = {out.schema, f->name};
    return out;
  }

  Answer constraint(Oid object) {
    std::string name;
    Oid table = kInvalidOid, domain = kInvalidOid;
    rows_.find(pg_constraint::kOid, object, [&](RowReader row) {
      name = row.str(pg_constraint::c_conname);
      table = row.oid(pg_constraint::c_conrelid);
      domain = row.oid(pg_constraint::c_contypid);
    });
    if (domain != kInvalidOid) {
      const std::string owner = type_text(domain);
      const auto info = session_.session_catalog().type(domain);
      return ObjectIdentity{"domain constraint",
                            info == nullptr ? "" : schema_of(info->schema),
                            "",
                            quote_identifier(name) + " on " + owner,
                            {owner},
                            {name}};
    }
    const Answer owner = relation(table);
    if (!owner) return std::nullopt;
    return part("table constraint", table, name, quote_identifier(name) + " on " + owner->identity);
  }

  Answer default_value(Oid object) {
    Oid table = kInvalidOid;
    int16_t number = 0;
    rows_.find(pg_attrdef::kOid, object, [&](RowReader row) {
      table = row.oid(pg_attrdef::c_adrelid);
      number = row.i16(pg_attrdef::c_adnum);
    });
    Answer out = column(table, number);
    if (!out) return out;
    out->type = "default value";
    out->schema.clear();
    out->identity = "for " + out->identity;
    return out;
  }

  Answer operator_of(Oid object) {
    const types::OperatorInfo* o = session_.session_catalog().operator_by_oid(object);
    if (o == nullptr) return std::nullopt;
    const std::string schema = schema_of(o->schema);
    const std::string left = o->left == kInvalidOid ? "NONE" : type_text(o->left), right = type_text(o->right);
    return ObjectIdentity{"operator",        schema,
                          o->name,           quote_identifier(schema) + "." + o->name + "(" + left + "," + right + ")",
                          {schema, o->name}, {left, right}};
  }

  Answer user_mapping(Oid object) {
    Oid role = kInvalidOid, server = kInvalidOid;
    rows_.find(pg_user_mapping::kOid, object, [&](RowReader row) {
      role = row.oid(pg_user_mapping::c_umuser);
      server = row.oid(pg_user_mapping::c_umserver);
    });
    const Answer on = named("server", pg_foreign_server::kOid, server, pg_foreign_server::c_srvname);
    if (!on) return std::nullopt;
    const std::string user = role == kInvalidOid ? "public" : session_.session_catalog().role_name(role);
    return ObjectIdentity{"user mapping", "",        "", quote_identifier(user) + " on server " + on->name,
                          {user},         {on->name}};
  }

  Answer cast(Oid object) {
    Oid source = kInvalidOid, target = kInvalidOid;
    rows_.find(pg_cast::kOid, object, [&](RowReader row) {
      source = row.oid(pg_cast::c_castsource);
      target = row.oid(pg_cast::c_casttarget);
    });
    if (source == kInvalidOid) return std::nullopt;
    const std::string from = type_text(source), to = type_text(target);
    return ObjectIdentity{"cast", "", "", "(" + from + " AS " + to + ")", {from}, {to}};
  }

  SessionParts& session_;
  CatalogRows rows_;
  NameContext names_;
};

}  // namespace

std::optional<ObjectIdentity> identify_object(SessionParts& session, Oid class_id, Oid object, int32_t sub) {
  return Identifier(session).identify(class_id, object, sub);
}

}  // namespace indigo::engine
