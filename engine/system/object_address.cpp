#include "engine/system/object_address.h"

#include <cstdlib>

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/object_description.h"
#include "engine/system/object_kinds.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
using catalog::RelationKind;
using Names = std::vector<std::string>;
using RelationPtr = std::shared_ptr<const catalog::RelationInfo>;

// What an object's parts have to look like.
struct Shape {
  std::string_view words;
  size_t least_names = 1, most_names = SIZE_MAX;  // most: the names are exactly that many
  int arguments = -1;                             // exactly that many; -1: they do not matter
};

constexpr Shape kShapes[] = {
    {"table"},
    {"index"},
    {"sequence"},
    {"view"},
    {"materialized view"},
    {"foreign table"},
    {"table column"},
    {"foreign table column"},
    {"aggregate"},
    {"function"},
    {"procedure"},
    {"type", 1, 1},
    {"cast", 1, 1, 1},
    {"collation"},
    {"table constraint"},
    {"domain constraint", 1, 1, 1},
    {"conversion"},
    {"default value"},
    {"language", 1, 1},
    {"large object", 1, 1},
    {"operator", 1, SIZE_MAX, 2},
    {"operator class", 2},
    {"operator family", 2},
    {"access method", 1, 1},
    {"operator of access method", 3, SIZE_MAX, 2},
    {"function of access method", 3, SIZE_MAX, 2},
    {"rule"},
    {"trigger"},
    {"schema", 1, 1},
    {"text search parser"},
    {"text search dictionary"},
    {"text search template"},
    {"text search configuration"},
    {"role", 1, 1},
    {"database", 1, 1},
    {"tablespace", 1, 1},
    {"foreign-data wrapper", 1, 1},
    {"server", 1, 1},
    {"user mapping", 1, 1, 1},
    {"default acl", 1, SIZE_MAX, 1},
    {"extension", 1, 1},
    {"event trigger", 1, 1},
    {"parameter ACL", 1, 1},
    {"policy"},
    {"publication", 1, 1},
    {"publication namespace", 1, 1, 1},
    {"publication relation", 1, SIZE_MAX, 1},
    {"subscription", 1, 1},
    {"transform", 1, 1, 1},
    {"statistics object"},
};

// Kinds that are told of, but have no address of their own.
constexpr std::string_view kWithoutAddress[] = {
    "toast table", "composite type",           "index column",          "sequence column", "toast table column",
    "view column", "materialized view column", "composite type column",
};

Error invalid(std::string message) { return Error(sqlstate::kInvalidParameterValue, std::move(message)); }
Error undefined(std::string message) { return Error(sqlstate::kUndefinedObject, std::move(message)); }
std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

std::string dotted(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ".") + name;
  return out;
}

class Finder {
 public:
  Finder(SessionParts& session, Names names, Names arguments)
      : session_(session),
        view_(session.session_catalog()),
        rows_(session),
        context_(session),
        names_(std::move(names)),
        arguments_(std::move(arguments)) {}

  Result<ObjectAddress> find(std::string_view type) {
    if (const PlainKind* kind = plain_kind(type)) return plain(*kind, names_[0]);
    if (type == "operator class" || type == "operator family") return of_method(*schema_kind(type), names_);
    if (const SchemaKind* kind = schema_kind(type)) return in_schema(*kind, names_, kInvalidOid);
    if (type == "table column" || type == "foreign table column") return column();
    if (type == "aggregate" || type == "function" || type == "procedure") return routine(type);
    if (type == "type") return of_type(names_[0]);
    if (type == "cast") return cast();
    if (type == "table constraint")
      return of_table("constraint", pg_constraint::kOid, pg_constraint::c_conname, pg_constraint::c_conrelid);
    if (type == "domain constraint") return domain_constraint();
    if (type == "default value") return default_value();
    if (type == "large object") return large_object();
    if (type == "operator") return operator_of();
    if (type == "operator of access method") {
      return member("operator", {pg_amop::kOid, pg_amop::c_amopfamily, pg_amop::c_amoplefttype,
                                 pg_amop::c_amoprighttype, pg_amop::c_amopstrategy});
    }
    if (type == "function of access method") {
      return member("function", {pg_amproc::kOid, pg_amproc::c_amprocfamily, pg_amproc::c_amproclefttype,
                                 pg_amproc::c_amprocrighttype, pg_amproc::c_amprocnum});
    }
    if (type == "rule") return of_table("rule", pg_rewrite::kOid, pg_rewrite::c_rulename, pg_rewrite::c_ev_class);
    if (type == "trigger") return of_table("trigger", pg_trigger::kOid, pg_trigger::c_tgname, pg_trigger::c_tgrelid);
    if (type == "policy") return of_table("policy", pg_policy::kOid, pg_policy::c_polname, pg_policy::c_polrelid);
    if (type == "user mapping") return user_mapping();
    if (type == "default acl") return default_privileges();
    if (type == "publication namespace") return published_schema();
    if (type == "publication relation") return published_table();
    if (type == "transform") return transform();
    return relation(type);
  }

 private:
  using Answer = Result<ObjectAddress>;

  static Answer found_or(Oid class_id, Oid object, Error absent) {
    if (object == kInvalidOid) return absent;
    return ObjectAddress{class_id, object, 0};
  }

  // The row's OID where `matches` says so, in a table whose first column it is.
  template <class F>
  Oid row_where(Oid table, F&& matches) {
    Oid found = kInvalidOid;
    rows_.scan(table, {}, [&](RowReader row) {
      if (matches(row)) found = row.oid(0);
      return found == kInvalidOid;
    });
    return found;
  }

  // ---- names

  struct Qualified {
    std::string schema, name;
  };
  Result<Qualified> qualified(std::span<const std::string> names) {
    if (names.size() > 3)
      return Error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + dotted(names));
    if (names.size() == 3 && names[0] != view_.database_name())
      return Error(sqlstate::kFeatureNotSupported, "cross-database references are not implemented: " + dotted(names));
    return Qualified{names.size() == 1 ? "" : names[names.size() - 2], names.back()};
  }

  Result<Oid> schema_named(const std::string& name) {
    const Oid schema = name == "pg_temp" ? view_.temp_schema() : view_.schema_named(name);
    if (schema == kInvalidOid) return Error(sqlstate::kInvalidSchemaName, "schema " + quoted(name) + " does not exist");
    if (!view_.may_use_schema(schema))
      return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + name);
    return schema;
  }

  Result<RelationPtr> relation_named(std::span<const std::string> names) {
    if (names.size() > 3)
      return Error(sqlstate::kSyntaxError, "improper relation name (too many dotted names): " + dotted(names));
    if (names.size() == 3 && names[0] != view_.database_name()) {
      return Error(sqlstate::kFeatureNotSupported,
                   "cross-database references are not implemented: " + quoted(dotted(names)));
    }
    const std::string schema = names.size() == 1 ? "" : names[names.size() - 2];
    if (!schema.empty()) INDIGO_TRY(schema_named(schema));
    RelationPtr found = view_.find_relation(schema, names.back());
    if (found == nullptr) {
      const auto shown = names.size() == 3 ? names.subspan(1) : names;
      return Error(sqlstate::kUndefinedTable, "relation " + quoted(dotted(shown)) + " does not exist");
    }
    return found;
  }

  Result<Oid> type_named(const std::string& text) {
    INDIGO_ASSIGN(const types::TypeRef type, types::parse_type_name(context_.context, text));
    return type.oid;
  }

  // ---- kinds

  Answer plain(const PlainKind& kind, const std::string& name) {
    const Oid found = row_where(kind.table, [&](const RowReader& row) { return row.str(kind.name) == name; });
    Error absent = undefined(std::string(kind.words) + " " + quoted(name) + " does not exist");
    if (kind.table == pg_namespace::kOid) absent.state = sqlstate::kInvalidSchemaName;
    if (kind.table == pg_database::kOid) absent.state = sqlstate::kInvalidCatalogName;
    return found_or(kind.table, found, std::move(absent));
  }

  Answer in_schema(const SchemaKind& kind, std::span<const std::string> names, Oid same) {
    INDIGO_ASSIGN(const Qualified q, qualified(names));
    Oid found = kInvalidOid;
    if (q.schema.empty()) {
      found = object_in_path(session_, kind, q.name, same);
    } else {
      INDIGO_ASSIGN(const Oid schema, schema_named(q.schema));
      found = object_in_schema(session_, kind, schema, q.name, same);
    }
    std::string message = std::string(kind.words) + " " + quoted(dotted(names));
    if (kind.table == pg_collation::kOid) message += " for encoding \"UTF8\"";
    return found_or(kind.table, found, undefined(message + " does not exist"));
  }

  Answer of_method(const SchemaKind& kind, std::span<const std::string> names) {
    INDIGO_ASSIGN(const ObjectAddress method, plain(*plain_kind(pg_am::kOid), names[0]));
    if (names[0] == "heap") return Error(sqlstate::kWrongObjectType, "access method \"heap\" is not of type INDEX");
    Answer found = in_schema(kind, names.subspan(1), method.object);
    if (!found.ok() && found.error().state == sqlstate::kUndefinedObject) {
      return undefined(std::string(kind.words) + " " + quoted(dotted(names.subspan(1))) +
                       " does not exist for access method " + quoted(names[0]));
    }
    return found;
  }

  Answer relation(std::string_view type) {
    INDIGO_ASSIGN(const RelationPtr found, relation_named(names_));
    const auto is_of = [&] {
      switch (found->kind) {
        case RelationKind::kTable:
        case RelationKind::kPartitionedTable: return type == "table";
        case RelationKind::kIndex:
        case RelationKind::kPartitionedIndex: return type == "index";
        case RelationKind::kSequence: return type == "sequence";
        case RelationKind::kView: return type == "view";
        case RelationKind::kMaterializedView: return type == "materialized view";
        case RelationKind::kForeignTable: return type == "foreign table";
        default: return false;
      }
    };
    if (!is_of()) {
      const std::string article = type == "index" ? "an " : "a ";
      return Error(sqlstate::kWrongObjectType, quoted(found->name) + " is not " + article + std::string(type));
    }
    return ObjectAddress{pg_class::kOid, found->oid, 0};
  }

  Result<RelationPtr> relation_of_column() {
    if (names_.size() < 2) return Error(sqlstate::kSyntaxError, "column name must be qualified");
    return relation_named(std::span(names_).first(names_.size() - 1));
  }
  int16_t number_of(Oid relation) {
    int16_t number = 0;
    rows_.scan(pg_attribute::kOid, {Datum::of_oid(relation)}, [&](RowReader row) {
      if (row.str(pg_attribute::c_attname) == names_.back()) number = row.i16(pg_attribute::c_attnum);
      return number == 0;
    });
    return number;
  }
  std::string of_its_relation() {
    return "column " + quoted(names_.back()) + " of relation " +
           quoted(dotted(std::span(names_).first(names_.size() - 1))) + " does not exist";
  }

  Answer column() {
    INDIGO_ASSIGN(const RelationPtr relation, relation_of_column());
    const int16_t number = number_of(relation->oid);
    if (number == 0) return Error(sqlstate::kUndefinedColumn, of_its_relation());
    return ObjectAddress{pg_class::kOid, relation->oid, number};
  }

  Answer default_value() {
    INDIGO_ASSIGN(const RelationPtr relation, relation_of_column());
    const int16_t number = number_of(relation->oid);
    Oid found = kInvalidOid;
    rows_.scan_index(pg_attrdef::kOid, system_index::kAttrdefColumn, {Datum::of_oid(relation->oid), Datum::of(number)},
                     [&](RowReader row) {
                       found = row.oid(pg_attrdef::c_oid);
                       return false;
                     });
    return found_or(pg_attrdef::kOid, found,
                    Error(sqlstate::kUndefinedColumn, "default value for " + of_its_relation()));
  }

  // Something of a table that has a name there.
  Answer of_table(const std::string& words, Oid class_id, int name_column, int table_column) {
    if (names_.size() < 2) return Error(sqlstate::kSyntaxError, "must specify relation and object name");
    INDIGO_ASSIGN(const RelationPtr relation, relation_named(std::span(names_).first(names_.size() - 1)));
    const bool is_table = relation->kind == RelationKind::kIndex || relation->kind == RelationKind::kPartitionedIndex;
    if (is_table) return Error(sqlstate::kWrongObjectType, quoted(relation->name) + " is an index");
    if (relation->kind == RelationKind::kComposite)
      return Error(sqlstate::kWrongObjectType, quoted(relation->name) + " is a composite type");
    const Oid found = row_where(class_id, [&](const RowReader& row) {
      return row.oid(table_column) == relation->oid && row.str(name_column) == names_.back();
    });
    std::string message = words + " " + quoted(names_.back()) + " for ";
    if (class_id == pg_constraint::kOid) message += "table ";
    if (class_id == pg_trigger::kOid || class_id == pg_policy::kOid) message += "table ";
    if (class_id == pg_rewrite::kOid) message += "relation ";
    return found_or(class_id, found, undefined(message + quoted(relation->name) + " does not exist"));
  }

  Answer of_type(const std::string& text) {
    INDIGO_ASSIGN(const Oid type, type_named(text));
    return ObjectAddress{pg_type::kOid, type, 0};
  }

  Answer domain_constraint() {
    INDIGO_ASSIGN(const Oid domain, type_named(names_[0]));
    const auto info = view_.type(domain);
    if (info == nullptr || info->kind != 'd')
      return Error(sqlstate::kWrongObjectType, quoted(names_[0]) + " is not a domain");
    const Oid found = row_where(pg_constraint::kOid, [&](const RowReader& row) {
      return row.oid(pg_constraint::c_contypid) == domain && row.str(pg_constraint::c_conname) == arguments_[0];
    });
    return found_or(pg_constraint::kOid, found,
                    undefined("constraint " + quoted(arguments_[0]) + " for domain " +
                              types::format_type(context_.context, domain) + " does not exist"));
  }

  Answer cast() {
    INDIGO_ASSIGN(const Oid source, type_named(names_[0]));
    INDIGO_ASSIGN(const Oid target, type_named(arguments_[0]));
    const Oid found = row_where(pg_cast::kOid, [&](const RowReader& row) {
      return row.oid(pg_cast::c_castsource) == source && row.oid(pg_cast::c_casttarget) == target;
    });
    return found_or(pg_cast::kOid, found,
                    undefined("cast from type " + types::format_type(context_.context, source) + " to type " +
                              types::format_type(context_.context, target) + " does not exist"));
  }

  Answer transform() {
    INDIGO_ASSIGN(const Oid type, type_named(names_[0]));
    INDIGO_ASSIGN(const ObjectAddress language, plain(*plain_kind(pg_language::kOid), arguments_[0]));
    const Oid found = row_where(pg_transform::kOid, [&](const RowReader& row) {
      return row.oid(pg_transform::c_trftype) == type && row.oid(pg_transform::c_trflang) == language.object;
    });
    return found_or(pg_transform::kOid, found,
                    undefined("transform for type " + types::format_type(context_.context, type) + " language " +
                              quoted(arguments_[0]) + " does not exist"));
  }

  Answer routine(std::string_view type) {
    std::vector<Oid> arguments;
    std::string signature;
    for (const std::string& text : arguments_) {
      INDIGO_ASSIGN(const Oid argument, type_named(text));
      arguments.push_back(argument);
      signature += (signature.empty() ? "" : ", ") + types::format_type(context_.context, argument);
    }
    INDIGO_ASSIGN(const Qualified q, qualified(names_));
    if (!q.schema.empty()) INDIGO_TRY(schema_named(q.schema));
    const bool aggregate = type == "aggregate";
    if (aggregate && arguments.empty()) signature = "*";
    const std::string text = dotted(names_) + "(" + signature + ")";
    for (const auto& f : view_.functions_named(q.schema, q.name)) {
      if (f->arguments != arguments) continue;
      const bool is_aggregate = f->kind == types::FunctionKind::kAggregate;
      const bool is_procedure = f->kind == types::FunctionKind::kProcedure;
      if (aggregate && !is_aggregate)
        return Error(sqlstate::kWrongObjectType, "function " + text + " is not an aggregate");
      if (type == "function" && is_procedure) return Error(sqlstate::kWrongObjectType, text + " is not a function");
      if (type == "procedure" && !is_procedure) return Error(sqlstate::kWrongObjectType, text + " is not a procedure");
      return ObjectAddress{pg_proc::kOid, f->oid, 0};
    }
    return Error(sqlstate::kUndefinedFunction, std::string(type) + " " + text + " does not exist");
  }

  Answer operator_of() {
    INDIGO_ASSIGN(const Oid left, type_named(arguments_[0]));
    INDIGO_ASSIGN(const Oid right, type_named(arguments_[1]));
    INDIGO_ASSIGN(const Qualified q, qualified(names_));
    for (const types::OperatorInfo* o : view_.operators_named(q.schema, q.name))
      if (o->left == left && o->right == right) return ObjectAddress{pg_operator::kOid, o->oid, 0};
    return Error(sqlstate::kUndefinedFunction,
                 "operator does not exist: " + types::format_type(context_.context, left) + " " + dotted(names_) + " " +
                     types::format_type(context_.context, right));
  }

  Answer large_object() {
    const Datum number = types::type_input(context_.context, {oid::kOid, -1, kInvalidOid}, names_[0]);
    if (context_.context.failed()) return context_.context.take_error();
    const bool exists = rows_.find(pg_largeobject_metadata::kOid, number.oid(), [](const RowReader&) {});
    return found_or(pg_largeobject::kOid, exists ? number.oid() : kInvalidOid,
                    undefined("large object " + std::to_string(number.oid()) + " does not exist"));
  }

  // An operator or a function of an operator family.
  struct Member {
    Oid table;
    int family, left, right, number;
  };
  Answer member(const std::string& words, const Member& m) {
    const int number = std::atoi(names_.back().c_str());
    INDIGO_ASSIGN(const ObjectAddress family,
                  of_method(*schema_kind(pg_opfamily::kOid), std::span(names_).first(names_.size() - 1)));
    INDIGO_ASSIGN(const Oid left, type_named(arguments_[0]));
    INDIGO_ASSIGN(const Oid right, type_named(arguments_[1]));
    const Oid found = row_where(m.table, [&](const RowReader& row) {
      return row.oid(m.family) == family.object && row.oid(m.left) == left && row.oid(m.right) == right &&
             row.i16(m.number) == number;
    });
    return found_or(
        m.table, found,
        undefined(words + " " + std::to_string(number) + " (" + arguments_[0] + ", " + arguments_[1] + ") of " +
                  object_in_words(session_, pg_opfamily::kOid, family.object, 0) + " does not exist"));
  }

  Answer user_mapping() {
    const std::string &user = names_[0], &server_name = arguments_[0];
    const Error absent =
        undefined("user mapping for user " + quoted(user) + " on server " + quoted(server_name) + " does not exist");
    const Oid role = user == "public" ? kInvalidOid : view_.role_named(user);
    if (role == kInvalidOid && user != "public") return absent;
    INDIGO_ASSIGN(const ObjectAddress server, plain(*plain_kind(pg_foreign_server::kOid), server_name));
    const Oid found = row_where(pg_user_mapping::kOid, [&](const RowReader& row) {
      return row.oid(pg_user_mapping::c_umuser) == role && row.oid(pg_user_mapping::c_umserver) == server.object;
    });
    return found_or(pg_user_mapping::kOid, found, absent);
  }

  Answer default_privileges() {
    constexpr struct {
      char letter;
      std::string_view words;
    } kKinds[] = {{'r', "tables"}, {'S', "sequences"}, {'f', "functions"}, {'T', "types"}, {'n', "schemas"}};
    const char letter = arguments_[0].empty() ? '\0' : arguments_[0][0];
    std::string words;
    for (const auto& kind : kKinds)
      if (kind.letter == letter) words = kind.words;
    if (words.empty()) {
      return invalid("unrecognized default ACL object type " + quoted(arguments_[0].substr(0, 1)))
          .with_hint("Valid object types are \"r\", \"S\", \"f\", \"T\", \"n\".");
    }
    const std::string& user = names_[0];
    std::string message = "default ACL for user " + quoted(user);
    if (names_.size() > 1) message += " in schema " + quoted(names_[1]);
    const Error absent = undefined(message + " on " + words + " does not exist");
    const Oid role = view_.role_named(user);
    const Oid schema = names_.size() > 1 ? view_.schema_named(names_[1]) : kInvalidOid;
    if (role == kInvalidOid || (names_.size() > 1 && schema == kInvalidOid)) return absent;
    const Oid found = row_where(pg_default_acl::kOid, [&](const RowReader& row) {
      return row.oid(pg_default_acl::c_defaclrole) == role && row.oid(pg_default_acl::c_defaclnamespace) == schema &&
             row.chr(pg_default_acl::c_defaclobjtype) == letter;
    });
    return found_or(pg_default_acl::kOid, found, absent);
  }

  Answer published_schema() {
    INDIGO_ASSIGN(const ObjectAddress schema, plain(*plain_kind(pg_namespace::kOid), names_[0]));
    INDIGO_ASSIGN(const ObjectAddress publication, plain(*plain_kind(pg_publication::kOid), arguments_[0]));
    const Oid found = row_where(pg_publication_namespace::kOid, [&](const RowReader& row) {
      return row.oid(pg_publication_namespace::c_pnnspid) == schema.object &&
             row.oid(pg_publication_namespace::c_pnpubid) == publication.object;
    });
    return found_or(pg_publication_namespace::kOid, found,
                    undefined("publication schema " + quoted(names_[0]) + " in publication " + quoted(arguments_[0]) +
                              " does not exist"));
  }

  Answer published_table() {
    INDIGO_ASSIGN(const RelationPtr relation, relation_named(names_));
    INDIGO_ASSIGN(const ObjectAddress publication, plain(*plain_kind(pg_publication::kOid), arguments_[0]));
    const Oid found = row_where(pg_publication_rel::kOid, [&](const RowReader& row) {
      return row.oid(pg_publication_rel::c_prrelid) == relation->oid &&
             row.oid(pg_publication_rel::c_prpubid) == publication.object;
    });
    return found_or(pg_publication_rel::kOid, found,
                    undefined("publication relation " + quoted(relation->name) + " in publication " +
                              quoted(arguments_[0]) + " does not exist"));
  }

  SessionParts& session_;
  SessionCatalog& view_;
  CatalogRows rows_;
  NameContext context_;
  Names names_, arguments_;
};

Result<Names> without_nulls(const ObjectNames& given) {
  Names out;
  for (const auto& name : given) {
    if (!name) return invalid("name or argument lists may not contain nulls");
    out.push_back(*name);
  }
  return out;
}

}  // namespace

Result<ObjectAddress> find_object_address(SessionParts& session, std::string_view type, const ObjectNames& names,
                                          const ObjectNames& arguments) {
  const Shape* shape = nullptr;
  for (const Shape& s : kShapes)
    if (s.words == type) shape = &s;
  if (shape == nullptr) {
    for (const std::string_view words : kWithoutAddress)
      if (words == type) return invalid("unsupported object type " + quoted(type));
    return invalid("unrecognized object type " + quoted(type));
  }
  const bool is_large_object = type == "large object";
  if (is_large_object && names.size() == 1 && !names[0]) return invalid("large object OID may not be null");
  // Names that are types are counted before they are looked at, others after.
  const bool counted_first =
      is_large_object || type == "type" || type == "cast" || type == "transform" || type == "domain constraint";
  const Error wrong_count = invalid("name list length must be exactly 1");
  if (counted_first && names.size() != 1) return wrong_count;
  INDIGO_ASSIGN(Names given, without_nulls(names));
  if (given.empty()) return invalid("name list length must be at least 1");
  INDIGO_ASSIGN(Names with, without_nulls(arguments));
  if (given.size() > shape->most_names) return wrong_count;
  if (given.size() < shape->least_names)
    return invalid("name list length must be at least " + std::to_string(shape->least_names));
  if (shape->arguments >= 0 && with.size() != static_cast<size_t>(shape->arguments))
    return invalid("argument list length must be exactly " + std::to_string(shape->arguments));
  return Finder(session, std::move(given), std::move(with)).find(type);
}

}  // namespace indigo::engine
