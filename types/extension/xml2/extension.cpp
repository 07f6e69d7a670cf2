// xml2 1.1. xpath_table, which runs a query, is in engine/system/xpath_table.cpp.
#include "types/extension/extension.h"

#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <cmath>

#include "base/sqlstate.h"
#include "types/extension/xml2/documents.h"
#include "types/extension/xml2/stylesheet.h"
#include "types/function/kernel.h"
#include "types/system/delegate.h"
#include "types/textsearch/session.h"
#include "types/xml/libxml_call.h"
#include "types/xml/xml_document.h"

namespace indigo::types {

namespace {

using Text = std::optional<std::string>;

// What one path gives; `use` is not called when there is nothing.
bool find(FuncContext& context, Str document, std::string path, const std::function<Status(xmlXPathObject&)>& use) {
  auto done = xml2::evaluate(std::string(document), {std::move(path)},
                             [&](const std::vector<xmlXPathObject*>& found) -> Status {
                               return found[0] == nullptr ? Status() : use(*found[0]);
                             });
  if (!done.ok()) context.fail(std::move(*done.take_error()));
  return done.ok();
}

std::string encode_special_characters(Str text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#13;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

struct Frame {
  std::string around, each;         // names of elements; empty: none
  std::optional<std::string> list;  // between the nodes' texts, instead of elements
};

Status append_node(xmlNode* node, const Frame& frame, bool last, std::string& out) {
  if (frame.list) {
    const xmlChar* const text = libxml([&] { return xmlXPathCastNodeToString(node); });
    if (text != nullptr) out += reinterpret_cast<const char*>(text);
    if (!last) out += *frame.list;
  } else {
    if (!frame.each.empty()) out += "<" + frame.each + ">";
    xmlBuffer* const buffer = libxml([&] {
      xmlBuffer* const to = xmlBufferCreate();
      // A namespace is no node, though it stands in sets of them.
      if (node->type != XML_NAMESPACE_DECL) xmlNodeDump(to, node->doc, node, 1, 0);
      return to;
    });
    out.append(reinterpret_cast<const char*>(xmlBufferContent(buffer)), static_cast<size_t>(xmlBufferLength(buffer)));
    libxml([&] { xmlBufferFree(buffer); });
    if (!frame.each.empty()) out += "</" + frame.each + ">";
  }
  return check_xml_memory(out.size());
}

Text text_found(FuncContext& context, Str document, std::string path, const Frame& frame) {
  Text out;
  int unsupported = -1;
  find(context, document, std::move(path), [&](xmlXPathObject& found) -> Status {
    std::string& text = out.emplace();
    if (found.type == XPATH_STRING) {
      text = reinterpret_cast<const char*>(found.stringval);
    } else if (found.type != XPATH_NODESET) {
      unsupported = found.type;
      text = xml2::kUnsupported;
    } else {
      const int count = found.nodesetval == nullptr ? 0 : found.nodesetval->nodeNr;
      if (!frame.around.empty()) text += "<" + frame.around + ">";
      for (int i = 0; i < count; i++) {
        INDIGO_TRY(append_node(found.nodesetval->nodeTab[i], frame, i + 1 == count, text));
      }
      if (!frame.around.empty()) text += "</" + frame.around + ">";
    }
    return {};
  });
  if (unsupported >= 0) {
    text_search_notice(context, Error(sqlstate::kSuccessfulCompletion, xml2::unsupported_notice(unsupported)));
  }
  return context.failed() ? std::nullopt : out;
}

Text xpath_string(FuncContext& context, Str document, Str path) {
  return text_found(context, document, "string(" + std::string(path) + ")", {});
}
Text xpath_nodeset(FuncContext& context, Str document, Str path, Str around, Str each) {
  return text_found(context, document, std::string(path), {std::string(around), std::string(each), std::nullopt});
}
Text xpath_list(FuncContext& context, Str document, Str path, Str separator) {
  return text_found(context, document, std::string(path), {{}, {}, std::string(separator)});
}

std::optional<float> xpath_number(FuncContext& context, Str document, Str path) {
  std::optional<float> out;
  find(context, document, std::string(path), [&](xmlXPathObject& found) -> Status {
    const auto number = static_cast<float>(libxml([&] { return xmlXPathCastToNumber(&found); }));
    if (!std::isnan(number)) out = number;
    return {};
  });
  return out;
}
bool xpath_bool(FuncContext& context, Str document, Str path) {
  bool out = false;
  find(context, document, std::string(path), [&](xmlXPathObject& found) -> Status {
    out = libxml([&] { return xmlXPathCastToBoolean(&found); }) != 0;
    return {};
  });
  return out;
}

Text xslt_process_with(FuncContext& context, Str document, Str stylesheet, Str parameters) {
  auto done = xml2::transform(std::string(document), std::string(stylesheet), std::string(parameters));
  if (done.ok()) return std::move(*done);
  context.fail(std::move(*done.take_error()));
  return {};
}
Text xslt_process(FuncContext& context, Str document, Str stylesheet) {
  return xslt_process_with(context, document, stylesheet, {});
}

constexpr std::string_view kDefinitions = R"sql(
create function xml_valid(text) returns bool as 'xml_is_well_formed' language internal strict stable parallel safe;
create function xml_encode_special_chars(text) returns text as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_string(text, text) returns text as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_nodeset(text, text, text, text) returns text as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_number(text, text) returns float4 as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_bool(text, text) returns boolean as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_list(text, text, text) returns text as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function xpath_list(text, text) returns text as 'SELECT xpath_list($1,$2,'','')'
  language sql strict immutable parallel safe;
create function xpath_nodeset(text, text) returns text as 'SELECT xpath_nodeset($1,$2,'''','''')'
  language sql strict immutable parallel safe;
create function xpath_nodeset(text, text, text) returns text as 'SELECT xpath_nodeset($1,$2,'''',$3)'
  language sql strict immutable parallel safe;
create function xpath_table(text, text, text, text, text) returns setof record as 'MODULE_PATHNAME'
  language c strict stable parallel safe;
create function xslt_process(text, text, text) returns text as 'MODULE_PATHNAME', 'xslt_process_with'
  language c strict volatile parallel safe;
create function xslt_process(text, text) returns text as 'MODULE_PATHNAME' language c strict immutable parallel safe;
)sql";

const ScalarEntry kFunctions[] = {
    {"xml_encode_special_chars", kernel<encode_special_characters>},
    {"xpath_string", kernel<xpath_string>},
    {"xpath_nodeset", kernel<xpath_nodeset>},
    {"xpath_list", kernel<xpath_list>},
    {"xpath_number", kernel<xpath_number>},
    {"xpath_bool", kernel<xpath_bool>},
    {"xslt_process", kernel<xslt_process>},
    {"xslt_process_with", kernel<xslt_process_with>},
};
constexpr SetEntry kSets[] = {{"xpath_table", system_rows<"xml2_xpath_table">}};

}  // namespace

const Extension& xml2_extension() {
  static const Extension extension{.name = "xml2",
                                   .version = "1.1",
                                   .comment = "XPath querying and XSLT",
                                   .relocatable = false,
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = kDefinitions,
                                   .functions = kFunctions,
                                   .sets = kSets,
                                   .shaped_sets = true};
  return extension;
}

}  // namespace indigo::types
