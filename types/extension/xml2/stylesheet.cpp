#include "types/extension/xml2/stylesheet.h"

#include <libxml/parser.h>

#include <vector>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/xml2/documents.h"
#include "types/extension/xml2/libxslt.h"
#include "types/xml/xml_document.h"

namespace indigo::types::xml2 {

namespace {

// Names and values in turn, as libxslt takes them.
std::vector<std::string> parameters_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t equals = text.find('=', at);
    if (equals == std::string::npos) break;
    const size_t end = std::min(text.find(',', equals + 1), text.size());
    out.push_back(text.substr(at, equals - at));
    out.push_back(text.substr(equals + 1, end - equals - 1));
    at = end + 1;
  }
  return out;
}

// What libxslt's copy of libxml2 says goes to `errors` while this lives.
class ErrorsOfCopy {
 public:
  ErrorsOfCopy(const Libxslt& xslt, XmlErrors& errors) : xslt_(xslt) {
    xslt_.set_printer(nullptr, ignore_print);
    xslt_.set_error_handler(&errors, [](void* to, xmlError* error) { XmlErrors::take(to, error); });
  }
  ~ErrorsOfCopy() { xslt_.set_error_handler(nullptr, nullptr); }
  ErrorsOfCopy(const ErrorsOfCopy&) = delete;
  ErrorsOfCopy& operator=(const ErrorsOfCopy&) = delete;

 private:
  const Libxslt& xslt_;
};

Result<xmlDoc*> read(const Libxslt& xslt, const XmlErrors& errors, const std::string& text, const char* message) {
  INDIGO_ASSIGN(xmlParserCtxt* const parser, new_xml_parser(text, xslt.parser));
  xmlDoc* const document = libxml([&] {
    return xslt.read(parser, text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                     XML_PARSE_NOENT | XML_PARSE_NONET);
  });
  if (document == nullptr) return errors.error(kExternalRoutineException, message);
  return document;
}

// A context in which everything outside is forbidden; null when there is none.
xsltTransformContext* context_of(const Libxslt& xslt, xsltStylesheet* stylesheet, xmlDoc* document) {
  return libxml([&]() -> xsltTransformContext* {
    xsltTransformContext* const context = xslt.new_context(stylesheet, document);
    xsltSecurityPrefs* const preferences = xslt.new_preferences();
    if (context == nullptr || preferences == nullptr) return nullptr;
    for (const xsltSecurityOption option :
         {XSLT_SECPREF_READ_FILE, XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY, XSLT_SECPREF_READ_NETWORK,
          XSLT_SECPREF_WRITE_NETWORK}) {
      if (xslt.set_preference(preferences, option, xslt.forbid) != 0) return nullptr;
    }
    if (xslt.use_preferences(preferences, context) != 0) return nullptr;
    xslt.set_transform_printer(context, nullptr, ignore_print);
    return context;
  });
}

Result<std::optional<std::string>> transformed(const Libxslt& xslt, const std::string& document_text,
                                               const std::string& stylesheet_text,
                                               const std::vector<std::string>& parameters) {
  std::vector<std::string> warnings;
  XmlErrors errors(true, warnings);
  const ErrorsOfCopy errors_of_copy(xslt, errors);
  INDIGO_ASSIGN(xmlDoc* const document, read(xslt, errors, document_text, "error parsing XML document"));
  INDIGO_ASSIGN(xmlDoc* const sheet, read(xslt, errors, stylesheet_text, "error parsing stylesheet as XML document"));
  xsltStylesheet* const stylesheet = libxml([&] { return xslt.compile(sheet); });
  if (stylesheet == nullptr) return errors.error(kExternalRoutineException, "failed to parse stylesheet");
  xsltTransformContext* const context = context_of(xslt, stylesheet, document);
  if (context == nullptr) return Error(sqlstate::kInternalError, "could not set libxslt security preferences");
  std::vector<const char*> pointers;
  for (const std::string& part : parameters) pointers.push_back(part.c_str());
  pointers.push_back(nullptr);
  xmlDoc* const result =
      libxml([&] { return xslt.apply(stylesheet, document, pointers.data(), nullptr, nullptr, context); });
  if (result == nullptr) return errors.error(kExternalRoutineException, "failed to apply stylesheet");
  xmlChar* text = nullptr;
  int length = 0;
  const int failed = libxml([&] { return xslt.write(&text, &length, result, stylesheet); });
  if (failed < 0) return std::optional<std::string>();
  return std::optional(text == nullptr ? std::string()
                                       : std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(length)));
}

}  // namespace

Result<std::optional<std::string>> transform(const std::string& document, const std::string& stylesheet,
                                             const std::string& parameters) {
  const Libxslt* const xslt = libxslt();
  if (xslt == nullptr) return Error(sqlstate::kFeatureNotSupported, "xslt_process() is not available without libxslt");
  std::optional<std::string> out;
  INDIGO_TRY(with_libxml([&]() -> Status {
    use_other_libxml();
    INDIGO_ASSIGN(out, transformed(*xslt, document, stylesheet, parameters_of(parameters)));
    return {};
  }));
  // A stylesheet may ask for another encoding.
  if (out && !is_valid_utf8(*out)) return invalid_utf8_error(*out, find_invalid_utf8(*out));
  return out;
}

}  // namespace indigo::types::xml2
