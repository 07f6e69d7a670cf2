#include "engine/ddl/operator/base_type.h"

#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "types/io/type_definition.h"

namespace indigo::engine::ddl {

namespace {

struct BaseType {
  NodeList input, output, receive, send, modifier_in, modifier_out, subscript;
  int16_t length = -1;
  bool by_value = false, preferred = false, collatable = false;
  char alignment = 'i', storage = 'p', category = 'U', delimiter = ',';
  std::optional<std::string> default_text;
};

Error invalid_type(std::string message) { return Error(sqlstate::kInvalidObjectDefinition, std::move(message)); }

Error bad_option(std::string_view name, const std::string& value) {
  return Error(sqlstate::kInvalidParameterValue, std::string(name) + " \"" + value + "\" not recognized");
}

class TypeReader {
 public:
  explicit TypeReader(DdlContext& c) : c_(c) {}

  Status read(const PgQuery__DefElem& d) {
    const std::string_view name = d.defname;
    if (NodeList* place = function_place(name)) {
      *place = option_name(d);
      return {};
    }
    if (name == "like") return like(d);
    if (name == "internallength") return length(d);
    if (name == "passedbyvalue") return flag(out_.by_value, d);
    if (name == "preferred") return flag(out_.preferred, d);
    if (name == "collatable") return flag(out_.collatable, d);
    if (name == "alignment") return alignment(last_word(d));
    if (name == "storage") return storage(text_value(d.arg));
    if (name == "delimiter") {
      out_.delimiter = text_value(d.arg)[0];
      return {};
    }
    if (name == "category") return category(text_value(d.arg));
    if (name == "default") {
      out_.default_text = text_value(d.arg);
      return {};
    }
    if (name == "element" || name == "analyze")
      return unsupported("the option " + std::string(name) + " of CREATE TYPE");
    c_.host.notice(Severity::kWarning,
                   Error(sqlstate::kSyntaxError, "type attribute " + quoted(name) + " not recognized")
                       .at(position(c_, d.location)));
    return {};
  }

  Result<BaseType> finish() {
    if (out_.input.empty()) return invalid_type("type input function must be specified");
    if (out_.output.empty()) return invalid_type("type output function must be specified");
    if (out_.modifier_in.empty() && !out_.modifier_out.empty()) {
      return invalid_type("type modifier output function is useless without a type modifier input function");
    }
    if (!out_.modifier_out.empty()) return unsupported("the option typmod_out of CREATE TYPE");
    return std::move(out_);
  }

 private:
  NodeList* function_place(std::string_view name) {
    if (name == "input") return &out_.input;
    if (name == "output") return &out_.output;
    if (name == "receive") return &out_.receive;
    if (name == "send") return &out_.send;
    if (name == "subscript") return &out_.subscript;
    if (name == "typmod_in") return &out_.modifier_in;
    if (name == "typmod_out") return &out_.modifier_out;
    return nullptr;
  }

  static std::string last_word(const PgQuery__DefElem& d) {
    const NodeList parts = option_name(d);
    return parts.empty() ? std::string() : std::string(string_of(parts.back()));
  }

  static Status flag(bool& place, const PgQuery__DefElem& d) {
    INDIGO_ASSIGN(place, option_flag(d));
    return {};
  }

  Status like(const PgQuery__DefElem& d) {
    INDIGO_ASSIGN(const TypeRef type, option_type(c_, d));
    const TypePtr info = c_.catalog.type(type.oid);
    out_.length = info->length;
    out_.by_value = info->by_value;
    out_.alignment = info->alignment;
    out_.storage = info->storage;
    return {};
  }

  Status length(const PgQuery__DefElem& d) {
    if (const auto number = integer_value(d.arg)) {
      out_.length = static_cast<int16_t>(*number);
      return {};
    }
    if (last_word(d) != "variable")
      return Error(sqlstate::kSyntaxError, "invalid argument for internallength: " + quoted(last_word(d)));
    out_.length = -1;
    return {};
  }

  Status alignment(const std::string& word) {
    if (word == "double" || word == "float8")
      out_.alignment = 'd';
    else if (word == "int4" || word == "integer")
      out_.alignment = 'i';
    else if (word == "int2")
      out_.alignment = 's';
    else if (word == "char" || word == "bpchar")
      out_.alignment = 'c';
    else
      return bad_option("alignment", word);
    return {};
  }

  Status storage(const std::string& word) {
    if (word == "plain")
      out_.storage = 'p';
    else if (word == "external")
      out_.storage = 'e';
    else if (word == "extended")
      out_.storage = 'x';
    else if (word == "main")
      out_.storage = 'm';
    else
      return bad_option("storage", word);
    return {};
  }

  Status category(const std::string& word) {
    if (word.empty() || word[0] < 32 || word[0] > 126)
      return Error(sqlstate::kInvalidParameterValue, "invalid type category \"" + word + "\": must be simple ASCII");
    out_.category = word[0];
    return {};
  }

  DdlContext& c_;
  BaseType out_;
};

Result<RoutinePtr> form_function(DdlContext& c, NodeList name, std::vector<Oid> types, Oid result,
                                 std::string_view what) {
  auto found = find_exact_function(c, name, types);
  if (!found.ok()) {
    std::vector<Oid> longer = types;  // with the element's type and the modifier
    longer.push_back(oid::kOid);
    longer.push_back(oid::kInt4);
    if (auto other = find_exact_function(c, name, longer); other.ok()) found = std::move(other);
  }
  if (!found.ok()) return found.take_error();
  if ((*found)->result != result) {
    return invalid_type("type " + std::string(what) + " function " + sql::name_list_text(name) + " must return type " +
                        type_text(c, {result, -1, kInvalidOid}));
  }
  if ((*found)->volatility == types::Volatility::kVolatile) {
    warning(c, sqlstate::kInvalidObjectDefinition,
            "type " + std::string(what) + " function " + sql::name_list_text(name) + " should not be volatile");
  }
  INDIGO_TRY(check_owner(c, (*found)->owner, "function", sql::name_list_text(name)));
  return *found;
}

TypePtr type_in(DdlContext& c, Oid schema, std::string_view name) {
  return c.catalog.find_type(c.catalog.schema_name(schema), name);
}

}  // namespace

Result<Oid> create_shell_type(DdlContext& c, NodeList parts) {
  INDIGO_ASSIGN(const NewTypeName name, new_type_name(c, parts));
  INDIGO_TRY(check_schema_privilege(c, name.schema, kPrivilegeCreate));
  NewType t;
  t.oid = next_oid(c);
  t.name = name.name;
  t.schema = name.schema;
  t.owner = c.catalog.user();
  t.length = 4;
  t.by_value = true;
  t.kind = 'p';
  t.category = 'P';
  t.storage = 'p';
  t.input = "shell_in";
  t.output = "shell_out";
  t.receive = t.send = {};
  INDIGO_TRY(insert_type(c, t));
  INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(t.oid)},
                        [](RowValues& row) { row.flag(pg_type::c_typisdefined, false); }));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, t.oid, 0}, {pg_namespace::kOid, t.schema, 0}, 'n'));
  INDIGO_TRY(record_membership(c, {pg_type::kOid, t.oid, 0}));
  c.catalog.changed({kInvalidOid});
  return t.oid;
}

bool is_shell_type(const TypeInfo& type) { return type.kind == 'p' && type.oid >= oid::kFirstUserOid; }

Status execute_create_base_type(DdlContext& c, const PgQuery__DefineStmt& s) {
  const NodeList parts = nodes(s.n_defnames, s.defnames);
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create a base type");
  if (s.n_definition == 0) return Status(create_shell_type(c, parts).take_error());
  const auto q = sql::qualified_name(parts);
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, parts));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  const TypePtr shell = type_in(c, schema, q.name);
  if (shell != nullptr && !is_shell_type(*shell))
    return Error(sqlstate::kDuplicateObject, "type " + quoted(q.name) + " already exists");
  if (shell == nullptr) {
    return Error(sqlstate::kDuplicateObject, "type " + quoted(q.name) + " does not exist")  // PostgreSQL's state
        .with_hint("Create the type as a shell type, then create its I/O functions, then do a full CREATE TYPE.");
  }
  TypeReader reader(c);
  // LIKE first: what is said beside it counts.
  const NodeList options = nodes(s.n_definition, s.definition);
  for (const bool like : {true, false}) {
    for (const PgQuery__Node* n : options) {
      if ((std::string_view(n->def_elem->defname) == "like") == like) INDIGO_TRY(reader.read(*n->def_elem));
    }
  }
  INDIGO_ASSIGN(const BaseType t, reader.finish());
  const Oid self = shell->oid;
  INDIGO_ASSIGN(const RoutinePtr input, form_function(c, t.input, {oid::kCstring}, self, "input"));
  INDIGO_ASSIGN(const RoutinePtr output, form_function(c, t.output, {self}, oid::kCstring, "output"));
  RoutinePtr receive, send;
  if (!t.receive.empty()) {
    INDIGO_ASSIGN(receive, form_function(c, t.receive, {oid::kInternal}, self, "receive"));
  }
  if (!t.send.empty()) {
    INDIGO_ASSIGN(send, form_function(c, t.send, {self}, oid::kBytea, "send"));
  }
  RoutinePtr modifier;
  if (!t.modifier_in.empty()) {
    INDIGO_ASSIGN(modifier, form_function(c, t.modifier_in, {oid::kCstringArray}, oid::kInt4, "typmod_in"));
  }
  RoutinePtr subscript;
  if (!t.subscript.empty()) {
    INDIGO_ASSIGN(subscript, form_function(c, t.subscript, {oid::kInternal}, oid::kInternal, "subscripting"));
  }
  const Oid array = next_oid(c);
  INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(self)}, [&](RowValues& row) {
    row.i16(pg_type::c_typlen, t.length)
        .flag(pg_type::c_typbyval, t.by_value)
        .chr(pg_type::c_typtype, 'b')
        .chr(pg_type::c_typcategory, t.category)
        .flag(pg_type::c_typispreferred, t.preferred)
        .flag(pg_type::c_typisdefined, true)
        .chr(pg_type::c_typdelim, t.delimiter)
        .oid(pg_type::c_typarray, array)
        .oid(pg_type::c_typinput, input->oid)
        .oid(pg_type::c_typoutput, output->oid)
        .oid(pg_type::c_typreceive, receive == nullptr ? kInvalidOid : receive->oid)
        .oid(pg_type::c_typsend, send == nullptr ? kInvalidOid : send->oid)
        .oid(pg_type::c_typmodin, modifier == nullptr ? kInvalidOid : modifier->oid)
        .oid(pg_type::c_typsubscript, subscript == nullptr ? kInvalidOid : subscript->oid)
        .chr(pg_type::c_typalign, t.alignment)
        .chr(pg_type::c_typstorage, t.storage)
        .oid(pg_type::c_typcollation, t.collatable ? Oid{oid::kDefaultCollation} : kInvalidOid);
    if (t.default_text) row.str(pg_type::c_typdefault, *t.default_text);
  }));
  const Address address{pg_type::kOid, self, 0};
  INDIGO_TRY(insert_array_type(c, array, shell->name, schema, c.catalog.user(), self, t.alignment,
                               t.collatable ? Oid{oid::kDefaultCollation} : kInvalidOid));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, array, 0}, address, 'i'));
  for (const RoutinePtr& f : {input, output, receive, send, modifier, subscript}) {
    if (f != nullptr) INDIGO_TRY(record_dependency(c, address, {pg_proc::kOid, f->oid, 0}, 'n'));
  }
  c.catalog.changed({kInvalidOid});
  const TypePtr made = c.catalog.type(self);
  if (made == nullptr || (made->like == kInvalidOid && made->definition == nullptr))
    return unsupported("a base type whose input function is none of the built-in ones");
  if (modifier != nullptr && (made->definition == nullptr || made->definition->modifier == nullptr))
    return unsupported("the option typmod_in of CREATE TYPE for other types than an extension's own");
  if (subscript != nullptr && (made->definition == nullptr || made->definition->subscripts == nullptr))
    return unsupported("a subscripting function other than an extension's own");
  return {};
}

}  // namespace indigo::engine::ddl
