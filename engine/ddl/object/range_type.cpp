#include "engine/ddl/object/range_type.h"

#include <algorithm>
#include <optional>

#include "base/name.h"
#include "base/utf8.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/operator/base_type.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_range = catalog::pg_range;

struct RangeOptions {
  const PgQuery__DefElem *subtype = nullptr, *subtype_opclass = nullptr, *collation = nullptr, *canonical = nullptr,
                         *subtype_diff = nullptr, *multirange_type_name = nullptr;
};

Result<RangeOptions> read_range_options(DdlContext& c, NodeList options) {
  RangeOptions out;
  for (const PgQuery__Node* n : options) {
    const PgQuery__DefElem& d = *n->def_elem;
    const std::string_view name = d.defname;
    const PgQuery__DefElem** place = name == "subtype"                ? &out.subtype
                                     : name == "subtype_opclass"      ? &out.subtype_opclass
                                     : name == "collation"            ? &out.collation
                                     : name == "canonical"            ? &out.canonical
                                     : name == "subtype_diff"         ? &out.subtype_diff
                                     : name == "multirange_type_name" ? &out.multirange_type_name
                                                                      : nullptr;
    if (place == nullptr) {
      return Error(sqlstate::kSyntaxError, "type attribute " + quoted(name) + " not recognized");
    }
    if (*place != nullptr) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d.location));
    }
    *place = &d;
  }
  return out;
}

Status check_subtype(DdlContext& c, const TypeInfo& subtype) {
  if (subtype.kind != 'p') return {};
  return Error(sqlstate::kDatatypeMismatch, "range subtype cannot be " + type_text(c, {subtype.oid, -1, kInvalidOid}));
}

Result<Oid> range_opclass(DdlContext& c, const PgQuery__DefElem* option, const TypeInfo& subtype) {
  const Oid own = c.catalog.default_opclass(subtype.oid);
  const std::string type = type_text(c, {subtype.oid, -1, kInvalidOid});
  if (option == nullptr) {
    if (own != kInvalidOid) return own;
    return Error(sqlstate::kUndefinedObject,
                 "data type " + type + " has no default operator class for access method \"btree\"")
        .with_hint(
            "You must specify an operator class for the range type or define a default operator class for the "
            "subtype.");
  }
  INDIGO_ASSIGN(const Oid given, find_class(c, option_name(*option), subtype.oid, oid::kBtreeMethod));
  constexpr Oid kRecordImageOps = 3194;  // by how the fields are held
  if (given == kRecordImageOps) return unsupported("a range under the order of its bounds' images");
  return given;
}

Result<Oid> range_collation(DdlContext& c, const PgQuery__DefElem* option, const TypeInfo& subtype) {
  if (option == nullptr) return subtype.collation;
  if (subtype.collation == kInvalidOid) {
    return Error(sqlstate::kWrongObjectType, "range collation specified but subtype does not support collation");
  }
  INDIGO_ASSIGN(const Oid collation, resolve_collation(c, option_name(*option), option->location));
  return collation;
}

// Of the range itself: it has one only where there was a shell to name in the function.
Result<Oid> range_canonical(DdlContext& c, const PgQuery__DefElem* option, const TypePtr& shell) {
  if (option == nullptr) return kInvalidOid;
  if (shell == nullptr) {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "cannot specify a canonical function without a pre-created shell type")
        .with_hint(
            "Create the type as a shell type, then create its canonicalization function, then do a full CREATE TYPE.");
  }
  const NodeList name = option_name(*option);
  const std::vector<Oid> types = {shell->oid};
  INDIGO_ASSIGN(const RoutinePtr f, find_exact_function(c, name, types));
  const std::string text = "range canonical function " + call_signature(c, sql::name_list_text(name), types) + " must ";
  if (f->result != shell->oid) return Error(sqlstate::kInvalidObjectDefinition, text + "return range type");
  if (f->volatility != types::Volatility::kImmutable)
    return Error(sqlstate::kInvalidObjectDefinition, text + "be immutable");
  INDIGO_TRY(check_may_execute(c, *f));
  return f->oid;
}

Result<Oid> range_difference(DdlContext& c, const PgQuery__DefElem* option, Oid subtype) {
  if (option == nullptr) return kInvalidOid;
  const NodeList name = option_name(*option);
  const std::vector<Oid> types = {subtype, subtype};
  const auto wrong = [&](const char* what) {
    return Error(
        sqlstate::kInvalidObjectDefinition,
        "range subtype diff function " + call_signature(c, sql::name_list_text(name), types) + " must " + what);
  };
  INDIGO_ASSIGN(const RoutinePtr f, find_exact_function(c, name, types));
  if (f->result != oid::kFloat8) return wrong("return type double precision");
  if (f->volatility != types::Volatility::kImmutable) return wrong("be immutable");
  INDIGO_TRY(check_may_execute(c, *f));
  return f->oid;
}

// "range" in the name becomes "multirange"; a name without it gets a suffix.
std::string multirange_name(const std::string& range) {
  const size_t at = range.find("range");
  if (at != std::string::npos) return truncated_name(range.substr(0, at) + "multi" + range.substr(at));
  constexpr std::string_view kSuffix = "_multirange";
  return std::string(utf8_clip(range, kMaxNameBytes - kSuffix.size())) + std::string(kSuffix);
}

Result<NewTypeName> name_of_multirange(DdlContext& c, const PgQuery__DefElem* option, const NewTypeName& range) {
  if (option != nullptr) return new_type_name(c, option_name(*option));
  NewTypeName out = range;
  out.name = multirange_name(range.name);
  if (c.catalog.find_type(c.catalog.schema_name(out.schema), out.name) != nullptr) {
    return Error(sqlstate::kDuplicateObject, "type " + quoted(out.name) + " already exists")
        .with_detail("Failed while creating a multirange type for type " + quoted(range.name) + ".")
        .with_hint("You can manually specify a multirange type name using the \"multirange_type_name\" attribute.");
  }
  return out;
}

NewType range_like_type(DdlContext& c, const NewTypeName& name, char kind, char alignment) {
  NewType t;
  t.name = name.name;
  t.schema = name.schema;
  t.owner = c.catalog.user();
  t.kind = kind;
  t.category = 'R';
  t.alignment = alignment == 'd' ? 'd' : 'i';
  const bool range = kind == 'r';
  t.input = range ? "range_in" : "multirange_in";
  t.output = range ? "range_out" : "multirange_out";
  t.receive = range ? "range_recv" : "multirange_recv";
  t.send = range ? "range_send" : "multirange_send";
  t.analyze = range ? "range_typanalyze" : "multirange_typanalyze";
  return t;
}

struct Constructor {
  const NewType& made;
  std::string_view source;  // the built-in function
  std::vector<Oid> arguments;
  Oid variadic = kInvalidOid;
  bool strict = false;
};

Result<Oid> insert_constructor(DdlContext& c, const Constructor& k) {
  INDIGO_TRY(check_routine_name_free(c, k.made.name, k.arguments, k.made.schema));
  SystemTable& procs = table(c, pg_proc::kOid);
  const Oid oid = next_oid(c);
  RowValues row(procs.definition());
  row.oid(pg_proc::c_oid, oid)
      .str(pg_proc::c_proname, k.made.name)
      .oid(pg_proc::c_pronamespace, k.made.schema)
      .oid(pg_proc::c_proowner, oid::kBootstrapSuperuser)
      .oid(pg_proc::c_prolang, oid::kInternalLanguage)
      .f32(pg_proc::c_procost, 1.0f)
      .f32(pg_proc::c_prorows, 0.0f)
      .oid(pg_proc::c_provariadic, k.variadic)
      .oid(pg_proc::c_prosupport, kInvalidOid)
      .chr(pg_proc::c_prokind, 'f')
      .flag(pg_proc::c_prosecdef, false)
      .flag(pg_proc::c_proleakproof, false)
      .flag(pg_proc::c_proisstrict, k.strict)
      .flag(pg_proc::c_proretset, false)
      .chr(pg_proc::c_provolatile, 'i')
      .chr(pg_proc::c_proparallel, 's')
      .i16(pg_proc::c_pronargs, static_cast<int16_t>(k.arguments.size()))
      .i16(pg_proc::c_pronargdefaults, 0)
      .oid(pg_proc::c_prorettype, k.made.oid)
      .oid_vector(pg_proc::c_proargtypes, k.arguments)
      .str(pg_proc::c_prosrc, k.source);
  if (k.variadic != kInvalidOid) {
    row.oids(pg_proc::c_proallargtypes, k.arguments);
    row.chars(pg_proc::c_proargmodes, std::vector<char>{'v'});
  }
  INDIGO_TRY(check(procs.insert(c.txn, row)));
  const Address self{pg_proc::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, k.made.oid, 0}, 'i'));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, k.made.schema, 0}, 'n'));
  for (const Oid type : k.arguments) INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, type, 0}, 'n'));
  return oid;
}

// The cast of a range to the multirange of it alone.
Status insert_range_cast(DdlContext& c, Oid range, Oid multirange, Oid function) {
  namespace pg_cast = catalog::pg_cast;
  SystemTable& casts = table(c, pg_cast::kOid);
  const Oid oid = next_oid(c);
  RowValues row(casts.definition());
  row.oid(pg_cast::c_oid, oid)
      .oid(pg_cast::c_castsource, range)
      .oid(pg_cast::c_casttarget, multirange)
      .oid(pg_cast::c_castfunc, function)
      .chr(pg_cast::c_castcontext, 'e')
      .chr(pg_cast::c_castmethod, 'f');
  INDIGO_TRY(check(casts.insert(c.txn, row)));
  const Address self{pg_cast::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, range, 0}, 'i'));
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, multirange, 0}, 'i'));
  return record_dependency(c, self, {pg_proc::kOid, function, 0}, 'i');
}

Status insert_constructors(DdlContext& c, const NewType& range, const NewType& multirange, Oid subtype) {
  const auto make = [&](const NewType& made, std::string_view source, std::vector<Oid> arguments, Oid variadic,
                        bool strict) {
    return insert_constructor(c, {made, source, std::move(arguments), variadic, strict});
  };
  INDIGO_TRY(make(range, "range_constructor2", {subtype, subtype}, kInvalidOid, false));
  INDIGO_TRY(make(range, "range_constructor3", {subtype, subtype, oid::kText}, kInvalidOid, false));
  INDIGO_TRY(make(multirange, "multirange_constructor0", {}, kInvalidOid, true));
  INDIGO_ASSIGN(const Oid one, make(multirange, "multirange_constructor1", {range.oid}, kInvalidOid, true));
  INDIGO_TRY(make(multirange, "multirange_constructor2", {range.array}, range.oid, true));
  return insert_range_cast(c, range.oid, multirange.oid, one);
}

Status insert_range_row(DdlContext& c, Oid range, Oid multirange, Oid subtype, Oid collation, Oid opclass,
                        Oid canonical, Oid difference) {
  SystemTable& ranges = table(c, pg_range::kOid);
  RowValues row(ranges.definition());
  row.oid(pg_range::c_rngtypid, range)
      .oid(pg_range::c_rngsubtype, subtype)
      .oid(pg_range::c_rngmultitypid, multirange)
      .oid(pg_range::c_rngcollation, collation)
      .oid(pg_range::c_rngsubopc, opclass)
      .oid(pg_range::c_rngcanonical, canonical)
      .oid(pg_range::c_rngsubdiff, difference);
  INDIGO_TRY(check(ranges.insert(c.txn, row)));
  const Address self{pg_type::kOid, range, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, subtype, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, self, {catalog::pg_opclass::kOid, opclass, 0}, 'n'));
  if (collation != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_collation::kOid, collation, 0}, 'n'));
  if (canonical != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, canonical, 0}, 'n'));
  if (difference != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, difference, 0}, 'n'));
  return record_dependency(c, {pg_type::kOid, multirange, 0}, self, 'i');
}

// A shell type of this name gives its place.
Result<TypePtr> shell_in_place(DdlContext& c, NodeList parts) {
  const auto q = sql::qualified_name(parts);
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, parts));
  const TypePtr there = c.catalog.find_type(c.catalog.schema_name(schema), truncated_name(q.name));
  return there != nullptr && is_shell_type(*there) ? there : TypePtr();
}

// The shell's OID stays, for the functions that name it, and so do its dependencies.
Status fill_shell(DdlContext& c, const TypeInfo& shell, NewType& t) {
  t.oid = shell.oid;
  t.array = next_oid(c);
  const Address self{pg_type::kOid, t.oid, 0};
  INDIGO_TRY(check(table(c, pg_type::kOid).erase(c.txn, {Datum::of_oid(t.oid)})));
  INDIGO_TRY(insert_type(c, t));
  INDIGO_TRY(insert_array_type(c, t.array, t.name, t.schema, t.owner, t.oid, t.alignment));
  return record_dependency(c, {pg_type::kOid, t.array, 0}, self, 'i');
}

Result<NewTypeName> name_of_shell(DdlContext& c, const TypeInfo& shell) {
  if (c.catalog.is_superuser(c.catalog.user()) || shell.owner == c.catalog.user())
    return NewTypeName{shell.schema, shell.name};
  return Error(sqlstate::kInsufficientPrivilege, "must be owner of type " + quoted(shell.name));
}

}  // namespace

Status execute_create_range(DdlContext& c, const PgQuery__CreateRangeStmt& s) {
  const NodeList parts = nodes(s.n_type_name, s.type_name);
  INDIGO_ASSIGN(const TypePtr shell, shell_in_place(c, parts));
  INDIGO_ASSIGN(const NewTypeName name, shell != nullptr ? name_of_shell(c, *shell) : new_type_name(c, parts));
  INDIGO_TRY(check_schema_privilege(c, name.schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const RangeOptions options, read_range_options(c, nodes(s.n_params, s.params)));
  if (options.subtype == nullptr) return Error(sqlstate::kSyntaxError, "type attribute \"subtype\" is required");
  INDIGO_ASSIGN(const TypeRef subtype_ref, option_type(c, *options.subtype));
  const TypePtr subtype = c.catalog.type(subtype_ref.oid);
  INDIGO_TRY(check_subtype(c, *subtype));
  INDIGO_ASSIGN(const Oid opclass, range_opclass(c, options.subtype_opclass, *subtype));
  INDIGO_ASSIGN(const Oid collation, range_collation(c, options.collation, *subtype));
  INDIGO_ASSIGN(const Oid canonical, range_canonical(c, options.canonical, shell));
  INDIGO_ASSIGN(const Oid difference, range_difference(c, options.subtype_diff, subtype->oid));
  INDIGO_ASSIGN(const NewTypeName multirange_name, name_of_multirange(c, options.multirange_type_name, name));
  NewType range = range_like_type(c, name, 'r', subtype->alignment);
  NewType multirange = range_like_type(c, multirange_name, 'm', subtype->alignment);
  INDIGO_TRY(shell != nullptr ? fill_shell(c, *shell, range) : insert_with_array(c, range));
  INDIGO_TRY(insert_with_array(c, multirange));
  INDIGO_TRY(insert_range_row(c, range.oid, multirange.oid, subtype->oid, collation, opclass, canonical, difference));
  INDIGO_TRY(insert_constructors(c, range, multirange, subtype->oid));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
