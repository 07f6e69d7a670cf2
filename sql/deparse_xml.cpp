#include "sql/deparse_xml.h"

#include "sql/analyze/make.h"
#include "sql/deparse.h"
#include "sql/xml_constructs.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"
#include "types/xml/xml_value.h"

namespace indigo::sql {

namespace {

const Datum& constant(const ExprPtr& e) { return as<ConstExpr>(*e).value.get(); }
std::string text_of(const ExprPtr& e) { return std::string(constant(e).str); }
std::string name(const std::string& xml_name) {
  return types::quote_identifier(types::identifier_of_xml_name(xml_name));
}

bool is_constant(const ExprPtr& e, Oid type) {
  return e->kind == ExprKind::kConst && e->type.oid == type && !constant(e).null;
}
// At `names`: an array of names, behind it at least as many arguments.
bool has_named(const ExprList& a, size_t names) {
  return a.size() > names && is_constant(a[names], oid::kTextArray) &&
         static_cast<size_t>(ArrayView(constant(a[names]).str).count()) < a.size() - names;
}

enum TableArgument : size_t { kDocument, kRowPath, kNamespaces, kShape, kFlags, kFirstColumn };
bool is_table(const ExprList& a) {
  if (a.size() < kFirstColumn || a[kNamespaces]->kind != ExprKind::kArray || !is_constant(a[kShape], oid::kRecord) ||
      !is_constant(a[kFlags], oid::kText)) {
    return false;
  }
  const size_t columns = types::read_record(constant(a[kShape]).str).types.size();
  return constant(a[kFlags]).str.size() == columns && a.size() == kFirstColumn + 2 * columns;
}

// Whether the arguments are those that the grammar's construct has: a function may also be called by its name.
bool is_construct(Oid function, const ExprList& a) {
  switch (function) {
    case xml_construct::kElement: return !a.empty() && is_constant(a[0], oid::kText) && has_named(a, 1);
    case xml_construct::kForest: return has_named(a, 0);
    case xml_construct::kConcat: return true;
    case xml_construct::kParse: return a.size() == 3 && is_constant(a[1], oid::kBool) && is_constant(a[2], oid::kBool);
    case xml_construct::kInstruction: return !a.empty() && is_constant(a[0], oid::kText);
    case xml_construct::kRoot: return a.size() == 3 && is_constant(a[2], oid::kInt4);
    case xml_construct::kIsDocument: return a.size() == 1;
    case xml_construct::kSerialize: return a.size() == 3 && is_constant(a[1], oid::kBool);
    case xml_construct::kTable: return is_table(a);
    default: return true;
  }
}

}  // namespace

void XmlDeparser::print_rest(const ExprList& list, size_t from, const char* before) const {
  for (size_t i = from; i < list.size(); i++) {
    out += i == from ? before : ", ";
    print(*list[i], true);
  }
}

size_t XmlDeparser::print_named(const ExprList& list, size_t names) const {
  const ArrayView array(constant(list[names]).str);
  const auto count = static_cast<size_t>(array.count());
  for (size_t i = 0; i < count; i++) {
    if (i > 0) out += ", ";
    print(*list[names + 1 + i], true);
    out += " AS " + name(std::string(array.element(static_cast<int32_t>(i)).str));
  }
  return names + 1 + count;
}

void XmlDeparser::print_table(const ExprList& a) const {
  out += "XMLTABLE(";
  const ExprList& spaces = as<ArrayExpr>(*a[kNamespaces]).elements;
  for (size_t i = 0; i + 1 < spaces.size(); i += 2) {
    out += i == 0 ? "XMLNAMESPACES (" : ", ";
    const std::string prefix = text_of(spaces[i]);
    if (prefix.empty()) out += "DEFAULT ";
    print(*spaces[i + 1], false);
    if (!prefix.empty()) out += " AS " + types::quote_identifier(prefix);
  }
  if (!spaces.empty()) out += "), ";
  const auto in_parentheses = [&](const char* before, const ExprPtr& e) {
    out.append(before).append("(");
    print(*e, true);
    out += ")";
  };
  in_parentheses("", a[kRowPath]);
  in_parentheses(" PASSING ", a[kDocument]);
  out += " COLUMNS ";
  const types::RecordFields shape = types::read_record(constant(a[kShape]).str);
  const Str flags = constant(a[kFlags]).str;
  for (size_t c = 0; c < shape.types.size(); c++) {
    if (c > 0) out += ", ";
    out += types::quote_identifier(std::string(shape.names[c])) + " ";
    if (flags[c] == 'o') {
      out += "FOR ORDINALITY";
      continue;
    }
    out += deparse_type(catalog, shape.types[c], always_qualify);
    if (((flags[c] - '0') & 2) != 0) in_parentheses(" DEFAULT ", a[kFirstColumn + 2 * c + 1]);
    if (((flags[c] - '0') & 4) != 0) in_parentheses(" PATH ", a[kFirstColumn + 2 * c]);
    if (((flags[c] - '0') & 1) != 0) out += " NOT NULL";
  }
}

bool XmlDeparser::print_construct(const CallExpr& call) const {
  const ExprList& a = call.arguments;
  if (!is_construct(call.function, a)) return false;
  switch (call.function) {
    case xml_construct::kElement: {
      out += "XMLELEMENT(NAME " + name(text_of(a[0]));
      size_t next = 2;
      if (ArrayView(constant(a[1]).str).count() > 0) {
        out += ", XMLATTRIBUTES(";
        next = print_named(a, 1);
        out += ")";
      }
      print_rest(a, next, ", ");
      break;
    }
    case xml_construct::kForest:
      out += "XMLFOREST(";
      print_named(a, 0);
      break;
    case xml_construct::kConcat:
      out += "XMLCONCAT(";
      print_rest(a, 0, "");
      break;
    case xml_construct::kParse:
      out += constant(a[1]).b ? "XMLPARSE(DOCUMENT " : "XMLPARSE(CONTENT ";
      print(*a[0], true);
      out += constant(a[2]).b ? " PRESERVE WHITESPACE" : " STRIP WHITESPACE";
      break;
    case xml_construct::kInstruction:
      out += "XMLPI(NAME " + name(text_of(a[0]));
      print_rest(a, 1, ", ");
      break;
    case xml_construct::kRoot: {
      out += "XMLROOT(";
      print(*a[0], true);
      out += ", VERSION ";
      if (is_null_const(a[1])) {
        out += "NO VALUE";
      } else {
        print(*a[1], false);
      }
      constexpr const char* kStandalone[] = {", STANDALONE YES", ", STANDALONE NO", ", STANDALONE NO VALUE", ""};
      out += kStandalone[constant(a[2]).i32 & 3];
      break;
    }
    case xml_construct::kIsDocument:
      nested(*a[0]);
      out += " IS DOCUMENT";
      return true;
    case xml_construct::kSerialize:
      out += constant(a[1]).b ? "XMLSERIALIZE(DOCUMENT " : "XMLSERIALIZE(CONTENT ";
      print(*a[0], true);
      out += " AS " + deparse_type(catalog, a[2]->type, always_qualify);
      break;
    case xml_construct::kTable: print_table(a); break;
    default: return false;
  }
  out += ")";
  return true;
}

}  // namespace indigo::sql
