#include "types/xml/xml_document.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include <cstdarg>
#include <new>

#include "base/fiber/long_work.h"
#include "base/memory/process_memory.h"
#include "types/xml/xml_session.h"
#include "types/xml/xml_states.h"

namespace indigo::types {

namespace {

void append_line(std::string& text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text.push_back('\n');
}

// libxml2's generic handler, for what it prints of a file.
void append_printed(void* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char buffer[1024];
  const int length = std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  if (length > 0)
    static_cast<std::string*>(to)->append(buffer, std::min<size_t>(static_cast<size_t>(length), sizeof buffer - 1));
}

void print_nothing(void*, const char*, ...) {}

// The line that is shown of a text is cut by bytes.
void replace_parts_of_characters(std::string& text) {
  for (size_t at = 0; at < text.size();) {
    int length = static_cast<int>(std::min<size_t>(text.size() - at, 4));
    if (xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(text.data()) + at, &length) < 0) {
      text[at] = '?';
      length = 1;
    }
    at += static_cast<size_t>(length);
  }
}

// Which part of libxml2 speaks; versions differ.
int domain_of(const xmlError& error) {
  switch (error.code) {
    case XML_WAR_NS_URI:
    case XML_ERR_NS_DECL_ERROR:
    case XML_WAR_NS_URI_RELATIVE:
    case XML_WAR_NS_COLUMN:
    case XML_NS_ERR_XML_NAMESPACE:
    case XML_NS_ERR_UNDEFINED_NAMESPACE:
    case XML_NS_ERR_QNAME:
    case XML_NS_ERR_ATTRIBUTE_REDEFINED:
    case XML_NS_ERR_EMPTY: return XML_FROM_NAMESPACE;
    default: return error.domain;
  }
}

constexpr ptrdiff_t kBytesBetweenNotes = ptrdiff_t{1} << 16;

// More attributes of one element than are allowed, also of a malformed one: no '<' is within a tag.
bool too_many_attributes(std::string_view text) {
  size_t values = 0;
  bool in_tag = false;
  char quote = 0;
  for (const char& c : text) {
    if ((&c - text.data()) % kBytesBetweenNotes == 0) note_work(kBytesBetweenNotes);
    if (c == '<') {
      in_tag = true;
      quote = 0;
      values = 0;
    } else if (!in_tag) {
      continue;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (++values > kXmlAttributesMost) return true;
    } else if (c == '>') {
      in_tag = false;
    }
  }
  return false;
}
constexpr const char* kTooManyAttributes = "an XML element has too many attributes";

const XmlParserMaker& maker_of(const void* parser) {
  return *static_cast<const XmlParserMaker*>(static_cast<const xmlParserCtxt*>(parser)->_private);
}

// What an entity stands for may have elements; they are where it is declared, with its references to characters replaced.
void declare_entity(void* context, const xmlChar* name, int type, const xmlChar* public_id, const xmlChar* system_id,
                    xmlChar* content) {
  if (content != nullptr && too_many_attributes(reinterpret_cast<const char*>(content)))
    leave_libxml(kTooManyAttributes);
  maker_of(context).declare_entity(context, name, type, public_id, system_id, content);
}

// Attributes that elements have by themselves, each of which is compared with each.
void declare_attribute(void* context, const xmlChar* element, const xmlChar* name, int type, int def,
                       const xmlChar* value, xmlEnumeration* values) {
  const auto* parser = static_cast<const xmlParserCtxt*>(context);
  size_t known = 0;
  for (const xmlNode* node =
           parser->myDoc != nullptr && parser->myDoc->intSubset != nullptr ? parser->myDoc->intSubset->last : nullptr;
       node != nullptr && node->type == XML_ATTRIBUTE_DECL; node = node->prev) {
    if (++known > kXmlAttributesMost) leave_libxml(kTooManyAttributes);
  }
  maker_of(context).declare_attribute(context, element, name, type, def, value, values);
}

const char* declaration_error(int code) {
  switch (code) {
    case XML_ERR_INVALID_CHAR: return "Invalid character value.";
    case XML_ERR_SPACE_REQUIRED: return "Space required.";
    case XML_ERR_STANDALONE_VALUE: return "standalone accepts only 'yes' or 'no'.";
    case XML_ERR_VERSION_MISSING: return "Malformed declaration: missing version.";
    case XML_ERR_MISSING_ENCODING: return "Missing encoding in text declaration.";
    case XML_ERR_XMLDECL_NOT_FINISHED: return "Parsing XML declaration: '?>' expected.";
    default: return "Unrecognized libxml error.";
  }
}

// Content may begin with a document type after comments and instructions: then it is a document.
bool begins_with_doctype(std::string_view text) {
  size_t at = 0;
  for (;;) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) at++;
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!DOCTYPE")) return true;
    if (rest.starts_with("<!--")) {
      const size_t end = text.find("--", at + 4);
      if (end == std::string_view::npos || end + 2 >= text.size() || text[end + 2] != '>') return false;
      at = end + 3;
    } else if (rest.starts_with("<?")) {
      const size_t end = text.find("?>", at + 2);
      if (end == std::string_view::npos) return false;
      at = end + 2;
    } else {
      return false;
    }
  }
}

}  // namespace

XmlErrors::XmlErrors(bool all, std::vector<std::string>& warnings)
    : all_(all),
      warnings_(warnings),
      context_before_(xmlStructuredErrorContext),
      function_before_(xmlStructuredError),
      generic_context_before_(xmlGenericErrorContext),
      generic_before_(xmlGenericError) {
  xmlSetGenericErrorFunc(nullptr, print_nothing);  // some of XPath's, on standard error
  xmlSetStructuredErrorFunc(this, [](void* self, xmlError* error) { take(self, error); });
}

XmlErrors::~XmlErrors() {
  xmlSetStructuredErrorFunc(context_before_, function_before_);
  xmlSetGenericErrorFunc(generic_context_before_, generic_before_);
}

[[gnu::no_sanitize_address]] void XmlErrors::take(void* to, xmlError* error) {
  const int before = raise_libxml_shield(true);
  keep(to, error);
  lower_libxml_shield(true, before);
}

void XmlErrors::keep(void* to, xmlError* error) {
  auto* self = static_cast<XmlErrors*>(to);
  self->out_of_memory_ |= error->code == XML_ERR_NO_MEMORY;
  try {
    self->note(*error);
  } catch (const std::bad_alloc&) {  // the caller is C
    self->any_ = self->out_of_memory_ = true;
  }
}

void XmlErrors::note(const xmlError& said) {
  XmlErrors* const self = this;
  const xmlError* const error = &said;
  const int domain = domain_of(*error);
  const xmlErrorLevel level = error->code == XML_WAR_NS_URI ? XML_ERR_ERROR : error->level;
  switch (domain) {
    case XML_FROM_PARSER:
    case XML_FROM_NONE:
    case XML_FROM_MEMORY:
    case XML_FROM_IO:
      if (error->code == XML_WAR_UNDECLARED_ENTITY) return;
      if (error->code == XML_ERR_NOT_WELL_BALANCED && self->any_) return;  // it follows from the one before
      break;
    default:
      if (!self->all_) return;
  }
  std::string text;
  if (error->line > 0) text = "line " + std::to_string(error->line) + ": ";
  const auto* node = static_cast<const xmlNode*>(error->node);
  if (node != nullptr && node->type == XML_ELEMENT_NODE && node->name != nullptr) {
    text.append("element ").append(reinterpret_cast<const char*>(node->name)).append(": ");
  }
  text.append(error->message != nullptr ? error->message : "(no message provided)");
  const auto* parser = static_cast<const xmlParserCtxt*>(error->ctxt);
  // Of XPath's errors the context is another thing.
  if (parser != nullptr && domain != XML_FROM_XPATH && parser->input != nullptr) {
    void* const before = xmlGenericErrorContext;
    const xmlGenericErrorFunc function = xmlGenericError;
    xmlSetGenericErrorFunc(&text, append_printed);
    append_line(text);
    xmlParserPrintFileContext(parser->input);
    xmlSetGenericErrorFunc(before, function);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  replace_parts_of_characters(text);
  if (level < XML_ERR_ERROR) {
    self->warnings_.push_back(std::move(text));
    return;
  }
  append_line(self->text_);
  self->text_.append(text);
  self->any_ = true;
}

Error XmlErrors::error(SqlState state, std::string message) const {
  if (out_of_memory_) return {sqlstate::kOutOfMemory, "out of memory"};
  if (text_.empty()) return {state, std::move(message)};
  return Error(state, std::move(message)).with_detail(text_);
}

const XmlParserMaker kXmlParserMaker = {xmlNewParserCtxt, xmlSAX2EntityDecl, xmlSAX2AttributeDecl};

Result<xmlParserCtxt*> new_xml_parser(std::string_view text, const XmlParserMaker& maker) {
  if (too_many_attributes(text)) return Error(sqlstate::kProgramLimitExceeded, kTooManyAttributes);
  xmlParserCtxt* const parser = libxml([&] { return maker.make(); });
  if (parser == nullptr) throw std::bad_alloc();
  parser->_private = const_cast<XmlParserMaker*>(&maker);
  parser->sax->entityDecl = declare_entity;
  parser->sax->attributeDecl = declare_attribute;
  return parser;
}

Status check_xml_memory(size_t bytes) {
  constexpr size_t kBytesMost = (size_t{1} << 30) - 1;
  constexpr size_t kSomeBytes = size_t{1} << 20;
  if (bytes <= kSomeBytes || (bytes <= kBytesMost && !process_memory_is_short())) return {};
  return Error(sqlstate::kOutOfMemory, "out of memory").with_detail("What is made of an XML document takes too much.");
}

XmlOption xml_option(FuncContext& context) {
  std::string value;
  context.session().setting("xmloption", value);
  return value == "document" ? XmlOption::kDocument : XmlOption::kContent;
}

namespace {

Status parse_document(const std::string& text, bool preserve_whitespace, SqlState state, const char* message,
                      std::vector<std::string>& warnings) {
  const XmlErrors errors(false, warnings);
  INDIGO_ASSIGN(xmlParserCtxt* const parser, new_xml_parser(text));
  const int options =
      XML_PARSE_NOENT | XML_PARSE_DTDATTR | XML_PARSE_NONET | (preserve_whitespace ? 0 : XML_PARSE_NOBLANKS);
  const xmlDoc* document = libxml([&] { return xmlCtxtReadDoc(parser, xml_chars(text), nullptr, "UTF-8", options); });
  if (document == nullptr || errors.any()) return errors.error(state, message);
  return {};
}

Status parse_content(const std::string& text, const XmlDeclaration& declaration, std::vector<std::string>& warnings) {
  if (too_many_attributes(text)) return Error(sqlstate::kProgramLimitExceeded, kTooManyAttributes);
  const XmlErrors errors(false, warnings);
  const char* begin = text.c_str() + declaration.length;
  if (*begin == '\0') return {};
  const char* version = declaration.version.empty() ? "1.0" : declaration.version.c_str();
  const int wrong = libxml([&] {
    xmlDoc* const document = xmlNewDoc(reinterpret_cast<const xmlChar*>(version));
    document->encoding = xmlStrdup(reinterpret_cast<const xmlChar*>("UTF-8"));
    document->standalone = declaration.standalone;
    return xmlParseBalancedChunkMemory(document, nullptr, nullptr, 0, reinterpret_cast<const xmlChar*>(begin), nullptr);
  });
  if (wrong != 0 || errors.any()) return errors.error(sqlstate::kInvalidXmlContent, "invalid XML content");
  return {};
}

}  // namespace

Status check_xml(FuncContext& context, std::string_view view, XmlOption option, bool preserve_whitespace) {
  note_work(view.size());
  const std::string text(view);
  std::vector<std::string> warnings;
  Status status = with_libxml([&]() -> Status {
    if (option == XmlOption::kDocument) {
      return parse_document(text, preserve_whitespace, sqlstate::kInvalidXmlDocument, "invalid XML document", warnings);
    }
    XmlDeclaration declaration;
    if (const int wrong = parse_xml_declaration(text, declaration); wrong != XML_ERR_OK) {
      return Error(sqlstate::kInvalidXmlContent, "invalid XML content: invalid XML declaration")
          .with_detail(declaration_error(wrong));
    }
    if (begins_with_doctype(std::string_view(text).substr(declaration.length))) {
      return parse_document(text, preserve_whitespace, sqlstate::kInvalidXmlContent, "invalid XML content", warnings);
    }
    return parse_content(text, declaration, warnings);
  });
  report_xml_warnings(context, warnings);
  return status;
}

}  // namespace indigo::types
