// ASCII armor (RFC 4880, section 6): base 64 between two lines, headers, and a checksum of 24 bits.
#include <cstdint>

#include "base/sqlstate.h"
#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/set/producer.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types::pgcrypto {

namespace {

constexpr std::string_view kBegin = "-----BEGIN PGP MESSAGE-----\n", kEnd = "-----END PGP MESSAGE-----\n";

uint32_t crc24(Str bytes) {
  uint32_t crc = 0xb704ce;
  for (const char c : bytes) {
    crc ^= uint32_t{static_cast<uint8_t>(c)} << 16;
    for (int i = 0; i < 8; i++) {
      crc <<= 1;
      if ((crc & 0x1000000) != 0) crc ^= 0x1864cfb;
    }
  }
  return crc & 0xffffff;
}

std::string checksum(Str bytes) {
  const uint32_t crc = crc24(bytes);
  const char three[] = {static_cast<char>(crc >> 16), static_cast<char>(crc >> 8), static_cast<char>(crc)};
  return encode_base64(Str(three, 3), false);
}

Str armored(FuncContext& context, Str data, const std::string& headers) {
  std::string out(kBegin);
  out += headers;
  out += '\n';
  out += encode_base64(data, true);
  if (!out.ends_with('\n')) out += '\n';
  out += '=' + checksum(data) + '\n';
  out += kEnd;
  return context.arena().copy(out);
}

// What a header's key or value must not hold.
bool plain_header(FuncContext& context, Str text, const std::string& what) {
  const char* why = nullptr;
  for (const char c : text) {
    if (static_cast<uint8_t>(c) >= 0x80) why = " must not contain non-ASCII characters";
  }
  if (why == nullptr && what == "header key" && text.find(": ") != Str::npos) why = " must not contain \": \"";
  if (why == nullptr && text.find('\n') != Str::npos) why = " must not contain newlines";
  if (why != nullptr) context.fail(sqlstate::kInvalidParameterValue, what + why);
  return why == nullptr;
}

Str next_line(Str& rest) {
  const size_t end = rest.find('\n');
  Str line = rest.substr(0, end);
  rest = end == Str::npos ? Str() : rest.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_border(Str line, Str begin) { return line.starts_with(begin) && line.ends_with("-----"); }

}  // namespace

void fail_external(FuncContext& context, std::string message) { context.fail(SqlState("39000"), std::move(message)); }

Str armor(FuncContext& context, Str data) { return armored(context, data, {}); }

Str armor_headers(FuncContext& context, Str data, Str keys, Str values) {
  const ArrayView k(keys), v(values);
  if (k.dimensions() > 1 || v.dimensions() > 1) {
    context.fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    return {};
  }
  if (k.count() != v.count()) {
    context.fail(sqlstate::kArraySubscriptError, "mismatched array dimensions");
    return {};
  }
  std::string headers;
  for (int32_t i = 0; i < k.count(); i++) {
    if (k.is_null(i) || v.is_null(i)) {
      context.fail(sqlstate::kNullValueNotAllowed,
                   std::string("null value not allowed for header ") + (k.is_null(i) ? "key" : "value"));
      return {};
    }
    const Str key = k.element(i).str, value = v.element(i).str;
    if (!plain_header(context, key, "header key") || !plain_header(context, value, "header value")) return {};
    headers.append(key).append(": ").append(value).append("\n");
  }
  return armored(context, data, headers);
}

bool read_armor(FuncContext& context, Str text, std::string& bytes) {
  const auto corrupt = [&] {
    fail_external(context, "Corrupt ascii-armor");
    return false;
  };
  Str rest = text, line;
  do {
    if (rest.empty()) return corrupt();
    line = next_line(rest);
  } while (!is_border(line, "-----BEGIN PGP "));
  do {  // headers end with an empty line
    if (rest.empty()) return corrupt();
  } while (!(line = next_line(rest)).empty());
  std::string body, crc;
  while (true) {
    if (rest.empty()) return corrupt();
    line = next_line(rest);
    if (is_border(line, "-----END PGP ")) break;
    if (line.starts_with("=") && line.size() == 5) {
      crc = line.substr(1);
    } else {
      body += line;
    }
  }
  FuncContext decoding(context.session());
  decoding.set_arena(&context.arena());
  const Str decoded = decode_base64(decoding, body);
  if (decoding.failed() || crc != checksum(decoded)) return corrupt();
  bytes = decoded;
  return true;
}

std::unique_ptr<SetProducer> open_armor_headers(FuncContext& context, const CallInfo&,
                                                std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const auto corrupt = [&] {
    fail_external(context, "Corrupt ascii-armor");
    return empty_set();
  };
  auto rows = std::make_unique<RowSet>();
  Str rest = arguments[0].str, line;
  if (rest.find("-----END PGP ") == Str::npos) return corrupt();
  do {
    if (rest.empty()) return corrupt();
    line = next_line(rest);
  } while (!is_border(line, "-----BEGIN PGP "));
  for (line = next_line(rest); !line.empty(); line = next_line(rest)) {
    const size_t colon = line.find(": ");
    if (colon == Str::npos || rest.empty()) return corrupt();
    rows->add_in_turn({rows->text(line.substr(0, colon)), rows->text(line.substr(colon + 2))});
  }
  return rows;
}

Str dearmor(FuncContext& context, Str text) {
  std::string bytes;
  return read_armor(context, text, bytes) ? context.arena().copy(bytes) : Str();
}

}  // namespace indigo::types::pgcrypto
