// The XML declaration of a text.
#include <libxml/chvalid.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include "types/xml/xml_document.h"

namespace indigo::types {

namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  void go_to(size_t at) { at_ = at; }
  bool is_space() const { return at_ < text_.size() && is_space(text_[at_]); }
  void skip_space() {
    while (is_space()) at_++;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool quoted(std::string& out) {
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

 private:
  const std::string_view text_;
  size_t at_ = 0;
};

bool continues_a_name(std::string_view text) {
  if (text.empty()) return false;
  int length = static_cast<int>(std::min<size_t>(text.size(), 4));
  const int c = xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(text.data()), &length);
  return c > 0 && (xmlIsBaseCharQ(static_cast<unsigned>(c)) || xmlIsIdeographicQ(static_cast<unsigned>(c)) ||
                   xmlIsDigitQ(static_cast<unsigned>(c)) || c == '.' || c == '-' || c == '_' || c == ':' ||
                   xmlIsCombiningQ(static_cast<unsigned>(c)) || xmlIsExtenderQ(static_cast<unsigned>(c)));
}

int scan(Scanner& s, XmlDeclaration& out) {
  if (!s.is_space()) return XML_ERR_SPACE_REQUIRED;
  s.skip_space();
  if (!s.take("version")) return XML_ERR_VERSION_MISSING;
  s.skip_space();
  if (!s.take("=")) return XML_ERR_VERSION_MISSING;
  s.skip_space();
  if (!s.quoted(out.version)) return XML_ERR_VERSION_MISSING;
  size_t before = s.at();
  bool spaced = s.is_space();
  s.skip_space();
  if (s.take("encoding")) {
    if (!spaced) return XML_ERR_SPACE_REQUIRED;
    s.skip_space();
    if (!s.take("=")) return XML_ERR_MISSING_ENCODING;
    s.skip_space();
    if (!s.quoted(out.encoding)) return XML_ERR_MISSING_ENCODING;
  } else {
    s.go_to(before);
  }
  before = s.at();
  spaced = s.is_space();
  s.skip_space();
  if (s.take("standalone")) {
    if (!spaced) return XML_ERR_SPACE_REQUIRED;
    s.skip_space();
    if (!s.take("=")) return XML_ERR_STANDALONE_VALUE;
    s.skip_space();
    if (s.take("'yes'") || s.take("\"yes\"")) {
      out.standalone = 1;
    } else if (s.take("'no'") || s.take("\"no\"")) {
      out.standalone = 0;
    } else {
      return XML_ERR_STANDALONE_VALUE;
    }
  } else {
    s.go_to(before);
  }
  s.skip_space();
  return s.take("?>") ? XML_ERR_OK : XML_ERR_XMLDECL_NOT_FINISHED;
}

}  // namespace

int parse_xml_declaration(std::string_view text, XmlDeclaration& out) {
  out = {};
  Scanner s(text);
  if (!s.take("<?xml") || continues_a_name(text.substr(s.at()))) return XML_ERR_OK;
  if (const int wrong = scan(s, out); wrong != XML_ERR_OK) return wrong;
  for (const char c : text.substr(0, s.at())) {
    if (static_cast<unsigned char>(c) > 127) return XML_ERR_INVALID_CHAR;
  }
  out.length = s.at();
  return XML_ERR_OK;
}

bool append_xml_declaration(std::string_view version, int standalone, std::string& out) {
  if ((version.empty() || version == "1.0") && standalone == -1) return false;
  out.append("<?xml version=\"").append(version.empty() ? "1.0" : version).append("\"");
  if (standalone >= 0) out.append(standalone == 1 ? " standalone=\"yes\"" : " standalone=\"no\"");
  out.append("?>");
  return true;
}

}  // namespace indigo::types
