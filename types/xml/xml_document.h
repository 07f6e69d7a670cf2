// XML texts read by libxml2, without network, files or entities from elsewhere. Its parser limits depth, length of names
// and texts, and what entities may grow to (XML_PARSE_HUGE is never set); external entities are empty
// (types/xml/libxml_call.h); an element has kXmlAttributesMost attributes at most, for the parser compares each with each.
// Thread safety: all functions; what is called within with_libxml() says so.
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include <string>
#include <string_view>
#include <vector>

#include "types/function/context.h"
#include "types/value/datum.h"
#include "types/xml/libxml_call.h"

namespace indigo::types {

inline const xmlChar* xml_chars(const std::string& s) { return reinterpret_cast<const xmlChar*>(s.c_str()); }

enum class XmlOption : uint8_t { kDocument, kContent };

// The declaration at the beginning, "<?xml version=... ?>".
struct XmlDeclaration {
  size_t length = 0;    // 0: there is none
  std::string version;  // empty: none
  std::string encoding;
  int standalone = -1;  // 1 yes, 0 no
};
// Zero, or libxml2's number of what is wrong with it.
int parse_xml_declaration(std::string_view text, XmlDeclaration& out);
// Nothing, false, when these need no declaration.
bool append_xml_declaration(std::string_view version, int standalone, std::string& out);

inline constexpr size_t kXmlAttributesMost = 10'000;

// What libxml2 says while this lives, on this thread; within with_libxml().
class XmlErrors {
 public:
  // `all`: what concerns more than the form, too (namespaces, XPath).
  // `warnings`: what is no error.
  XmlErrors(bool all, std::vector<std::string>& warnings);
  ~XmlErrors();
  XmlErrors(const XmlErrors&) = delete;
  XmlErrors& operator=(const XmlErrors&) = delete;

  bool any() const { return any_; }
  // libxml2's structured handler, whose context is an object of this class.
  static void take(void* self, xmlError* error);
  // With what was said as detail.
  Error error(SqlState state, std::string message) const;

 private:
  [[gnu::noinline]] static void keep(void* to, xmlError* error);
  void note(const xmlError& said);

  const bool all_;
  std::vector<std::string>& warnings_;
  bool any_ = false, out_of_memory_ = false;
  std::string text_;
  void* const context_before_;
  xmlStructuredErrorFunc const function_before_;
  void* const generic_context_before_;
  xmlGenericErrorFunc const generic_before_;
};

// How a copy of libxml2 makes a parser, and takes declarations.
struct XmlParserMaker {
  xmlParserCtxt* (*make)();
  entityDeclSAXFunc declare_entity;
  attributeDeclSAXFunc declare_attribute;
};
extern const XmlParserMaker kXmlParserMaker;  // of the copy that is linked
// A parser for the text; within with_libxml(). 54000 when an element has too many attributes. `maker` lives as long as the parser.
Result<xmlParserCtxt*> new_xml_parser(std::string_view text, const XmlParserMaker& maker = kXmlParserMaker);
// 53200 when what is made of a document takes too much.
Status check_xml_memory(size_t bytes);

// Whether the text is well-formed as document or content; else the error.
Status check_xml(FuncContext& context, std::string_view text, XmlOption option, bool preserve_whitespace);
// Setting xmloption.
XmlOption xml_option(FuncContext& context);

}  // namespace indigo::types
