// isn 1.2. isn_weak is the session's setting isn.weak.
#include "types/extension/extension.h"

#include "types/extension/isn/isn.h"
#include "types/extension/script.h"
#include "types/function/kernel.h"
#include "types/io/type_definition.h"

namespace indigo::types {

namespace {

using isn::Kind;

constexpr const char* kWeak = "isn.weak";
bool is_weak(FuncContext& context) {
  std::string text;
  return context.session().setting(kWeak, text) && (text == "on" || text == "true");
}

template <Kind kKind>
std::optional<int64_t> read(FuncContext& context, Str text) {
  auto made = isn::read_number(text, kKind, is_weak(context));
  if (made.ok()) return *made;
  context.fail(std::move(*made.take_error()));
  return std::nullopt;
}
template <bool kShort>
std::string print(int64_t value) {
  return isn::print_number(value, kShort);
}
template <Kind kKind>
std::optional<int64_t> cast(FuncContext& context, int64_t value) {
  auto made = isn::number_as(value, kKind);
  if (made.ok()) return *made;
  context.fail(std::move(*made.take_error()));
  return std::nullopt;
}

bool is_valid(int64_t value) { return (value & 1) == 0; }
int64_t make_valid(int64_t value) { return value & ~int64_t{1}; }
bool accept_weak_input(FuncContext& context, bool weak) {
  const Status set = context.session().set_setting(kWeak, weak ? "on" : "off", false);
  if (!set.ok()) context.fail(set.error());
  return weak;
}
bool weak_input_status(FuncContext& context) { return is_weak(context); }

template <Kind kKind>
Datum input(FuncContext& context, const TypeRef&, Str text) {
  const auto value = read<kKind>(context, text);
  return value ? Datum::of(*value) : Datum::make_null(Phys::kI64);
}
template <bool kShort>
void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  out += isn::print_number(value.i64, kShort);
}
template <Kind kKind, bool kShort>
constexpr TypeDefinition kForms = {kInvalidOid, input<kKind>, output<kShort>, nullptr,
                                   nullptr,     Phys::kI64,   &kI64Order,     KeyForm::kI64};

// PostgreSQL's types of thirteen digits share the input functions of the short ones; here each type has its own.
constexpr ExtensionType kTypes[] = {
    {"ean13_in", &kForms<Kind::kEan13, false>}, {"isbn13_in", &kForms<Kind::kIsbn, false>},
    {"ismn13_in", &kForms<Kind::kIsmn, false>}, {"issn13_in", &kForms<Kind::kIssn, false>},
    {"isbn_in", &kForms<Kind::kIsbn, true>},    {"ismn_in", &kForms<Kind::kIsmn, true>},
    {"issn_in", &kForms<Kind::kIssn, true>},    {"upc_in", &kForms<Kind::kUpc, true>},
};

constexpr ScalarEntry kFunctions[] = {
    {"ean13_in", kernel<read<Kind::kEan13>>},
    {"isbn13_in", kernel<read<Kind::kIsbn>>},
    {"ismn13_in", kernel<read<Kind::kIsmn>>},
    {"issn13_in", kernel<read<Kind::kIssn>>},
    {"isbn_in", kernel<read<Kind::kIsbn>>},
    {"ismn_in", kernel<read<Kind::kIsmn>>},
    {"issn_in", kernel<read<Kind::kIssn>>},
    {"upc_in", kernel<read<Kind::kUpc>>},
    {"ean13_out", kernel<print<false>>},
    {"isn_out", kernel<print<true>>},
    {"isbn_cast_from_ean13", kernel<cast<Kind::kIsbn>>},
    {"ismn_cast_from_ean13", kernel<cast<Kind::kIsmn>>},
    {"issn_cast_from_ean13", kernel<cast<Kind::kIssn>>},
    {"upc_cast_from_ean13", kernel<cast<Kind::kUpc>>},
    {"is_valid", kernel<is_valid>},
    {"make_valid", kernel<make_valid>},
    {"accept_weak_input", kernel<accept_weak_input>},
    {"weak_input_status", kernel<weak_input_status>},
};

struct Type {
  std::string_view name, output, comment;
};
constexpr Type kAll[] = {
    {"ean13", "ean13_out", "International European Article Number (EAN13)"},
    {"isbn13", "ean13_out", "International Standard Book Number 13 (ISBN13)"},
    {"ismn13", "ean13_out", "International Standard Music Number 13 (ISMN13)"},
    {"issn13", "ean13_out", "International Standard Serial Number 13 (ISSN13)"},
    {"isbn", "isn_out", "International Standard Book Number (ISBN)"},
    {"ismn", "isn_out", "International Standard Music Number (ISMN)"},
    {"issn", "isn_out", "International Standard Serial Number (ISSN)"},
    {"upc", "isn_out", "Universal Product Code (UPC)"},
};

// Those that can be compared with each other, besides each with itself.
constexpr std::string_view kPairs[][2] = {
    {"ean13", "isbn13"}, {"ean13", "ismn13"}, {"ean13", "issn13"}, {"ean13", "isbn"},  {"ean13", "ismn"},
    {"ean13", "issn"},   {"ean13", "upc"},    {"isbn13", "isbn"},  {"ismn13", "ismn"}, {"issn13", "issn"},
};

struct Comparison {
  std::string_view function, builtin, name, clauses;
};
constexpr Comparison kComparisons[] = {
    {"isnlt", "int8lt", "<", "commutator = >, negator = >=, restrict = scalarltsel, join = scalarltjoinsel"},
    {"isnle", "int8le", "<=", "commutator = >=, negator = >, restrict = scalarlesel, join = scalarlejoinsel"},
    {"isneq", "int8eq", "=", "commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel, merges, hashes"},
    {"isnge", "int8ge", ">=", "commutator = <=, negator = <, restrict = scalargesel, join = scalargejoinsel"},
    {"isngt", "int8gt", ">", "commutator = <, negator = <=, restrict = scalargtsel, join = scalargtjoinsel"},
    {"isnne", "int8ne", "<>", "commutator = <>, negator = =, restrict = neqsel, join = neqjoinsel"},
};

constexpr std::string_view kInC = " as 'MODULE_PATHNAME' language c immutable strict parallel safe;\n";
std::string internal(std::string_view name) {
  return " as '" + std::string(name) + "' language internal immutable strict parallel safe;\n";
}

std::string types_script() {
  std::string out;
  for (const Type& t : kAll) {
    const std::string name(t.name);
    out += "create type " + name + ";\ncreate function " + name + "_in(cstring) returns " + name;
    out.append(kInC).append("create function ").append(t.output).append("(" + name + ") returns cstring").append(kInC);
    out += "create type " + name + " (input = " + name + "_in, output = ";
    out.append(t.output).append(", like = pg_catalog.int8);\ncomment on type " + name + " is '").append(t.comment) +=
        "';\n";
  }
  return out;
}

std::string comparisons_script(std::string_view left, std::string_view right) {
  std::string out;
  const std::string arguments = "(" + std::string(left) + ", " + std::string(right) + ")";
  for (const Comparison& c : kComparisons) {
    out.append("create function ")
        .append(c.function)
        .append(arguments + " returns boolean")
        .append(internal(c.builtin));
    out.append("create operator ").append(c.name).append(" (leftarg = ").append(left).append(", rightarg = ");
    out.append(right).append(", procedure = ").append(c.function).append(", ").append(c.clauses) += ");\n";
  }
  return out;
}

std::string classes_script() {
  std::string out = "create operator family isn_ops using btree;\ncreate operator family isn_ops using hash;\n";
  for (const Type& t : kAll) {
    const std::string name(t.name);
    out += "create function bt" + name + "cmp(" + name + ", " + name + ") returns int4" + internal("btint8cmp");
    out += "create operator class " + name + "_ops default for type " + name +
           " using btree family isn_ops as operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, "
           "function 1 bt" +
           name + "cmp(" + name + ", " + name + ");\n";
    out += "create function hash" + name + "(" + name + ") returns int4" + internal("hashint8");
    out += "create operator class " + name + "_ops default for type " + name +
           " using hash family isn_ops as operator 1 =, function 1 hash" + name + "(" + name + ");\n";
  }
  for (const auto& pair : kPairs) {
    for (const bool turned : {false, true}) {
      const std::string left(pair[turned ? 1 : 0]), both = "(" + left + ", " + std::string(pair[turned ? 0 : 1]) + ")";
      out += "create function bt" + left + "cmp" + both + " returns int4" + internal("btint8cmp");
      out += "alter operator family isn_ops using btree add operator 1 < " + both + ", operator 2 <= " + both +
             ", operator 3 = " + both + ", operator 4 >= " + both + ", operator 5 > " + both + ", function 1 bt" +
             left + "cmp" + both + ";\nalter operator family isn_ops using hash add operator 1 = " + both + ";\n";
    }
  }
  return out;
}

std::string casts_script() {
  std::string out;
  for (const Type& t : kAll) {
    const std::string name(t.name);
    if (name == "ean13") continue;
    const std::string kind = name.ends_with("13") ? name.substr(0, 4) : name;
    out += "create function " + name + "(ean13) returns " + name + " as 'MODULE_PATHNAME', '" + kind +
           "_cast_from_ean13' language c immutable strict parallel safe;\n";
    out += "create cast (ean13 as " + name + ") with function " + name + "(ean13);\n";
    out += "create cast (" + name + " as ean13) without function as assignment;\n";
    if (kind == name) continue;
    out += "create cast (" + kind + " as " + name + ") without function as assignment;\n";
    out += "create cast (" + name + " as " + kind + ") without function as assignment;\n";
  }
  for (const Type& t : kAll) {
    const std::string name(t.name);
    out += "create function make_valid(" + name + ") returns " + name + std::string(kInC);
    out += "create function is_valid(" + name + ") returns boolean" + std::string(kInC);
  }
  return out +
         "create function isn_weak(boolean) returns boolean as 'MODULE_PATHNAME', 'accept_weak_input' language c "
         "immutable "
         "strict parallel restricted;\n"
         "create function isn_weak() returns boolean as 'MODULE_PATHNAME', 'weak_input_status' language c immutable "
         "strict "
         "parallel restricted;\n";
}

std::string definitions() {
  std::string out = types_script();
  for (const Type& t : kAll) out += comparisons_script(t.name, t.name);
  for (const auto& pair : kPairs) {
    out += comparisons_script(pair[0], pair[1]);
    out += comparisons_script(pair[1], pair[0]);
  }
  return out + classes_script() + casts_script();
}

}  // namespace

const Extension& isn_extension() {
  static const std::string script = definitions();
  static const Extension extension{.name = "isn",
                                   .version = "1.2",
                                   .comment = "data types for international product numbering standards",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = kFunctions,
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
