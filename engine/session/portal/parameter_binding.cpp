#include "engine/session/portal/parameter_binding.h"

#include <charconv>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "engine/session/portal/portal.h"
#include "engine/settings/settings.h"
#include "engine/statement/repeated_rows.h"
#include "types/function/phys_of.h"
#include "types/function/registry.h"
#include "types/io/domain_check.h"
#include "types/io/type_definition.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Format format_of(const BindMessage& message, size_t parameter) {
  if (message.parameter_formats.empty()) return Format::kText;
  return message.parameter_formats[message.parameter_formats.size() == 1 ? 0 : parameter];
}

std::string called(std::string_view portal) {
  return portal.empty() ? "unnamed portal" : "portal \"" + std::string(portal) + "\"";
}

}  // namespace

int64_t ParameterBinding::most_shown() const {
  static const uint32_t kSetting = *find_setting("log_parameter_max_length_on_error");
  return settings_.integer(kSetting);
}

std::string ParameterBinding::quoted(std::string_view value) {
  const int64_t most = most_shown();
  const bool whole = most < 0 || value.size() <= static_cast<uint64_t>(most);
  std::string out = "'";
  for (const char c : whole ? value : utf8_clip(value, static_cast<size_t>(most))) out.append(c == '\'' ? 2 : 1, c);
  return out + (whole ? "'" : "...'");
}

std::string ParameterBinding::place_of(const BindMessage& message, size_t parameter, const Str* text) {
  std::string out = called(message.portal) + " parameter $" + std::to_string(parameter + 1);
  if (text != nullptr) out += " = " + quoted(*text);
  return out;
}

std::unique_ptr<Error> ParameterBinding::with_values(std::unique_ptr<Error> error, const Portal& portal) {
  const std::vector<types::TypeRef>& types = portal.prepared->parameter_types;
  if (types.empty() || portal.parameters.size() != types.size() || most_shown() == 0) return error;
  std::string values;
  for (size_t i = 0; i < types.size(); i++) {
    std::string value;
    if (!portal.parameters[i].null) types::type_output(context_, types[i], portal.parameters[i], value);
    if (context_.failed()) {  // its type has gone
      context_.take_error();
      return error;
    }
    values += (i == 0 ? "$" : ", $") + std::to_string(i + 1) + " = ";
    values += portal.parameters[i].null ? "NULL" : quoted(value);
  }
  if (!error->where.empty()) error->where += '\n';
  error->where += called(portal.name) + " with parameters: " + values;
  return error;
}

Status ParameterBinding::bind_literals(Portal& portal, const ScannedText& scanned) {
  portal.parameters.clear();
  portal.arena.reset();
  const Prepared& prepared = *portal.prepared;
  if (scanned.literals.empty() || prepared.plan == nullptr) return {};
  context_.set_arena(&portal.arena);
  std::string buffer;
  for (size_t i = 0; i < scanned.literals.size(); i++) {
    if (i >= prepared.lifted_used.size() || !prepared.lifted_used[i]) {
      // Its place stays empty: parameters are numbered by literal.
      portal.parameters.push_back(Datum());
      continue;
    }
    INDIGO_ASSIGN(const Datum value, bind_literal(portal, scanned, i, prepared.lifted_types[i], buffer));
    portal.parameters.push_back(value);
  }
  return {};
}

Status check_parameter_count(const BindMessage& message, size_t parameters) {
  if (message.parameter_formats.size() > 1 && message.parameter_formats.size() != message.values.size()) {
    return Error(sqlstate::kProtocolViolation, "bind message has " + std::to_string(message.parameter_formats.size()) +
                                                   " parameter formats but " + std::to_string(message.values.size()) +
                                                   " parameters");
  }
  if (message.values.size() == parameters) return {};
  return Error(sqlstate::kProtocolViolation, "bind message supplies " + std::to_string(message.values.size()) +
                                                 " parameters, but prepared statement \"" +
                                                 std::string(message.statement) + "\" requires " +
                                                 std::to_string(parameters));
}

Result<Datum> ParameterBinding::bind_literal(Portal& portal, const ScannedText& scanned, size_t i,
                                             const types::TypeRef& type, std::string& buffer) {
  std::string_view text = literal_value(scanned.raw[i], buffer);
  if (type.oid == oid::kInt4 && scanned.literals[i].kind == sql::LiftedLiteral::Class::kInt4) {
    int32_t v = 0;
    std::from_chars(text.data(), text.data() + text.size(), v);
    return Datum::of(v);
  }
  if (buffer.data() == text.data()) text = portal.arena.copy(text);
  Datum value = types::type_input(context_, type, text);
  if (context_.failed()) {
    auto error = context_.take_error();
    if (error->position == 0) error->position = scanned.literals[i].location + 1;
    return error;
  }
  // A number has no negative zero before it becomes a float8.
  if (type.oid == oid::kFloat8 && scanned.literals[i].kind != sql::LiftedLiteral::Class::kString && value.f64 == 0)
    return Datum::of(0.0);
  return value;
}

bool ParameterBinding::bind_rows(Portal& portal, const FoldedText& folded, const ScannedText& whole) {
  const Prepared& prepared = *portal.prepared;
  const size_t shapes = folded.first_literal.size() - 1;
  if (prepared.plan == nullptr || prepared.custom || prepared.rewritten ||
      repeating_values(*prepared.plan, shapes) == nullptr)
    return false;
  if (!bind_literals(portal, folded.scanned).ok()) return false;
  auto rows = std::make_unique<RowParameters>();
  rows->first_parameter.assign(folded.first_literal.begin(), folded.first_literal.end() - 1);
  rows->rows.reserve(folded.rows.size());
  std::string buffer;
  for (const FoldedText::Row& row : folded.rows) {
    rows->rows.push_back({row.like, static_cast<uint32_t>(rows->parameters.size())});
    const std::vector<bool>& nulls = folded.null_literals[row.nulls];
    size_t literal = row.first_literal;
    const uint32_t begin = folded.first_literal[row.like], end = folded.first_literal[row.like + 1];
    for (uint32_t p = begin; p < end; p++) {
      if (!nulls.empty() && nulls[p - begin]) {
        if (!prepared.lifted_used[p]) return false;
        rows->parameters.push_back(Datum());
      } else if (prepared.lifted_used[p]) {
        auto value = bind_literal(portal, whole, literal++, prepared.lifted_types[p], buffer);
        if (!value.ok()) return false;
        rows->parameters.push_back(*value);
      } else {  // part of the plan: the same in all rows, or they have no plan in common
        if (whole.raw[literal++].text != folded.scanned.raw[p].text) return false;
        rows->parameters.push_back(Datum());
      }
    }
  }
  portal.rows = std::move(rows);
  return true;
}

Status ParameterBinding::bind_values(Portal& portal, const BindMessage& message) {
  context_.set_arena(&portal.arena);
  for (size_t i = 0; i < message.values.size(); i++) {
    const types::TypeRef& type = portal.prepared->parameter_types[i];
    const Format format = format_of(message, i);
    const Str bytes = message.values[i] ? portal.arena.copy(*message.values[i]) : Str();
    Datum value;
    bool is_text = false;
    if (!message.values[i]) {
      value = Datum::make_null(types::phys_of(context_, type.oid));
    } else if (format != Format::kText) {
      value = types::type_receive(context_, type, bytes);
    } else if (types::check_encoding(context_, bytes)) {
      is_text = true;
      value = types::type_input(context_, type, bytes);
    }
    if (context_.failed() || !types::check_domain(context_, type, value)) {
      auto error = context_.take_error();
      if (error->where.empty()) error->where = place_of(message, i, is_text ? &bytes : nullptr);
      return error;
    }
    portal.parameters.push_back(value);
  }
  return {};
}

}  // namespace indigo::engine
