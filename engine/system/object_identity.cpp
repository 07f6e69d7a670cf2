#include "engine/system/object_identity.h"

#include "engine/system/catalog_rows.h"
#include "engine/system/object_kinds.h"

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
      case pg_user_mapping::kOid: return user_mapping(object);
      case pg_largeobject::kOid: return large_object(object);
      case pg_opclass::kOid:
      case pg_opfamily::kOid: return of_method(*schema_kind(class_id), object);
      case pg_amop::kOid:
        return member("operator", object,
                      {class_id, pg_amop::c_amopfamily, pg_amop::c_amoplefttype, pg_amop::c_amoprighttype,
                       pg_amop::c_amopstrategy});
      case pg_amproc::kOid:
        return member("function", object,
                      {class_id, pg_amproc::c_amprocfamily, pg_amproc::c_amproclefttype, pg_amproc::c_amprocrighttype,
                       pg_amproc::c_amprocnum});
      case pg_default_acl::kOid: return default_privileges(object);
      case pg_publication_rel::kOid: return published_table(object);
      case pg_publication_namespace::kOid: return published_schema(object);
      case pg_transform::kOid: return transform(object);
      case pg_parameter_acl::kOid: return parameter(object);
      case pg_operator::kOid: return operator_of(object);
      case pg_cast::kOid: return cast(object);
      default: break;
    }
    if (const PlainKind* kind = plain_kind(class_id))
      return named(std::string(kind->words), class_id, object, kind->name);
    const SchemaKind* kind = schema_kind(class_id);
    if (kind == nullptr) return std::nullopt;
    return in_schema(std::string(kind->words), class_id, object, kind->name, kind->schema);
  }

 private:
  using Answer = std::optional<ObjectIdentity>;

  std::string schema_of(Oid schema) {
    SessionCatalog& view = session_.session_catalog();
    return schema == view.temp_schema() ? "pg_temp" : view.schema_name(schema);
  }

  std::string type_text(Oid oid) {
    const auto info = session_.session_catalog().type(oid);
    if (info == nullptr) return types::format_type(names_.context, oid);
    if (info->is_array()) return type_text(info->element) + "[]";
    // What SQL has a name of its own for is in no schema.
    std::string sql = types::format_type(names_.context, oid);
    const bool same_name = oid == oid::kBit || oid == oid::kNumeric || oid == oid::kInterval;
    if (info->schema == oid::kPgCatalogSchema && (same_name || sql != quote_identifier(info->name))) return sql;
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
    if (kind == 't') type = "toast table";
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
    ObjectIdentity out{
        "operator",        schema, "", quote_identifier(schema) + "." + o->name + "(" + left + "," + right + ")",
        {schema, o->name}, {right}};
    if (o->left != kInvalidOid) out.arguments.insert(out.arguments.begin(), left);
    return out;
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

  // "pg_catalog.int4_ops USING btree"; the method comes first among the names.
  Answer of_method(const SchemaKind& kind, Oid object) {
    Oid method = kInvalidOid;
    rows_.find(kind.table, object, [&](RowReader row) { method = row.oid(kind.same); });
    const Answer of = named("", pg_am::kOid, method, pg_am::c_amname);
    Answer out = in_schema(std::string(kind.words), kind.table, object, kind.name, kind.schema);
    if (!of || !out) return std::nullopt;
    out->identity += " USING " + of->identity;
    out->names.insert(out->names.begin(), of->name);
    return out;
  }

  // An operator or a function of an operator family.
  struct Member {
    Oid table;
    int family, left, right, number;
  };
  Answer member(const std::string& words, Oid object, const Member& m) {
    Answer out;
    rows_.find(m.table, object, [&](RowReader row) {
      const Answer family = of_method(*schema_kind(pg_opfamily::kOid), row.oid(m.family));
      if (!family) return;
      const std::string number = std::to_string(row.i16(m.number));
      out = ObjectIdentity{words + " of access method",
                           "",
                           "",
                           "",
                           family->names,
                           {type_text(row.oid(m.left)), type_text(row.oid(m.right))}};
      out->identity =
          words + " " + number + " (" + out->arguments[0] + ", " + out->arguments[1] + ") of " + family->identity;
      out->names.push_back(number);
    });
    return out;
  }

  Answer default_privileges(Oid object) {
    Answer out;
    rows_.find(pg_default_acl::kOid, object, [&](RowReader row) {
      const char kind = row.chr(pg_default_acl::c_defaclobjtype);
      const std::string role = session_.session_catalog().role_name(row.oid(pg_default_acl::c_defaclrole));
      const Oid schema = row.oid(pg_default_acl::c_defaclnamespace);
      out = ObjectIdentity{"default acl", "", "", "for role " + quote_identifier(role), {role}, {std::string(1, kind)}};
      if (schema != kInvalidOid) {
        out->names.push_back(schema_of(schema));
        out->identity += " in schema " + quote_identifier(out->names.back());
      }
      switch (kind) {
        case 'r': out->identity += " on tables"; break;
        case 'S': out->identity += " on sequences"; break;
        case 'f': out->identity += " on functions"; break;
        case 'T': out->identity += " on types"; break;
        case 'n': out->identity += " on schemas"; break;
        default: break;
      }
    });
    return out;
  }

  Answer published_table(Oid object) {
    Answer out;
    rows_.find(pg_publication_rel::kOid, object, [&](RowReader row) {
      out = published("publication relation", relation(row.oid(pg_publication_rel::c_prrelid)),
                      row.oid(pg_publication_rel::c_prpubid));
    });
    return out;
  }
  Answer published_schema(Oid object) {
    Answer out;
    rows_.find(pg_publication_namespace::kOid, object, [&](RowReader row) {
      const Oid schema = row.oid(pg_publication_namespace::c_pnnspid);
      out = published("publication namespace", plain("", session_.session_catalog().schema_name(schema)),
                      row.oid(pg_publication_namespace::c_pnpubid));
    });
    return out;
  }
  Answer published(std::string type, const Answer& member, Oid publication) {
    const Answer in = named("", pg_publication::kOid, publication, pg_publication::c_pubname);
    if (!member || !in) return std::nullopt;
    return ObjectIdentity{std::move(type), "",        "", member->identity + " in publication " + in->name,
                          member->names,   {in->name}};
  }

  Answer transform(Oid object) {
    Answer out;
    rows_.find(pg_transform::kOid, object, [&](RowReader row) {
      const Answer language = named("", pg_language::kOid, row.oid(pg_transform::c_trflang), pg_language::c_lanname);
      if (!language) return;
      const std::string of = type_text(row.oid(pg_transform::c_trftype));
      out = ObjectIdentity{"transform", "", "", "for " + of + " on language " + language->name, {of}, {language->name}};
    });
    return out;
  }

  Answer parameter(Oid object) {
    Answer out;
    rows_.find(pg_parameter_acl::kOid, object, [&](RowReader row) {
      const std::string name(row.str(pg_parameter_acl::c_parname));
      out = ObjectIdentity{"parameter ACL", "", "", name, {name}, {}};
    });
    return out;
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
