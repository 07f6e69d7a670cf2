// Composite values' text form, '(1,"a b",)', and binary form; enums' labels.
#include <algorithm>
#include <utility>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/phys_of.h"
#include "types/io/container_io.h"
#include "types/io/domain_check.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

Datum null_record() { return Datum::make_null(Phys::kStr); }

// The columns' types of a composite type; no type for dropped ones.
bool columns_of(FuncContext& context, Oid type, std::vector<TypeRef>& out) {
  const auto relation = fields_relation(context.session().catalog(), type);
  if (relation == nullptr) {
    context.fail(sqlstate::kFeatureNotSupported, "input of anonymous composite types is not implemented");
    return false;
  }
  for (const auto& column : relation->columns) out.push_back(column.dropped ? TypeRef{} : column.type);
  return true;
}

}  // namespace

void append_quoted(Str text, bool by_backslash, std::string& out) {
  const auto escaped = [](char c) { return c == '"' || c == '\\'; };
  const auto before = out.size();
  out.resize(before + 2 + text.size() + static_cast<size_t>(std::count_if(text.begin(), text.end(), escaped)));
  char* to = out.data() + before;
  *to++ = '"';
  for (const char c : text) {
    if (escaped(c)) *to++ = by_backslash ? '\\' : c;
    *to++ = c;
  }
  *to = '"';
}

Datum record_input(FuncContext& context, Oid type, Str text) {
  std::vector<TypeRef> types;
  if (!columns_of(context, type, types)) return null_record();
  const auto malformed = [&](const char* detail) {
    context.fail(Error(sqlstate::kInvalidTextRepresentation, "malformed record literal: \"" + std::string(text) + "\"")
                     .with_detail(detail));
    return null_record();
  };
  size_t at = 0;
  while (at < text.size() && is_blank(text[at])) at++;
  if (at >= text.size() || text[at] != '(') return malformed("Missing left parenthesis.");
  at++;
  std::vector<Datum> values;
  bool first = true;
  for (size_t i = 0; i < types.size(); i++) {
    if (types[i].oid == kInvalidOid) {
      values.push_back(Datum::make_null(Phys::kI32));
      continue;
    }
    if (!std::exchange(first, false)) {
      if (at >= text.size() || text[at] != ',') return malformed("Too few columns.");
      at++;
    }
    if (at < text.size() && (text[at] == ',' || text[at] == ')')) {
      values.push_back(Datum::make_null(phys_of(context, types[i].oid)));
      if (!check_domain(context, types[i], values.back())) return null_record();
      continue;
    }
    std::string value;
    bool quoted = false;
    while (quoted || (at < text.size() && text[at] != ',' && text[at] != ')')) {
      if (at >= text.size()) return malformed("Unexpected end of input.");
      const char c = text[at++];
      if (c == '\\') {
        if (at >= text.size()) return malformed("Unexpected end of input.");
        value.push_back(text[at++]);
      } else if (c == '"') {
        if (!quoted) {
          quoted = true;
        } else if (at < text.size() && text[at] == '"') {
          value.push_back('"');
          at++;
        } else {
          quoted = false;
        }
      } else {
        value.push_back(c);
      }
    }
    if (at >= text.size()) return malformed("Unexpected end of input.");
    values.push_back(type_input(context, types[i], value));
    if (context.failed() || !check_domain(context, types[i], values.back())) return null_record();
  }
  if (at >= text.size() || text[at] != ')') return malformed("Too many columns.");
  if (!trim_blanks(text.substr(at + 1)).empty()) return malformed("Junk after right parenthesis.");
  return Datum::of(context.arena().copy(make_record(type, types, values)));
}

void record_output(FuncContext& context, Str image, std::string& out) {
  const RecordFields fields = live_fields(context.session().catalog(), image);
  out.push_back('(');
  std::string text;
  for (size_t i = 0; i < fields.values.size(); i++) {
    if (i > 0) out.push_back(',');
    if (fields.values[i].null) continue;
    text.clear();
    type_output(context, fields.types[i], fields.values[i], text);
    if (!check_part(context, text, out)) return;
    bool quote = text.empty();
    for (char c : text) quote = quote || c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || is_blank(c);
    if (quote) {
      append_quoted(text, false, out);
    } else {
      out.append(text);
    }
  }
  out.push_back(')');
}

Datum record_receive(FuncContext& context, Oid type, Str bytes) {
  std::vector<TypeRef> types;
  if (!columns_of(context, type, types)) return null_record();
  size_t at = 0;
  const auto next = [&](uint32_t& v) {
    if (bytes.size() - at < 4) {
      context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
      return false;
    }
    v = big_endian(load_unaligned<uint32_t>(bytes.data() + at));
    at += 4;
    return true;
  };
  uint32_t count = 0;
  if (!next(count)) return null_record();
  const auto expected =
      std::count_if(types.begin(), types.end(), [](const TypeRef& t) { return t.oid != kInvalidOid; });
  if (count != expected) {
    context.fail(sqlstate::kDatatypeMismatch,
                 "wrong number of columns: " + std::to_string(count) + ", expected " + std::to_string(expected));
    return null_record();
  }
  std::vector<Datum> values;
  for (const TypeRef& field : types) {
    if (field.oid == kInvalidOid) {
      values.push_back(Datum::make_null(Phys::kI32));
      continue;
    }
    uint32_t field_type = 0, length = 0;
    if (!next(field_type) || !next(length)) return null_record();
    if (field_type != field.oid) {
      context.fail(sqlstate::kDatatypeMismatch, "binary data has type " + std::to_string(field_type) +
                                                    " instead of expected " + std::to_string(field.oid) +
                                                    " in record column " + std::to_string(values.size() + 1));
      return null_record();
    }
    if (length == UINT32_MAX) {
      values.push_back(Datum::make_null(phys_of(context, field.oid)));
      if (!check_domain(context, field, values.back())) return null_record();
      continue;
    }
    if (length > bytes.size() - at) {
      context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
      return null_record();
    }
    values.push_back(type_receive(context, field, bytes.substr(at, length)));
    if (context.failed() || !check_domain(context, field, values.back())) return null_record();
    at += length;
  }
  return Datum::of(context.arena().copy(make_record(type, types, values)));
}

void record_send(FuncContext& context, Str image, std::string& out) {
  const RecordFields fields = live_fields(context.session().catalog(), image);
  send_integer(static_cast<uint32_t>(fields.values.size()), out);
  for (size_t i = 0; i < fields.values.size(); i++) {
    send_integer(fields.types[i].oid, out);
    const size_t length_at = out.size();
    send_integer(UINT32_MAX, out);
    if (fields.values[i].null) continue;
    type_send(context, fields.types[i], fields.values[i], out);
    store_unaligned(out.data() + length_at, big_endian(static_cast<uint32_t>(out.size() - length_at - 4)));
  }
}

bool check_committed_label(FuncContext& context, const TypeInfo& type, Oid label) {
  const auto& unsafe = type.uncommitted_label_oids;
  if (unsafe.empty() || std::find(unsafe.begin(), unsafe.end(), label) == unsafe.end()) return true;
  std::string name;
  enum_output(type, label, name);
  context.fail(Error(SqlState("55P04"),
                     "unsafe use of new value \"" + name + "\" of enum type " + format_type(context, type.oid))
                   .with_hint("New enum values must be committed before they can be used."));
  return false;
}

Datum enum_input(FuncContext& context, const TypeInfo& type, Str label) {
  for (size_t i = 0; i < type.enum_labels.size(); i++) {
    if (type.enum_labels[i] != label) continue;
    const Oid oid = type.enum_label_oids[i];
    return check_committed_label(context, type, oid) ? Datum::of_oid(oid) : Datum::make_null(Phys::kI32);
  }
  context.fail(sqlstate::kInvalidTextRepresentation,
               "invalid input value for enum " + type.name + ": \"" + std::string(label) + "\"");
  return Datum::make_null(Phys::kI32);
}

void enum_output(const TypeInfo& type, Oid label, std::string& out) {
  for (size_t i = 0; i < type.enum_labels.size(); i++)
    if (type.enum_label_oids[i] == label) {
      out.append(type.enum_labels[i]);
      return;
    }
}

}  // namespace indigo::types
