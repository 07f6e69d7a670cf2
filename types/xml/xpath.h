// XPath 1.0 over a document, by libxml2: what the XPath functions share with XMLTABLE. Everything here is called within
// with_libxml(), while an XmlErrors lives.
// Thread safety: a document belongs to one user.
#pragma once

#include <libxml/parser.h>
#include <libxml/xpath.h>

#include <string>

#include "base/error.h"
#include "types/xml/xml_document.h"

namespace indigo::types {

class XPathDocument {
 public:
  explicit XPathDocument(const XmlErrors& errors) : errors_(errors) {}

  Status open(const std::string& data);
  Status add_namespace(const std::string& name, const std::string& uri);
  // An error has this state when the expression is none.
  Result<xmlXPathCompExpr*> compile(const std::string& path, SqlState state);
  // Beginning at the node; null: at the document.
  Result<xmlXPathObject*> evaluate(xmlXPathCompExpr& expression, xmlNode* node);

 private:
  const XmlErrors& errors_;
  xmlDoc* document_ = nullptr;
  xmlXPathContext* context_ = nullptr;
};

// Whether such an expression may compute for long on such a document (with_libxml).
bool may_take_long(const std::string& path, size_t document_bytes);
// As xml: an attribute's and a text's contents are escaped.
Result<std::string> xml_of_node(xmlNode* node);

}  // namespace indigo::types
