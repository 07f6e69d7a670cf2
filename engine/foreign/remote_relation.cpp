#include "engine/foreign/remote_relation.h"

#include <charconv>
#include <utility>

#include "engine/foreign/foreign_options.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"
#include "engine/system/catalog_rows.h"
#include "types/io/domain_check.h"
#include "types/io/type_definition.h"
#include "types/text/strings.h"

namespace indigo::engine {

RemoteRelation::RemoteRelation(SessionParts& session, std::shared_ptr<const catalog::RelationInfo> relation)
    : relation_(std::move(relation)) {
  const auto of_table = split_options(relation_->foreign->options);
  const std::string* schema = find_option(of_table, "schema_name");
  const std::string* name = find_option(of_table, "table_name");
  table_ = types::quote_identifier(schema != nullptr ? *schema : relation_->schema_name) + "." +
           types::quote_identifier(name != nullptr ? *name : relation_->name);
  for (const auto& column : relation_->columns) {
    types_.push_back(column.dropped ? types::TypeRef{} : column.type);
    const auto type = session.session_catalog().type(column.type.oid);
    domains_.push_back(!column.dropped && type != nullptr && type->kind == 'd');
    names_.emplace_back();
    if (column.dropped) continue;
    columns_.push_back(static_cast<size_t>(column.number - 1));
    const auto of_column = column_options(session, relation_->oid, column.number);
    const std::string* there = find_option(of_column, "column_name");
    names_.back() = types::quote_identifier(there != nullptr ? *there : column.name);
  }
}

std::string RemoteRelation::column_list(std::span<const size_t> columns) const {
  std::string out;
  for (const size_t c : columns) out += (out.empty() ? "" : ", ") + names_[c];
  return out;
}

bool RemoteRelation::read(types::FuncContext& context, std::span<const size_t> columns, const RemoteRow& texts,
                          std::vector<Datum>& values) const {
  values.clear();
  for (size_t c = 0; c < types_.size(); c++) values.push_back(Datum::make_null(relation_->layout.phys(c)));
  for (size_t i = 0; i < columns.size(); i++) {
    const size_t c = columns[i];
    if (texts[i] && types::check_encoding(context, *texts[i]))
      values[c] = types::type_input(context, types_[c], *texts[i]);
    if (!context.failed() && domains_[c]) types::check_domain(context, types_[c], values[c]);
    if (!context.failed()) continue;
    auto e = context.take_error();
    e->add_context("column \"" + relation_->columns[c].name + "\" of foreign table \"" + relation_->name + "\"");
    context.fail(std::move(*e));
    return false;
  }
  return true;
}

std::string RemoteRelation::literal(types::FuncContext& context, size_t column, const Datum& value) const {
  if (value.null) return "NULL";
  std::string written;
  types::type_output(context, types_[column], value, written);
  return types::quote_literal(written);
}

TransmissionFormats::TransmissionFormats(SessionParts& session) : session_(session), mark_(session.settings().mark()) {
  constexpr std::pair<const char*, const char*> kFormats[] = {
      {"DateStyle", "ISO"}, {"IntervalStyle", "postgres"}, {"extra_float_digits", "3"}};
  for (const auto& [name, value] : kFormats) {
    const Result<std::string> now = session.settings().show(name);
    if (now.ok() && *now == value) continue;
    // They are values of these settings.
    if (const Status set = session.settings().set(name, value, Settings::Scope::kLocal, false); !set.ok()) continue;
  }
}
TransmissionFormats::~TransmissionFormats() { session_.settings().rollback_to(mark_); }

namespace {

std::optional<std::string> option_of(SessionParts& session, const catalog::RelationInfo& relation, const char* name) {
  const auto of_table = split_options(relation.foreign->options);
  const auto of_server = server_options(session, relation.foreign->server);
  for (const auto* options : {&of_table, &of_server}) {
    if (const std::string* value = find_option(*options, name)) return *value;
  }
  return std::nullopt;
}

}  // namespace

int remote_number_option(SessionParts& session, const catalog::RelationInfo& relation, const char* name,
                         int otherwise) {
  const auto value = option_of(session, relation, name);
  int out = otherwise;
  if (value) std::from_chars(value->data(), value->data() + value->size(), out);
  return out;
}

bool remote_flag_option(SessionParts& session, const catalog::RelationInfo& relation, const char* name,
                        bool otherwise) {
  const auto value = option_of(session, relation, name);
  return value ? option_flag(*value).value_or(otherwise) : otherwise;
}

}  // namespace indigo::engine
