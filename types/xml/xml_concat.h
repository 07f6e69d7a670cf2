// XML values one behind the other, with one declaration that is true of all of them.
// Thread safety: none.
#pragma once

#include <string>
#include <string_view>

#include "types/xml/xml_document.h"

namespace indigo::types {

class XmlConcat {
 public:
  void add(std::string_view xml) {
    XmlDeclaration declaration;
    parse_xml_declaration(xml, declaration);  // of a stored value it is right
    if (declaration.standalone == 0 && standalone_ == 1) standalone_ = 0;
    if (declaration.standalone < 0) standalone_ = -1;
    if (declaration.version.empty()) {
      differ_ = true;
    } else if (version_.empty()) {
      version_ = declaration.version;
    } else if (version_ != declaration.version) {
      differ_ = true;
    }
    text_.append(xml.substr(declaration.length));
  }
  size_t bytes() const { return text_.size(); }
  std::string result() const {
    std::string out;
    if (!differ_ || standalone_ >= 0) append_xml_declaration(differ_ ? std::string_view() : version_, standalone_, out);
    return out + text_;
  }

 private:
  std::string text_, version_;
  int standalone_ = 1;
  bool differ_ = false;
};

}  // namespace indigo::types
