// xpath, xpath_exists and xmlexists.
#include "types/xml/xpath.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <cmath>
#include <functional>
#include <optional>

#include "types/function/kernel.h"
#include "types/number/float.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_families.h"
#include "types/xml/xml_session.h"
#include "types/xml/xml_states.h"
#include "types/xml/xml_value.h"

namespace indigo::types {

Status XPathDocument::open(const std::string& data) {
  XmlDeclaration declaration;
  parse_xml_declaration(data, declaration);
  INDIGO_ASSIGN(xmlParserCtxt* const parser, new_xml_parser(data));
  document_ = libxml([&] {
    return xmlCtxtReadMemory(parser, data.c_str() + declaration.length,
                             static_cast<int>(data.size() - declaration.length), nullptr, nullptr, XML_PARSE_NONET);
  });
  if (document_ == nullptr || errors_.any()) {
    return errors_.error(sqlstate::kInvalidXmlDocument, "could not parse XML document");
  }
  context_ = libxml([&] { return xmlXPathNewContext(document_); });
  if (context_ == nullptr || errors_.any()) {
    return errors_.error(sqlstate::kOutOfMemory, "could not allocate XPath context");
  }
  context_->node = reinterpret_cast<xmlNode*>(document_);
  return {};
}

Status XPathDocument::add_namespace(const std::string& name, const std::string& uri) {
  if (libxml([&] { return xmlXPathRegisterNs(context_, xml_chars(name), xml_chars(uri)); }) == 0) return {};
  return errors_.error(sqlstate::kInternalError,
                       "could not register XML namespace with name \"" + name + "\" and URI \"" + uri + "\"");
}

Result<xmlXPathCompExpr*> XPathDocument::compile(const std::string& path, SqlState state) {
  xmlXPathCompExpr* const expression = libxml([&] { return xmlXPathCtxtCompile(context_, xml_chars(path)); });
  if (expression == nullptr || errors_.any()) return errors_.error(state, "invalid XPath expression");
  return expression;
}

Result<xmlXPathObject*> XPathDocument::evaluate(xmlXPathCompExpr& expression, xmlNode* node) {
  context_->node = node != nullptr ? node : reinterpret_cast<xmlNode*>(document_);
  xmlXPathObject* const object = libxml([&] { return xmlXPathCompiledEval(&expression, context_); });
  if (object == nullptr || errors_.any()) {
    return errors_.error(sqlstate::kInternalError, "could not create XPath object");
  }
  return object;
}

namespace {

// How often a path may begin anew from each node of a set, or compare or join sets; and whether it does so within a
// condition of its conditions.
struct Repeats {
  size_t count = 0;
  bool nested = false;
};
Repeats repeats_of(std::string_view path) {
  Repeats out;
  int depth = 0;
  for (size_t i = 0; i < path.size(); i++) {
    const std::string_view two = path.substr(i, 2);
    if (two == "//" || two == "::" || two == ".." || std::string_view("|=<>").find(path[i]) != std::string_view::npos)
      out.count++;
    if (path[i] == '[' && ++depth > 1) out.nested = true;
    if (path[i] == ']') depth--;
  }
  return out;
}

}  // namespace

bool may_take_long(const std::string& path, size_t document_bytes) {
  constexpr size_t kQuickBytes = 16 * 1024;  // a set of all nodes compared with itself: some ten milliseconds
  constexpr size_t kQuickBytesOfNamespaces = 2 * 1024;                      // of which each element has its own
  constexpr size_t kQuickBytesOfSome = 4 * 1024, kQuickBytesOfMany = 1024;  // a set for each node of a set
  constexpr size_t kSome = 2, kMany = 4;
  const Repeats repeats = repeats_of(path);
  if (repeats.nested) return true;
  if (repeats.count >= kSome)
    return path.size() + document_bytes > (repeats.count >= kMany ? kQuickBytesOfMany : kQuickBytesOfSome);
  const bool namespaces = path.find("namespace") != std::string::npos;
  return path.size() + document_bytes > (namespaces ? kQuickBytesOfNamespaces : kQuickBytes);
}

Result<std::string> xml_of_node(xmlNode* node) {
  std::string out;
  if (node->type == XML_ATTRIBUTE_NODE || node->type == XML_TEXT_NODE) {
    xmlChar* const text = libxml([&] { return xmlXPathCastNodeToString(node); });
    if (text != nullptr) append_xml_escaped(reinterpret_cast<const char*>(text), out);
    libxml([&] { xmlFree(text); });
    return out;
  }
  xmlBuffer* const buffer = libxml([&] {
    xmlBuffer* const to = xmlBufferCreate();
    // A copy brings the namespaces along that are declared above.
    xmlNode* const copy = node->type == XML_DOCUMENT_NODE ? node : xmlCopyNode(node, 1);
    if (copy == nullptr) return static_cast<xmlBuffer*>(nullptr);
    xmlNodeDump(to, nullptr, copy, 0, 0);
    if (copy != node) xmlFreeNode(copy);
    return to;
  });
  // The namespace that the prefix xml stands for has no copy.
  if (buffer == nullptr) return Error(sqlstate::kOutOfMemory, "could not copy node");
  out.assign(reinterpret_cast<const char*>(xmlBufferContent(buffer)), static_cast<size_t>(xmlBufferLength(buffer)));
  libxml([&] { xmlBufferFree(buffer); });
  return out;
}

namespace {

// As float8 is printed.
std::string xpath_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string out;
  append_double(value, 1, out);
  return out;
}

// ---- what an expression gives, as texts of xml
Status append_results(xmlXPathObject& object, std::vector<std::string>& out) {
  switch (object.type) {
    case XPATH_NODESET: {
      size_t total = 0;
      for (int i = 0; object.nodesetval != nullptr && i < object.nodesetval->nodeNr; i++) {
        INDIGO_ASSIGN(std::string text, xml_of_node(object.nodesetval->nodeTab[i]));
        out.push_back(std::move(text));
        INDIGO_TRY(check_xml_memory(total += out.back().size() + sizeof(std::string)));
      }
      return {};
    }
    case XPATH_BOOLEAN: out.emplace_back(object.boolval != 0 ? "true" : "false"); return {};
    case XPATH_NUMBER: out.push_back(xpath_number(object.floatval)); return {};
    case XPATH_STRING:
      append_xml_escaped(reinterpret_cast<const char*>(object.stringval), out.emplace_back());
      return {};
    default:
      return Error(sqlstate::kInternalError,
                   "xpath expression result type " + std::to_string(object.type) + " is unsupported");
  }
}

struct XPathNamespace {
  std::optional<std::string> name, uri;
};

// What becomes of what is found.
using Take = std::function<Status(xmlXPathObject& object)>;

Status evaluate(const std::string& path, const std::string& data, const std::vector<XPathNamespace>& namespaces,
                const Take& take, std::vector<std::string>& warnings) {
  const XmlErrors errors(true, warnings);
  XPathDocument document(errors);
  INDIGO_TRY(document.open(data));
  for (const XPathNamespace& n : namespaces) {
    if (!n.name || !n.uri) return Error(sqlstate::kNullValueNotAllowed, "neither namespace name nor URI may be null");
    INDIGO_TRY(document.add_namespace(*n.name, *n.uri));
  }
  INDIGO_ASSIGN(xmlXPathCompExpr* const expression, document.compile(path, sqlstate::kInternalError));
  INDIGO_ASSIGN(xmlXPathObject* const object, document.evaluate(*expression, nullptr));
  return take(*object);
}

// The array of names and URIs.
bool read_namespaces(FuncContext& context, Str image, std::vector<XPathNamespace>& out) {
  const ArrayView array(image);
  if (array.dimensions() == 0) return true;
  if (array.dimensions() != 2 || array.dimension(1).length != 2) {
    context.fail(Error(sqlstate::kDataException, "invalid array for XML namespace mapping")
                     .with_detail("The array must be two-dimensional with length of the second axis equal to 2."));
    return false;
  }
  for (int32_t i = 0; i + 1 < array.count(); i += 2) {
    const auto text = [](const Datum& d) { return d.null ? std::nullopt : std::optional<std::string>(d.str); };
    out.push_back({text(array.element(i)), text(array.element(i + 1))});
  }
  return true;
}

bool find(FuncContext& context, Str path, Str data, Str namespaces, const Take& take) {
  std::vector<XPathNamespace> known;
  if (!namespaces.empty() && !read_namespaces(context, namespaces, known)) return false;
  if (path.empty()) {
    context.fail(sqlstate::kDataException, "empty XPath expression");
    return false;
  }
  const std::string expression(path), text(data);
  std::vector<std::string> warnings;
  Status status = with_libxml([&] { return evaluate(expression, text, known, take, warnings); },
                              may_take_long(expression, text.size()));
  report_xml_warnings(context, warnings);
  if (!status.ok()) context.fail(std::move(*status.take_error()));
  return status.ok();
}

std::string xpath(FuncContext& context, Str path, Str data, Str namespaces) {
  std::vector<std::string> found;
  std::vector<Datum> elements;
  const auto take = [&](xmlXPathObject& object) { return append_results(object, found); };
  if (!find(context, path, data, namespaces, take)) return {};
  for (const std::string& text : found) elements.push_back(Datum::of(Str(text)));
  return make_array(oid::kXml, Phys::kStr, elements);
}
// PostgreSQL has it as a function in SQL.
void note_sql_function(FuncContext& context, const char* name) {
  if (!context.failed()) return;
  Error error = *context.take_error();
  error.add_context(std::string("SQL function \"") + name + "\" statement 1");
  context.fail(std::move(error));
}

std::string xpath_without_names(FuncContext& context, Str path, Str data) {
  std::string found = xpath(context, path, data, {});
  note_sql_function(context, "xpath");
  return found;
}
bool exists(FuncContext& context, Str path, Str data, Str namespaces) {
  bool found = false;
  const auto take = [&](xmlXPathObject& object) -> Status {
    found = object.type != XPATH_NODESET || (object.nodesetval != nullptr && object.nodesetval->nodeNr > 0);
    return {};
  };
  return find(context, path, data, namespaces, take) && found;
}
bool exists_without_names(FuncContext& context, Str path, Str data) { return exists(context, path, data, {}); }
bool exists_in_sql(FuncContext& context, Str path, Str data) {
  const bool found = exists(context, path, data, {});
  note_sql_function(context, "xpath_exists");
  return found;
}

const ScalarEntry kXPathEntries[] = {
    {"xpath", kernel<xpath>},
    {"xpath(text,xml)", kernel<xpath_without_names>},
    {"xpath_exists", kernel<exists>},
    {"xpath_exists(text,xml)", kernel<exists_in_sql>},
    {"xmlexists", kernel<exists_without_names>},
};

}  // namespace

std::span<const ScalarEntry> xpath_functions() { return kXPathEntries; }

}  // namespace indigo::types
