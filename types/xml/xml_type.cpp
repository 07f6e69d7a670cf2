// The type xml: a text that was checked, kept as it was written.
#include "base/sqlstate.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/text/encodings.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_families.h"

namespace indigo::types {

namespace {

Datum xml_in(FuncContext& context, const TypeRef&, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  if (Status status = check_xml(context, text, xml_option(context), true); !status.ok()) {
    context.fail(std::move(*status.take_error()));
    return Datum::make_null(Phys::kStr);
  }
  return Datum::of(context.arena().copy(text));
}

// The declaration says nothing of an encoding, for the client has its own.
void xml_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  XmlDeclaration declaration;
  size_t begin = 0;
  if (parse_xml_declaration(d.str, declaration) == 0) {
    begin = declaration.length;
    if (!append_xml_declaration(declaration.version, declaration.standalone, out) && begin < d.str.size() &&
        d.str[begin] == '\n') {
      begin++;
    }
  }
  out.append(d.str.substr(begin));
}

Datum xml_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  XmlDeclaration declaration;
  if (parse_xml_declaration(bytes, declaration) != 0 || declaration.encoding.empty())
    return xml_in(context, type, bytes);
  auto converter = TextConverter::open(declaration.encoding);
  std::string text;
  Status status = converter.ok() ? Status() : Status(converter.take_error());
  if (status.ok() && *converter != nullptr) status = (*converter)->to_utf8(bytes, text);
  if (!status.ok()) {
    context.fail(std::move(*status.take_error()));
    return Datum::make_null(Phys::kStr);
  }
  return xml_in(context, type, *converter != nullptr ? Str(text) : bytes);
}

const TypeDefinition kXmlTypes[] = {
    {oid::kXml, xml_in, xml_out, xml_receive, xml_out},
};

}  // namespace

std::span<const TypeDefinition> xml_types() { return kXmlTypes; }

}  // namespace indigo::types
