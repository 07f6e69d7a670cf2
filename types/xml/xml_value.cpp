#include "types/xml/xml_value.h"

#include <libxml/chvalid.h>
#include <libxml/parserInternals.h>
#include <strings.h>

#include <charconv>

#include "base/sqlstate.h"
#include "types/datetime/format.h"
#include "types/datetime/time_zone.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

bool begins_name(unsigned c) { return xmlIsBaseCharQ(c) || xmlIsIdeographicQ(c) || c == '_' || c == ':'; }
bool continues_name(unsigned c) {
  return xmlIsBaseCharQ(c) || xmlIsIdeographicQ(c) || xmlIsDigitQ(c) || c == '.' || c == '-' || c == '_' || c == ':' ||
         xmlIsCombiningQ(c) || xmlIsExtenderQ(c);
}

// A type as it is without domains; `array`: of an array, its elements'.
TypeRef base_type(FuncContext& context, TypeRef type) {
  for (auto info = context.session().catalog().type(type.oid); info != nullptr && info->base != kInvalidOid;
       info = context.session().catalog().type(type.oid)) {
    type = {info->base, info->base_typmod, type.collation};
  }
  return type;
}

// In lines, as libxml2 writes it.
void append_base64_lines(Str bytes, std::string& out) {
  constexpr size_t kCharactersPerLine = 72;
  const std::string text = encode_base64(bytes, false);
  for (size_t at = 0; at < text.size(); at += kCharactersPerLine) {
    if (at > 0) out.append("\r\n");
    out.append(text, at, kCharactersPerLine);
  }
}

void append_hex_or_base64(FuncContext& context, Str bytes, std::string& out) {
  std::string setting;
  context.session().setting("xmlbinary", setting);
  if (setting == "base64") {
    append_base64_lines(bytes, out);
    return;
  }
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

// As XML Schema has them: ISO with a T, whatever DateStyle says.
void append_datetime(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out) {
  const bool date = type.oid == oid::kDate;
  const bool infinite =
      date ? value.i32 == INT32_MAX || value.i32 == INT32_MIN : value.i64 == INT64_MAX || value.i64 == INT64_MIN;
  if (infinite) {
    const char* what = date ? "date" : "timestamp";
    context.fail(Error(sqlstate::kDatetimeFieldOverflow, std::string(what) + " out of range")
                     .with_detail(std::string("XML does not support infinite ") + what + " values."));
  } else if (date) {
    append_date(value.i32, FormatSettings(), out);
  } else if (type.oid == oid::kTimestamp) {
    append_iso_timestamp(value.i64, out);
  } else {
    append_iso_timestamptz(value.i64, session_time_zone(context), out);
  }
}

}  // namespace

void append_xml_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '&': out.append("&amp;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '\r': out.append("&#x0d;"); break;
      default: out.push_back(c);
    }
  }
}

void append_attribute_escaped(std::string_view text, std::string& out) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    int length = static_cast<int>(std::min<size_t>(rest.size(), 4));
    const int c = xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(rest.data()), &length);
    at += c < 0 ? 1 : static_cast<size_t>(length);
    switch (c) {
      case '&': out.append("&amp;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '"': out.append("&quot;"); break;
      case '\t': out.append("&#9;"); break;
      case '\n': out.append("&#10;"); break;
      case '\r': out.append("&#13;"); break;
      default:
        if (c < 0x80) {
          out.push_back(rest[0]);
        } else {
          char escaped[16];
          std::snprintf(escaped, sizeof escaped, "&#x%X;", static_cast<unsigned>(c));
          out.append(escaped);
        }
    }
  }
}

std::string xml_name_of(std::string_view identifier, bool fully, bool period) {
  std::string out;
  for (size_t at = 0; at < identifier.size();) {
    const std::string_view rest = identifier.substr(at);
    int length = static_cast<int>(std::min<size_t>(rest.size(), 4));
    const int c = xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(rest.data()), &length);
    const size_t bytes = c < 0 ? 1 : static_cast<size_t>(length);
    if (rest[0] == ':' && (at == 0 || fully)) {
      out.append("_x003A_");
    } else if (rest.starts_with("_x")) {
      out.append("_x005F_");
    } else if (fully && at == 0 && rest.size() >= 3 && strncasecmp(rest.data(), "xml", 3) == 0) {
      out.append(rest[0] == 'x' ? "_x0078_" : "_x0058_");
    } else if (period && rest[0] == '.') {
      out.append("_x002E_");
    } else if (const auto u = static_cast<unsigned>(std::max(c, 0)); at == 0 ? !begins_name(u) : !continues_name(u)) {
      char escaped[16];
      std::snprintf(escaped, sizeof escaped, "_x%04X_", u);
      out.append(escaped);
    } else {
      out.append(rest.substr(0, bytes));
    }
    at += bytes;
  }
  return out;
}

std::string identifier_of_xml_name(std::string_view name) {
  std::string out;
  for (size_t at = 0; at < name.size(); at++) {
    unsigned code = 0;
    const std::string_view rest = name.substr(at);
    const bool escape = rest.size() >= 7 && rest.starts_with("_x") && rest[6] == '_' &&
                        std::from_chars(rest.data() + 2, rest.data() + 6, code, 16).ptr == rest.data() + 6;
    if (!escape) {
      out.push_back(name[at]);
      continue;
    }
    xmlChar bytes[8];
    const int length = xmlCopyCharMultiByte(bytes, static_cast<int>(code));
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
    at += 6;
  }
  return out;
}

void append_xml_value(FuncContext& context, const TypeRef& declared, const Datum& value, bool escaped,
                      std::string& out) {
  const TypeRef type = base_type(context, declared);
  const auto info = context.session().catalog().type(type.oid);
  if (info != nullptr && info->is_array()) {
    const ArrayView array(value.str);
    for (int32_t i = 0; i < array.count(); i++) {
      const Datum element = array.element(i);
      if (element.null) continue;
      out.append("<element>");
      append_xml_value(context, {array.element_type(), -1, kInvalidOid}, element, true, out);
      out.append("</element>");
    }
    return;
  }
  switch (type.oid) {
    case oid::kBool: out.append(value.b ? "true" : "false"); return;
    case oid::kDate:
    case oid::kTimestamp:
    case oid::kTimestampTz: append_datetime(context, type, value, out); return;
    case oid::kBytea: append_hex_or_base64(context, value.str, out); return;
    default: break;
  }
  std::string text;
  type_output(context, type, value, text);
  if (type.oid == oid::kXml || !escaped) {
    out.append(text);
  } else {
    append_xml_escaped(text, out);
  }
}

}  // namespace indigo::types
