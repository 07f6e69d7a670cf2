#include "types/system/object_name.h"

#include "base/sqlstate.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

struct Name {
  std::string schema, object;
  std::string text() const { return schema.empty() ? object : schema + "." + object; }
};

Result<Name> parse_name(FuncContext& context, Str text) {
  INDIGO_ASSIGN(std::vector<std::string> parts, parse_qualified_name(text));
  if (parts.size() == 3) {
    if (parts[0] != context.session().catalog().database_name())
      return Error(sqlstate::kFeatureNotSupported,
                   "cross-database references are not implemented: " + std::string(text));
    parts.erase(parts.begin());
  }
  if (parts.size() > 2)
    return Error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + std::string(text));
  return parts.size() == 2 ? Name{parts[0], parts[1]} : Name{"", parts[0]};
}

Result<std::string> parse_single(Str text) {
  INDIGO_ASSIGN(std::vector<std::string> parts, parse_qualified_name(text));
  if (parts.size() != 1) return Error(sqlstate::kInvalidName, "invalid name syntax");
  return std::move(parts[0]);
}

std::string qualified(FuncContext& context, Oid schema, const std::string& name, bool visible) {
  return visible ? name : quote_identifier(context.session().catalog().schema_name(schema)) + "." + name;
}

// The types between parentheses, split at commas outside of quotes and nested parentheses; at the end of `text`.
Result<std::vector<std::string>> split_signature(Str text, Str& head) {
  const size_t open = text.find('(');
  if (open == Str::npos) return Error(sqlstate::kInvalidTextRepresentation, "expected a left parenthesis");
  const Str rest = trim_blanks(text.substr(open + 1));
  if (rest.empty() || rest.back() != ')')
    return Error(sqlstate::kInvalidTextRepresentation, "expected a right parenthesis");
  head = text.substr(0, open);
  const Str inside = trim_blanks(rest.substr(0, rest.size() - 1));
  std::vector<std::string> parts;
  if (inside.empty()) return parts;
  int depth = 0;
  bool quoted = false;
  size_t from = 0;
  for (size_t i = 0; i <= inside.size(); i++) {
    const char c = i < inside.size() ? inside[i] : ',';
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') depth++;
    if (c == ')' || c == ']') depth--;
    if (c == ',' && depth == 0) {
      const Str part = trim_blanks(inside.substr(from, i - from));
      if (part.empty()) return Error(sqlstate::kInvalidTextRepresentation, "expected a type name");
      parts.emplace_back(part);
      from = i + 1;
    }
  }
  return parts;
}

Result<std::vector<Oid>> signature_types(FuncContext& context, const std::vector<std::string>& names) {
  std::vector<Oid> types;
  for (const std::string& name : names) {
    if (equals_ignoring_case(name, "none")) {
      types.push_back(kInvalidOid);
      continue;
    }
    INDIGO_ASSIGN(const TypeRef type, parse_type_name(context, name));
    types.push_back(type.oid);
  }
  return types;
}

// An operator's name has no quotes: schema.+ or +.
Result<Name> parse_operator(Str text) {
  text = trim_blanks(text);
  const bool quoted = text.starts_with("\"");
  if (text.empty() || (!quoted && std::any_of(text.begin(), text.end(), is_blank)) || text == "\"") {
    return Error(sqlstate::kInvalidName, "invalid name syntax");
  }
  const size_t dot = text.rfind('.');
  if (dot == Str::npos) return Name{"", std::string(text)};
  return Name{to_lower(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace

namespace {

// 3F000, and 42501 without the right to look names up there.
Status check_schema(FuncContext& context, const Name& name) {
  if (name.schema.empty() || name.schema == "pg_catalog") return {};
  const Oid schema = context.session().catalog().schema_named(name.schema);
  if (schema == kInvalidOid)
    return Error(sqlstate::kInvalidSchemaName, "schema \"" + name.schema + "\" does not exist");
  const Datum asked[] = {Datum::of_oid(schema), Datum::of(Str("USAGE"))};
  INDIGO_ASSIGN(const OwnedDatum may, context.session().system_value("has_schema_privilege_id", asked));
  if (!may.get().null && may.get().b) return {};
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + name.schema);
}

}  // namespace

Result<Oid> find_relation_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const Name name, parse_name(context, text));
  INDIGO_TRY(check_schema(context, name));
  const Oid oid = context.session().catalog().relation_oid_named(name.schema, name.object);
  if (oid == kInvalidOid) return Error(sqlstate::kUndefinedTable, "relation \"" + name.text() + "\" does not exist");
  return oid;
}

Result<Oid> find_type_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const TypeRef type, parse_type_name(context, text));
  return type.oid;
}

Result<Oid> find_function_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const Name name, parse_name(context, text));
  INDIGO_TRY(check_schema(context, name));
  const auto candidates = context.session().catalog().functions_named(name.schema, name.object);
  if (candidates.empty())
    return Error(sqlstate::kUndefinedFunction, "function \"" + std::string(text) + "\" does not exist");
  if (candidates.size() > 1)
    return Error(sqlstate::kAmbiguousFunction, "more than one function named \"" + std::string(text) + "\"");
  return candidates[0]->oid;
}

Result<Oid> find_procedure_oid(FuncContext& context, Str text) {
  Str head;
  INDIGO_ASSIGN(const std::vector<std::string> parts, split_signature(text, head));
  INDIGO_ASSIGN(const Name name, parse_name(context, head));
  INDIGO_ASSIGN(const std::vector<Oid> types, signature_types(context, parts));
  INDIGO_TRY(check_schema(context, name));
  for (const auto& f : context.session().catalog().functions_named(name.schema, name.object))
    if (f->arguments == types) return f->oid;
  return Error(sqlstate::kUndefinedFunction, "function \"" + std::string(text) + "\" does not exist");
}

Result<Oid> find_operator_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const Name name, parse_operator(text));
  INDIGO_TRY(check_schema(context, name));
  const auto candidates = context.session().catalog().operators_named(name.schema, name.object);
  if (candidates.empty()) return Error(sqlstate::kUndefinedFunction, "operator does not exist: " + std::string(text));
  if (candidates.size() > 1)
    return Error(sqlstate::kAmbiguousFunction, "more than one operator named " + std::string(text));
  return candidates[0]->oid;
}

Result<Oid> find_operator_signature_oid(FuncContext& context, Str text) {
  Str head;
  INDIGO_ASSIGN(const std::vector<std::string> parts, split_signature(text, head));
  INDIGO_ASSIGN(const std::vector<Oid> types, signature_types(context, parts));
  if (types.size() == 1)
    return Error(sqlstate::kUndefinedParameter, "missing argument")
        .with_hint("Use NONE to denote the missing argument of a unary operator.");
  if (types.size() != 2)
    return Error(SqlState("54023"), "too many arguments").with_hint("Provide two argument types for operator.");
  INDIGO_ASSIGN(const Name name, parse_operator(head));
  for (const auto* op : context.session().catalog().operators_named(name.schema, name.object))
    if (op->left == types[0] && op->right == types[1]) return op->oid;
  return Error(sqlstate::kUndefinedFunction, "operator does not exist: " + std::string(text));
}

Result<Oid> find_schema_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const std::string name, parse_single(text));
  const Oid oid = context.session().catalog().schema_named(name);
  if (oid == kInvalidOid) return Error(sqlstate::kInvalidSchemaName, "schema \"" + name + "\" does not exist");
  return oid;
}

Result<Oid> find_role_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const std::string name, parse_single(text));
  const Oid oid = context.session().catalog().role_named(name);
  if (oid == kInvalidOid) return Error(sqlstate::kUndefinedObject, "role \"" + name + "\" does not exist");
  return oid;
}

Result<Oid> find_collation_oid(FuncContext& context, Str text) {
  INDIGO_ASSIGN(const Name name, parse_name(context, text));
  INDIGO_TRY(check_schema(context, name));
  const Oid oid = context.session().catalog().find_collation(name.schema, name.object);
  if (oid == kInvalidOid)
    return Error(sqlstate::kUndefinedObject, "collation \"" + name.text() + "\" for encoding \"UTF8\" does not exist");
  return oid;
}

namespace {

Result<Oid> find_text_search_oid(FuncContext& context, TextSearchKind kind, const char* what, Str text) {
  INDIGO_ASSIGN(const Name name, parse_name(context, text));
  INDIGO_TRY(check_schema(context, name));
  auto* session = dynamic_cast<TextSearchSession*>(&context.session());
  const Oid oid = session == nullptr ? kInvalidOid : session->find_text_search(kind, name.schema, name.object);
  if (oid != kInvalidOid) return oid;
  return Error(sqlstate::kUndefinedObject,
               std::string("text search ") + what + " \"" + name.text() + "\" does not exist");
}

std::string text_search_name(FuncContext& context, TextSearchKind kind, Oid oid) {
  auto* session = dynamic_cast<TextSearchSession*>(&context.session());
  if (session == nullptr) return {};
  const std::optional<TextSearchName> name = session->text_search_name(kind, oid);
  if (!name) return {};
  const std::string own = quote_identifier(name->name);
  return name->visible ? own : quote_identifier(name->schema) + "." + own;
}

}  // namespace

Result<Oid> find_text_search_configuration_oid(FuncContext& context, Str name) {
  return find_text_search_oid(context, TextSearchKind::kConfiguration, "configuration", name);
}
Result<Oid> find_text_search_dictionary_oid(FuncContext& context, Str name) {
  return find_text_search_oid(context, TextSearchKind::kDictionary, "dictionary", name);
}
Result<Oid> find_text_search_parser_oid(FuncContext& context, Str name) {
  return find_text_search_oid(context, TextSearchKind::kParser, "parser", name);
}

std::string relation_name(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto relation = view.row_shape(oid);
  if (relation == nullptr) return {};
  const bool visible = view.relation_oid_named("", relation->name) == oid;
  return qualified(context, relation->schema, quote_identifier(relation->name), visible);
}

std::string qualified_relation_name(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto relation = view.row_shape(oid);
  if (relation && relation->schema == view.schema_named("pg_temp"))
    return "pg_temp." + quote_identifier(relation->name);
  return relation ? qualified(context, relation->schema, quote_identifier(relation->name), false) : std::string();
}

std::string type_name(FuncContext& context, Oid oid) {
  return context.session().catalog().type(oid) == nullptr ? std::string() : format_type(context, oid);
}

std::string function_name(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto function = view.function(oid);
  if (function == nullptr) return {};
  const auto visible = view.functions_named("", function->name);
  return qualified(context, function->schema, quote_identifier(function->name),
                   visible.size() == 1 && visible[0]->oid == oid);
}

std::string procedure_name(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto function = view.function(oid);
  if (function == nullptr) return {};
  // Visible: the first of its signature along search_path.
  bool visible = false;
  for (const auto& f : view.functions_named("", function->name))
    if (f->arguments == function->arguments) {
      visible = f->oid == oid;
      break;
    }
  std::string text = qualified(context, function->schema, quote_identifier(function->name), visible) + "(";
  for (size_t i = 0; i < function->arguments.size(); i++)
    text.append(i == 0 ? "" : ",").append(format_type(context, function->arguments[i]));
  return text + ")";
}

std::string operator_name(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto* op = view.operator_by_oid(oid);
  if (op == nullptr) return {};
  const auto visible = view.operators_named("", op->name);
  return qualified(context, op->schema, op->name, visible.size() == 1 && visible[0]->oid == oid);
}

std::string operator_signature(FuncContext& context, Oid oid) {
  CatalogContext& view = context.session().catalog();
  const auto* op = view.operator_by_oid(oid);
  if (op == nullptr) return {};
  bool visible = false;
  for (const auto* candidate : view.operators_named("", op->name))
    if (candidate->left == op->left && candidate->right == op->right) {
      visible = candidate->oid == oid;
      break;
    }
  const auto operand = [&](Oid type) { return type == kInvalidOid ? std::string("NONE") : format_type(context, type); };
  return qualified(context, op->schema, op->name, visible) + "(" + operand(op->left) + "," + operand(op->right) + ")";
}

std::string schema_display_name(FuncContext& context, Oid oid) {
  const std::string name = context.session().catalog().schema_name(oid);
  return name.empty() ? name : quote_identifier(name);
}
std::string role_display_name(FuncContext& context, Oid oid) {
  const std::string name = context.session().catalog().role_name(oid);
  return name.empty() ? name : quote_identifier(name);
}
std::string collation_display_name(FuncContext& context, Oid oid) {
  const std::string name = context.session().catalog().collation_name(oid);
  return name.empty() ? name : quote_identifier(name);
}
std::string text_search_configuration_name(FuncContext& context, Oid oid) {
  return text_search_name(context, TextSearchKind::kConfiguration, oid);
}
std::string text_search_dictionary_name(FuncContext& context, Oid oid) {
  return text_search_name(context, TextSearchKind::kDictionary, oid);
}

}  // namespace indigo::types
