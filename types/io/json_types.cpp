// json, jsonb and jsonpath.
#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/client_text.h"
#include "types/io/type_definition.h"
#include "types/json/jsonb.h"
#include "types/jsonpath/path.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

Datum json_in(FuncContext& context, const TypeRef&, Str text) {
  if (!check_encoding(context, text) || !parse_json(context, text, nullptr)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(text));
}
void json_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.append(d.str); }
// Of json whole, of the others behind a version byte.
template <Datum (*kInput)(FuncContext&, const TypeRef&, Str)>
Datum input_of_client(FuncContext& context, const TypeRef& type, Str bytes) {
  const Str text = receive_text(context, bytes);
  return context.failed() ? Datum::make_null(Phys::kStr) : kInput(context, type, text);
}
void json_send(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  send_text(context, d.str, out);
}

Datum jsonb_in(FuncContext& context, const TypeRef&, Str text) {
  if (!check_encoding(context, text)) return Datum::make_null(Phys::kStr);
  const std::string image = parse_jsonb(context, text);
  return context.failed() ? Datum::make_null(Phys::kStr) : Datum::of(context.arena().copy(image));
}
void jsonb_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  append_jsonb_text(JsonbView(d.str), out);
}
// A version byte, then the text.
Datum jsonb_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.empty()) {
    context.fail(sqlstate::kProtocolViolation, "no data left in message");
    return Datum::make_null(Phys::kStr);
  }
  if (bytes[0] != 1) {
    context.fail(sqlstate::kInternalError,
                 "unsupported jsonb version number " + std::to_string(static_cast<uint8_t>(bytes[0])));
    return Datum::make_null(Phys::kStr);
  }
  return input_of_client<jsonb_in>(context, type, bytes.substr(1));
}
void jsonb_send(FuncContext& context, const TypeRef& type, const Datum& d, std::string& out) {
  out.push_back(1);
  if (context.session().format().client_text == nullptr) return jsonb_out(context, type, d, out);
  std::string text;
  jsonb_out(context, type, d, text);
  send_text(context, text, out);
}

// A path is its canonical text.
Datum path_in(FuncContext& context, const TypeRef&, Str text) {
  JsonPath path;
  if (!check_encoding(context, text) || !parse_json_path(context, text, path)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(json_path_text(path)));
}
Datum path_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.empty()) {
    context.fail(sqlstate::kProtocolViolation, "no data left in message");
    return Datum::make_null(Phys::kStr);
  }
  if (bytes[0] != 1) {
    context.fail(sqlstate::kInternalError,
                 "unsupported jsonpath version number: " + std::to_string(static_cast<uint8_t>(bytes[0])));
    return Datum::make_null(Phys::kStr);
  }
  return input_of_client<path_in>(context, type, bytes.substr(1));
}
void path_send(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  out.push_back(1);
  send_text(context, d.str, out);
}

const TypeDefinition kJsonTypes[] = {
    {oid::kJson, json_in, json_out, input_of_client<json_in>, json_send},
    {oid::kJsonPath, path_in, json_out, path_receive, path_send},
    {oid::kJsonb, jsonb_in, jsonb_out, jsonb_receive, jsonb_send, Phys::kStr, &kJsonbOrder},
};

}  // namespace

std::span<const TypeDefinition> json_types() { return kJsonTypes; }

}  // namespace indigo::types
