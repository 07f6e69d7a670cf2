#include "types/extension/xml2/documents.h"

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/sqlstate.h"
#include "types/xml/libxml_call.h"
#include "types/xml/xml_document.h"
#include "types/xml/xpath.h"

namespace indigo::types::xml2 {

namespace {

Result<bool> read(const std::string& text, const std::vector<std::string>& paths, const Use& use) {
  std::vector<std::string> warnings;
  const XmlErrors errors(true, warnings);
  INDIGO_ASSIGN(xmlParserCtxt* const parser, new_xml_parser(text));
  xmlDoc* const document = libxml([&] {
    return xmlCtxtReadMemory(parser, text.data(), static_cast<int>(text.size()), nullptr, "UTF-8",
                             XML_PARSE_NOENT | XML_PARSE_NONET);
  });
  if (document == nullptr) return false;
  xmlXPathContext* const context = libxml([&] { return xmlXPathNewContext(document); });
  std::vector<xmlXPathObject*> found;
  for (const std::string& path : paths) {
    xmlXPathCompExpr* const expression = libxml([&] { return xmlXPathCtxtCompile(context, xml_chars(path)); });
    if (expression == nullptr) return errors.error(kExternalRoutineException, "XPath Syntax Error");
    context->node = xmlDocGetRootElement(document);
    found.push_back(libxml([&] { return xmlXPathCompiledEval(expression, context); }));
  }
  INDIGO_TRY(use(found));
  return true;
}

std::optional<std::string> text_of(xmlNode* node) {
  const xmlChar* const text = libxml([&] { return xmlXPathCastNodeToString(node); });
  return text == nullptr ? std::nullopt : std::optional<std::string>(reinterpret_cast<const char*>(text));
}

}  // namespace

Result<bool> evaluate(const std::string& text, const std::vector<std::string>& paths, const Use& use) {
  bool well_formed = false;
  std::string all;
  for (const std::string& path : paths) all += path;
  INDIGO_TRY(with_libxml(
      [&]() -> Status {
        INDIGO_ASSIGN(well_formed, read(text, paths, use));
        return {};
      },
      may_take_long(all, text.size())));
  return well_formed;
}

std::string unsupported_notice(int type) { return "unsupported XQuery result: " + std::to_string(type); }

Result<bool> rows_of(const std::string& text, const std::vector<std::string>& paths, std::vector<Cells>& rows,
                     std::vector<int>& unsupported) {
  return evaluate(text, paths, [&](const std::vector<xmlXPathObject*>& found) -> Status {
    size_t total = 0;
    bool any = true;
    for (int row = 0; any; row++) {
      any = false;
      Cells cells(found.size());
      for (size_t i = 0; i < found.size(); i++) {
        if (found[i] == nullptr) continue;
        switch (found[i]->type) {
          case XPATH_NODESET:
            if (found[i]->nodesetval == nullptr || row >= found[i]->nodesetval->nodeNr) break;
            cells[i] = text_of(found[i]->nodesetval->nodeTab[row]);
            any = true;
            break;
          case XPATH_STRING: cells[i] = reinterpret_cast<const char*>(found[i]->stringval); break;
          default: unsupported.push_back(found[i]->type); cells[i] = kUnsupported;
        }
        total += sizeof cells[i] + (cells[i] ? cells[i]->size() : 0);
      }
      if (any) rows.push_back(std::move(cells));
      INDIGO_TRY(check_xml_memory(total));
    }
    return {};
  });
}

}  // namespace indigo::types::xml2
