// ErrorResponse and NoticeResponse: one field per line of Error. From the server.
#pragma once

#include <charconv>
#include <string>

#include "base/sqlstate.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct ErrorResponse {
  static constexpr char kError = 'E';
  static constexpr char kNotice = 'N';
  std::string severity;
  Error error{SqlState{}, ""};

  static void encode(char type, std::string_view severity, const Error& error, OutputBuffer& out) {
    size_t length_at = out.begin_message(type);
    put_field('S', severity, out);
    put_field('V', severity, out);
    put_field('C', error.state.text(), out);
    // A message is never left out, also an empty one (of RAISE).
    out.put_byte('M');
    out.put_string(without_nul(error.message));
    put_field('D', error.detail, out);
    put_field('H', error.hint, out);
    if (error.position > 0) put_field('P', std::to_string(error.position), out);
    if (error.internal_position > 0) put_field('p', std::to_string(error.internal_position), out);
    put_field('q', error.internal_query, out);
    put_field('W', error.where, out);
    put_field('s', error.schema, out);
    put_field('t', error.table, out);
    put_field('c', error.column, out);
    put_field('d', error.data_type, out);
    put_field('n', error.constraint, out);
    put_field('R', routine(error), out);
    out.put_byte('\0');
    out.end_message(length_at);
  }
  Status decode(std::string_view body) {
    MessageReader reader(body);
    error = Error(SqlState{}, "");
    while (char field = static_cast<char>(reader.byte())) {
      std::string_view value = reader.string();
      if (reader.failed()) break;
      set_field(field, value);
    }
    return reader.finish();
  }

 private:
  // The function of PostgreSQL that raises the error, where drivers look at it: asyncpg and JDBC prepare their statement again
  // when a changed table has made it useless, others when it is gone, and an assignment of a wrong type is known by it.
  static std::string_view routine(const Error& error) {
    const std::string_view message = error.message;
    if (error.state == sqlstate::kFeatureNotSupported && message == "cached plan must not change result type")
      return "RevalidateCachedQuery";
    if (error.state == sqlstate::kInvalidSqlStatementName && message.starts_with("prepared statement \""))
      return "FetchPreparedStatement";
    if (error.state == sqlstate::kDatatypeMismatch && message.starts_with("column \"") &&
        message.find("\" is of type ") != std::string_view::npos &&
        message.find(" but expression is of type ") != std::string_view::npos)
      return "transformAssignedExpr";
    return "";
  }
  static std::string_view without_nul(std::string_view text) { return text.substr(0, text.find('\0')); }
  static void put_field(char field, std::string_view value, OutputBuffer& out) {
    if (value.empty()) return;
    out.put_byte(field);
    out.put_string(without_nul(value));
  }
  void set_field(char field, std::string_view value) {
    switch (field) {
      case 'V': severity = value; break;
      case 'C':
        if (value.size() == 5) {
          char code[6] = {};
          value.copy(code, 5);
          error.state = SqlState(code);
        }
        break;
      case 'M': error.message = value; break;
      case 'D': error.detail = value; break;
      case 'H': error.hint = value; break;
      case 'P': std::from_chars(value.data(), value.data() + value.size(), error.position); break;
      case 'W': error.where = value; break;
      case 's': error.schema = value; break;
      case 't': error.table = value; break;
      case 'c': error.column = value; break;
      case 'd': error.data_type = value; break;
      case 'n': error.constraint = value; break;
      default: break;
    }
  }
};

}  // namespace indigo::wire
