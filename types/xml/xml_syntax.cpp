// What the XML constructs of SQL are calls of: XMLELEMENT, XMLFOREST, XMLCONCAT, XMLPARSE, XMLPI, XMLROOT, IS DOCUMENT,
// XMLSERIALIZE.
#include <strings.h>

#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/xml/xml_concat.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_families.h"
#include "types/xml/xml_states.h"
#include "types/xml/xml_value.h"

namespace indigo::types {

namespace {

using Values = std::span<const Datum>;

std::vector<std::string> names_of(const Datum& array) {
  std::vector<std::string> out;
  const ArrayView view(array.str);
  for (int32_t i = 0; i < view.count(); i++) {
    const Datum name = view.element(i);
    out.emplace_back(name.null ? Str() : name.str);
  }
  return out;
}

struct Attribute {
  std::string name, value;
};

std::string write_element(const std::string& name, const std::vector<Attribute>& attributes, bool has_content,
                          const std::string& content) {
  std::string out = "<" + name;
  for (const Attribute& a : attributes) {
    out.append(" ").append(a.name).append("=\"");
    append_attribute_escaped(a.value, out);
    out.push_back('"');
  }
  if (!has_content) return out + "/>";
  return out.append(">").append(content).append("</").append(name).append(">");
}

// The functions have names, by which they can be called with anything.
template <class Answer = std::string>
std::optional<Answer> misused(FuncContext& context) {
  context.fail(sqlstate::kFeatureNotSupported, "functions of XML constructs cannot be called by name");
  return {};
}

std::optional<std::string> element(FuncContext& context, const CallInfo& call, Values values) {
  if (values.size() < 2 || values[0].null || values[1].null) return misused(context);
  const std::vector<std::string> names = names_of(values[1]);
  if (values.size() < 2 + names.size()) return misused(context);
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < names.size(); i++) {
    const Datum& value = values[2 + i];
    if (value.null) continue;
    std::string& text = attributes.emplace_back(Attribute{names[i], {}}).value;
    append_xml_value(context, call.arguments[2 + i], value, false, text);
  }
  std::string content;
  bool any = false;
  for (size_t i = 2 + names.size(); i < values.size(); i++) {
    if (values[i].null) continue;
    append_xml_value(context, call.arguments[i], values[i], true, content);
    any = true;
  }
  if (context.failed()) return {};
  return write_element(std::string(values[0].str), attributes, any, content);
}

std::optional<std::string> forest(FuncContext& context, const CallInfo& call, Values values) {
  if (values.empty() || values[0].null) return misused(context);
  const std::vector<std::string> names = names_of(values[0]);
  if (values.size() != 1 + names.size()) return misused(context);
  std::string out;
  bool any = false;
  for (size_t i = 0; i < names.size(); i++) {
    if (values[i + 1].null) continue;
    any = true;
    out.append("<").append(names[i]).append(">");
    append_xml_value(context, call.arguments[i + 1], values[i + 1], true, out);
    out.append("</").append(names[i]).append(">");
  }
  return any && !context.failed() ? std::optional(out) : std::nullopt;
}

bool is_xml(const CallInfo& call, size_t argument) { return call.arguments[argument].oid == oid::kXml; }

std::optional<std::string> concat_all(FuncContext& context, const CallInfo& call, Values values) {
  XmlConcat all;
  bool any = false;
  for (size_t i = 0; i < values.size(); i++) {
    if (!is_xml(call, i)) return misused(context);
    if (values[i].null) continue;
    all.add(values[i].str);
    any = true;
  }
  return any ? std::optional(all.result()) : std::nullopt;
}

std::optional<Str> parse(FuncContext& context, Str text, bool document, bool preserve) {
  Status status = check_xml(context, text, document ? XmlOption::kDocument : XmlOption::kContent, preserve);
  if (status.ok()) return text;
  context.fail(std::move(*status.take_error()));
  return {};
}

std::optional<std::string> instruction(FuncContext& context, const CallInfo& call, Values values) {
  if (values.empty() || values[0].null || (values.size() > 1 && call.arguments[1].oid != oid::kText)) {
    return misused(context);
  }
  const std::string name(values[0].str);
  if (strcasecmp(name.c_str(), "xml") == 0) {
    context.fail(Error(sqlstate::kSyntaxError, "invalid XML processing instruction")
                     .with_detail("XML processing instruction target name cannot be \"" + name + "\"."));
    return {};
  }
  if (values.size() < 2) return "<?" + name + "?>";
  if (values[1].null) return {};
  const Str content = values[1].str;
  if (content.find("?>") != Str::npos) {
    context.fail(Error(sqlstate::kInvalidXmlProcessingInstruction, "invalid XML processing instruction")
                     .with_detail("XML processing instruction cannot contain \"?>\"."));
    return {};
  }
  const size_t begin = std::min(content.find_first_not_of(' '), content.size());
  return "<?" + name + " " + std::string(content.substr(begin)) + "?>";
}

std::optional<std::string> root(std::optional<Str> xml, std::optional<Str> version, std::optional<int32_t> standalone) {
  if (!xml) return {};
  XmlDeclaration declaration;
  parse_xml_declaration(*xml, declaration);
  int alone = declaration.standalone;
  switch (standalone.value_or(3)) {
    case 0: alone = 1; break;
    case 1: alone = 0; break;
    case 2: alone = -1; break;
    default: break;
  }
  std::string out;
  append_xml_declaration(version.value_or(Str()), alone, out);
  return out.append(xml->substr(declaration.length));
}

bool is_document(FuncContext& context, Str xml) { return check_xml(context, xml, XmlOption::kDocument, true).ok(); }

std::optional<Str> serialize(FuncContext& context, const CallInfo&, Values values) {
  if (values.size() < 2 || values[1].null) return misused<Str>(context);
  if (values[0].null) return {};
  if (!values[1].b || is_document(context, values[0].str)) return values[0].str;
  context.fail(sqlstate::kNotAnXmlDocument, "not an XML document");
  return {};
}

const ScalarEntry kXmlSyntaxEntries[] = {
    {"indigo_xmlelement", any_kernel<element>},      {"indigo_xmlforest", any_kernel<forest>},
    {"indigo_xmlconcat", any_kernel<concat_all>},    {"indigo_xmlparse", kernel<parse>},
    {"indigo_xmlpi", any_kernel<instruction>},       {"indigo_xmlroot", kernel<root>},
    {"indigo_xml_is_document", kernel<is_document>}, {"indigo_xmlserialize", any_kernel<serialize>},
};

}  // namespace

std::span<const ScalarEntry> xml_syntax_functions() { return kXmlSyntaxEntries; }

}  // namespace indigo::types
