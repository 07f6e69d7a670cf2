// text, varchar, bpchar, name, "char", unknown, cstring, bytea.
#include "base/name.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/client_text.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"

namespace indigo::types {

bool check_encoding(FuncContext& context, Str text) {
  const size_t at = find_invalid_text(text);
  if (at == kAllValid) return true;
  context.fail(invalid_utf8_error(text, at));
  return false;
}

namespace {

Datum text_in(FuncContext& context, const TypeRef&, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(text));
}
void text_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.append(d.str); }
void text_send(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  send_text(context, d.str, out);
}
template <Datum (*kInput)(FuncContext&, const TypeRef&, Str)>
Datum text_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const Str text = receive_text(context, bytes);
  return context.failed() ? Datum::make_null(Phys::kStr) : kInput(context, type, text);
}

Datum varchar_in(FuncContext& context, const TypeRef& type, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  const int32_t limit = type.typmod - 4;
  if (type.typmod >= 4 && static_cast<int64_t>(text.size()) > limit) {
    const Str cut = text.substr(0, utf8_offset(text, limit));
    if (text.find_first_not_of(' ', cut.size()) != Str::npos) {
      context.fail(sqlstate::kStringDataRightTruncation,
                   "value too long for type character varying(" + std::to_string(limit) + ")");
      return Datum::make_null(Phys::kStr);
    }
    text = cut;
  }
  return Datum::of(context.arena().copy(text));
}
Datum bpchar_in(FuncContext& context, const TypeRef& type, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  if (type.typmod < 4) return Datum::of(context.arena().copy(text));
  const int32_t limit = type.typmod - 4;
  const int64_t have = utf8_count(text);
  if (have <= limit) return Datum::of(concatenate(context, text, std::string(static_cast<size_t>(limit - have), ' ')));
  const Str cut = text.substr(0, utf8_offset(text, limit));
  if (text.find_first_not_of(' ', cut.size()) != Str::npos) {
    context.fail(sqlstate::kStringDataRightTruncation,
                 "value too long for type character(" + std::to_string(limit) + ")");
    return Datum::make_null(Phys::kStr);
  }
  return Datum::of(context.arena().copy(cut));
}
Datum name_in(FuncContext& context, const TypeRef&, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(clip_name(text)));
}

// What is too long is cut off from a text, and refused in binary form.
Datum checked_name(FuncContext& context, const TypeRef& type, Str text) {
  if (text.size() <= kMaxNameBytes) return name_in(context, type, text);
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  context.fail(
      Error(sqlstate::kNameTooLong, "identifier too long").with_detail("Identifier must be less than 64 characters."));
  return Datum::make_null(Phys::kStr);
}

// "char": one byte.
Datum char_in(FuncContext& context, const TypeRef&, Str text) {
  const char c = char_from_text(text);
  return Datum::of(context.arena().copy({&c, 1}));
}
void char_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  if (d.str.empty() || d.str[0] == '\0') return;
  if (static_cast<uint8_t>(d.str[0]) >= 0x80) {
    out.append(encode_escape(d.str.substr(0, 1)));
  } else {
    out.push_back(d.str[0]);
  }
}
Datum char_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint8_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(bytes));
}
void char_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  out.push_back(d.str.empty() ? '\0' : d.str[0]);
}

Datum bytea_in(FuncContext& context, const TypeRef&, Str text) {
  const Str bytes = text.starts_with("\\x") ? decode_hex(context, text.substr(2)) : decode_escape(context, text);
  return context.failed() ? Datum::make_null(Phys::kStr) : Datum::of(bytes);
}
void bytea_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  if (context.session().format().bytea_hex) {
    out.append("\\x");
    append_hex(d.str, out);
    return;
  }
  for (char c : d.str) {
    const auto b = static_cast<uint8_t>(c);
    if (c == '\\') {
      out.append("\\\\");
    } else if (b < 0x20 || b > 0x7e) {
      const char octal[] = {'\\', static_cast<char>('0' + (b >> 6)), static_cast<char>('0' + ((b >> 3) & 7)),
                            static_cast<char>('0' + (b & 7))};
      out.append(octal, 4);
    } else {
      out.push_back(c);
    }
  }
}
constexpr Oid kPgNdistinct = 3361, kPgDependencies = 3402, kPgMcvList = 5017;
// What ANALYZE keeps for CREATE STATISTICS, and stored trees, come from nowhere else.
Datum own_in(FuncContext& context, const TypeRef& type, Str) {
  const auto info = context.session().catalog().type(type.oid);
  context.fail(sqlstate::kFeatureNotSupported, "cannot accept a value of type " + (info ? info->name : std::string()));
  return Datum::make_null(Phys::kStr);
}
Datum bytes_receive(FuncContext& context, const TypeRef&, Str bytes) { return Datum::of(context.arena().copy(bytes)); }

const TypeDefinition kStringTypes[] = {
    {oid::kText, text_in, text_out, text_receive<text_in>, text_send, Phys::kStr, &kCollatedOrder, KeyForm::kText},
    {oid::kVarchar, varchar_in, text_out, text_receive<varchar_in>, text_send, Phys::kStr, &kCollatedOrder,
     KeyForm::kText},
    {oid::kBpchar, bpchar_in, text_out, text_receive<bpchar_in>, text_send, Phys::kStr, &kPaddedOrder,
     KeyForm::kBpchar},
    {oid::kName, name_in, text_out, text_receive<checked_name>, text_send, Phys::kStr, &kCollatedOrder, KeyForm::kText},
    {oid::kUnknown, text_in, text_out, text_receive<text_in>, text_send, Phys::kStr, &kCollatedOrder, KeyForm::kText},
    {oid::kCstring, text_in, text_out, text_receive<text_in>, text_send, Phys::kStr, &kBytesOrder},
    {oid::kChar, char_in, char_out, char_receive, char_send, Phys::kStr, &kBytesOrder, KeyForm::kText},
    {oid::kBytea, bytea_in, bytea_out, bytes_receive, text_out, Phys::kStr, &kBytesOrder, KeyForm::kText},
    {oid::kRefcursor, text_in, text_out, text_receive<text_in>, text_send},
    {oid::kPgNodeTree, own_in, text_out, own_in, text_out},
    {kPgNdistinct, own_in, text_out, own_in, text_out},
    {kPgDependencies, own_in, text_out, own_in, text_out},
    {kPgMcvList, own_in, bytea_out, own_in, text_out},
};

}  // namespace

std::span<const TypeDefinition> string_types() { return kStringTypes; }

}  // namespace indigo::types
