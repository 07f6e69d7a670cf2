#include "engine/system/object_description.h"

#include "engine/system/catalog_rows.h"
#include "engine/system/object_kinds.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
using types::quote_identifier;

class Describer {
 public:
  explicit Describer(SessionParts& session)
      : session_(session), view_(session.session_catalog()), rows_(session), names_(session) {}

  std::string describe(Oid class_id, Oid object, int32_t sub) {
    if (const PlainKind* kind = plain_kind(class_id)) return plain(*kind, object);
    if (const SchemaKind* kind = schema_kind(class_id)) return in_schema(*kind, object);
    switch (class_id) {
      case pg_class::kOid: return sub == 0 ? relation(object) : column(object, sub);
      case pg_type::kOid: return view_.type(object) == nullptr ? "" : "type " + type(object);
      case pg_proc::kOid: return after("function ", types::procedure_name(names_.context, object));
      case pg_operator::kOid: return after("operator ", types::operator_signature(names_.context, object));
      case pg_cast::kOid: return cast(object);
      case pg_constraint::kOid: return constraint(object);
      case pg_attrdef::kOid: return default_value(object);
      case pg_amop::kOid: return member_operator(object);
      case pg_amproc::kOid: return member_function(object);
      case pg_rewrite::kOid: return of_table("rule", class_id, object, pg_rewrite::c_rulename, pg_rewrite::c_ev_class);
      case pg_trigger::kOid: return of_table("trigger", class_id, object, pg_trigger::c_tgname, pg_trigger::c_tgrelid);
      case pg_policy::kOid: return of_table("policy", class_id, object, pg_policy::c_polname, pg_policy::c_polrelid);
      case pg_largeobject::kOid:
        return rows_.find(pg_largeobject_metadata::kOid, object, [](const RowReader&) {})
                   ? "large object " + std::to_string(object)
                   : "";
      case pg_user_mapping::kOid: return user_mapping(object);
      case pg_default_acl::kOid: return default_privileges(object);
      case pg_publication_rel::kOid:
        return of_publication(class_id, object, pg_class::kOid, pg_publication_rel::c_prrelid,
                              pg_publication_rel::c_prpubid);
      case pg_publication_namespace::kOid:
        return of_publication(class_id, object, pg_namespace::kOid, pg_publication_namespace::c_pnnspid,
                              pg_publication_namespace::c_pnpubid);
      case pg_transform::kOid: return transform(object);
      default: return {};
    }
  }

 private:
  static std::string after(std::string_view words, const std::string& name) {
    return name.empty() ? name : std::string(words) + name;
  }
  std::string type(Oid oid) { return types::format_type(names_.context, oid); }
  // An operator or a support function is for types, or for none ("-").
  std::string type_or_none(Oid oid) { return oid == kInvalidOid ? "-" : type(oid); }

  std::string plain(const PlainKind& kind, Oid object) {
    std::string out;
    const std::string words(kind.table == pg_parameter_acl::kOid ? "parameter" : kind.words);
    rows_.find(kind.table, object, [&](RowReader row) { out = words + " " + std::string(row.str(kind.name)); });
    return out;
  }

  std::string in_schema(const SchemaKind& kind, Oid object) {
    std::string name;
    Oid schema = kInvalidOid, same = kInvalidOid;
    rows_.find(kind.table, object, [&](RowReader row) {
      name = quote_identifier(row.str(kind.name));
      schema = row.oid(kind.schema);
      if (kind.same >= 0) same = row.oid(kind.same);
    });
    if (name.empty()) return {};
    if (!is_found_by_name(session_, kind, object).value_or(false))
      name = quote_identifier(view_.schema_name(schema)) + "." + name;
    name = std::string(kind.words) + " " + name;
    return kind.same < 0 ? name : name + " for " + describe(pg_am::kOid, same, 0);
  }

  std::string relation(Oid oid) {
    char kind = 0;
    rows_.find(pg_class::kOid, oid, [&](RowReader row) { kind = row.chr(pg_class::c_relkind); });
    const std::string name = types::relation_name(names_.context, oid);
    switch (kind) {
      case 'r':
      case 'p': return "table " + name;
      case 'i':
      case 'I': return "index " + name;
      case 'S': return "sequence " + name;
      case 't': return "toast table " + name;
      case 'v': return "view " + name;
      case 'm': return "materialized view " + name;
      case 'c': return "composite type " + name;
      case 'f': return "foreign table " + name;
      default: return after("relation ", name);
    }
  }

  std::string column(Oid table, int32_t number) {
    std::string name;
    rows_.find(pg_attribute::kOid, {Datum::of_oid(table), Datum::of(static_cast<int16_t>(number))},
               [&](RowReader row) { name = row.str(pg_attribute::c_attname); });
    return name.empty() ? name : "column " + name + " of " + relation(table);
  }

  std::string of_table(std::string_view words, Oid class_id, Oid object, int name_column, int table_column) {
    std::string name;
    Oid table = kInvalidOid;
    rows_.find(class_id, object, [&](RowReader row) {
      name = row.str(name_column);
      table = row.oid(table_column);
    });
    return name.empty() ? name : std::string(words) + " " + name + " on " + relation(table);
  }

  std::string cast(Oid object) {
    std::string out;
    rows_.find(pg_cast::kOid, object, [&](RowReader row) {
      out = "cast from " + type(row.oid(pg_cast::c_castsource)) + " to " + type(row.oid(pg_cast::c_casttarget));
    });
    return out;
  }

  std::string constraint(Oid object) {
    std::string out;
    Oid table = kInvalidOid;
    rows_.find(pg_constraint::kOid, object, [&](RowReader row) {
      out = "constraint " + std::string(row.str(pg_constraint::c_conname));
      table = row.oid(pg_constraint::c_conrelid);
    });
    return table == kInvalidOid ? out : out + " on " + relation(table);
  }

  std::string default_value(Oid object) {
    Oid table = kInvalidOid;
    int16_t number = 0;
    rows_.find(pg_attrdef::kOid, object, [&](RowReader row) {
      table = row.oid(pg_attrdef::c_adrelid);
      number = row.i16(pg_attrdef::c_adnum);
    });
    return after("default value for ", column(table, number));
  }

  // "operator 1 (integer, integer) of operator family integer_ops for access method btree: <(integer,integer)"
  std::string member_operator(Oid object) {
    std::string out;
    rows_.find(pg_amop::kOid, object, [&](RowReader row) {
      out = "operator " + std::to_string(row.i16(pg_amop::c_amopstrategy)) + " (" +
            type_or_none(row.oid(pg_amop::c_amoplefttype)) + ", " + type_or_none(row.oid(pg_amop::c_amoprighttype)) +
            ") of " + describe(pg_opfamily::kOid, row.oid(pg_amop::c_amopfamily), 0) + ": " +
            types::operator_signature(names_.context, row.oid(pg_amop::c_amopopr));
    });
    return out;
  }
  std::string member_function(Oid object) {
    std::string out;
    rows_.find(pg_amproc::kOid, object, [&](RowReader row) {
      out = "function " + std::to_string(row.i16(pg_amproc::c_amprocnum)) + " (" +
            type_or_none(row.oid(pg_amproc::c_amproclefttype)) + ", " +
            type_or_none(row.oid(pg_amproc::c_amprocrighttype)) + ") of " +
            describe(pg_opfamily::kOid, row.oid(pg_amproc::c_amprocfamily), 0) + ": " +
            types::procedure_name(names_.context, row.oid(pg_amproc::c_amproc));
    });
    return out;
  }

  std::string user_mapping(Oid object) {
    std::string out;
    rows_.find(pg_user_mapping::kOid, object, [&](RowReader row) {
      const Oid role = row.oid(pg_user_mapping::c_umuser);
      out = "user mapping for " + (role == kInvalidOid ? "public" : view_.role_name(role)) + " on " +
            describe(pg_foreign_server::kOid, row.oid(pg_user_mapping::c_umserver), 0);
    });
    return out;
  }

  std::string default_privileges(Oid object) {
    std::string out;
    rows_.find(pg_default_acl::kOid, object, [&](RowReader row) {
      const auto what = [](char kind) -> std::string_view {
        switch (kind) {
          case 'r': return " on new relations";
          case 'S': return " on new sequences";
          case 'f': return " on new functions";
          case 'T': return " on new types";
          case 'n': return " on new schemas";
          default: return "";
        }
      };
      out = "default privileges" + std::string(what(row.chr(pg_default_acl::c_defaclobjtype))) + " belonging to " +
            describe(pg_authid::kOid, row.oid(pg_default_acl::c_defaclrole), 0);
      const Oid schema = row.oid(pg_default_acl::c_defaclnamespace);
      if (schema != kInvalidOid) out += " in " + describe(pg_namespace::kOid, schema, 0);
    });
    return out;
  }

  std::string of_publication(Oid class_id, Oid object, Oid member_class, int member_column, int publication_column) {
    std::string out;
    rows_.find(class_id, object, [&](RowReader row) {
      out = "publication of " + describe(member_class, row.oid(member_column), 0) + " in " +
            describe(pg_publication::kOid, row.oid(publication_column), 0);
    });
    return out;
  }

  std::string transform(Oid object) {
    std::string out;
    rows_.find(pg_transform::kOid, object, [&](RowReader row) {
      out = "transform for " + type(row.oid(pg_transform::c_trftype)) + " " +
            describe(pg_language::kOid, row.oid(pg_transform::c_trflang), 0);
    });
    return out;
  }

  SessionParts& session_;
  SessionCatalog& view_;
  CatalogRows rows_;
  NameContext names_;
};

}  // namespace

std::string object_in_words(SessionParts& session, Oid class_id, Oid object, int32_t sub) {
  return Describer(session).describe(class_id, object, sub);
}

}  // namespace indigo::engine
