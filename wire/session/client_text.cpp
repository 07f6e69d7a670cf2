#include "wire/session/client_text.h"

#include "base/utf8.h"

namespace indigo::wire {

void ClientText::use(std::string_view encoding) {
  auto opened = types::TextConverter::open(encoding);  // the setting's check has opened one, too
  converter_ = opened.ok() ? std::move(*opened) : nullptr;
}

Result<std::string_view> ClientText::in(std::string_view bytes) {
  if (converter_ == nullptr) {
    INDIGO_TRY(check_client_text(bytes));
    return bytes;
  }
  std::string& text = kept_.emplace_back();
  INDIGO_TRY(converter_->to_utf8(bytes, text));
  INDIGO_TRY(check_client_text(text));
  return std::string_view(text);
}

std::string ClientText::out(std::string_view text) const {
  std::string out;
  if (converter_ == nullptr) return std::string(text);
  converter_->from_utf8_or_mark(text, out);
  return out;
}

Error ClientText::out(const Error& error) const {
  Error told = error;
  for (std::string* field : {&told.message, &told.detail, &told.hint, &told.internal_query, &told.where, &told.schema,
                             &told.table, &told.column, &told.data_type, &told.constraint})
    *field = out(*field);
  return told;
}

engine::ResultShape ClientText::out(const engine::ResultShape& shape) const {
  engine::ResultShape told = shape;
  for (engine::ResultColumn& column : told.columns) column.name = out(column.name);
  return told;
}

}  // namespace indigo::wire
