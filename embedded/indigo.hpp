// Indigo in process, for C++17: indigo.h with owners and exceptions. Link indigo::indigo; docs/embedded.md has an example.
// Thread safety: indigo.h's.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indigo.h"  // beside this file, also where it is installed

namespace indigo {

// A statement that failed: message, and PostgreSQL's SQLSTATE.
class SqlError : public std::runtime_error {
 public:
  SqlError(const std::string& message, std::string state) : std::runtime_error(message), state_(std::move(state)) {}
  const std::string& sqlstate() const { return state_; }

 private:
  std::string state_;
};

// The answer to a statement; of several statements, the answer to the last.
class Rows {
 public:
  explicit Rows(indigo_result* first) : first_(first, &indigo_free_result), result_(first) {
    while (indigo_result* next = indigo_next(result_)) result_ = next;
    if (indigo_ok(result_) == 0) throw SqlError(indigo_message(result_), indigo_sqlstate(result_));
  }

  int64_t size() const { return indigo_rows(result_); }
  int columns() const { return indigo_columns(result_); }
  std::string_view column_name(int column) const { return indigo_column_name(result_, column); }
  uint32_t column_type(int column) const { return indigo_column_type(result_, column); }
  // As text; nothing for null. It lives as long as the rows do.
  std::optional<std::string_view> value(int64_t row, int column) const {
    const char* text = indigo_value(result_, row, column);
    if (text == nullptr) return std::nullopt;
    return std::string_view(text, indigo_value_size(result_, row, column));
  }
  std::string_view tag() const { return indigo_tag(result_); }
  int64_t affected() const { return indigo_affected(result_); }
  // What COPY ... TO STDOUT wrote.
  std::string_view copied() const {
    size_t size = 0;
    const char* data = indigo_copied(result_, &size);
    return {data, size};
  }

 private:
  std::unique_ptr<indigo_result, void (*)(indigo_result*)> first_;
  indigo_result* result_;
};

// A parameter: a text, or std::nullopt.
using Parameter = std::optional<std::string>;

class Connection {
 public:
  explicit Connection(indigo_connection* connection) : connection_(connection, &indigo_disconnect) {}

  Rows query(const std::string& sql) { return Rows(indigo_query(get(), sql.c_str())); }
  Rows query(const std::string& sql, const std::vector<Parameter>& parameters) {
    const auto values = pointers(parameters);
    return Rows(indigo_query_params(get(), sql.c_str(), static_cast<int>(values.size()), values.data()));
  }
  void prepare(const std::string& name, const std::string& sql) {
    Rows done(indigo_prepare(get(), name.c_str(), sql.c_str()));
  }
  Rows execute(const std::string& name, const std::vector<Parameter>& parameters = {}) {
    const auto values = pointers(parameters);
    return Rows(indigo_execute(get(), name.c_str(), static_cast<int>(values.size()), values.data()));
  }
  Rows copy_in(const std::string& sql, std::string_view data) {
    return Rows(indigo_copy_in(get(), sql.c_str(), data.data(), data.size()));
  }
  void cancel() { indigo_cancel(get()); }
  char transaction_status() const { return indigo_transaction_status(get()); }
  indigo_connection* get() const { return connection_.get(); }

 private:
  static std::vector<const char*> pointers(const std::vector<Parameter>& parameters) {
    std::vector<const char*> values;
    values.reserve(parameters.size());
    for (const Parameter& p : parameters) values.push_back(p ? p->c_str() : nullptr);
    return values;
  }

  std::unique_ptr<indigo_connection, void (*)(indigo_connection*)> connection_;
};

class Database {
 public:
  // Everything in memory, or kept in `directory`. Settings are "name=value".
  explicit Database(const std::string& directory = "", const std::vector<std::string>& settings = {})
      : database_(nullptr, &indigo_close) {
    std::vector<const char*> pairs;
    for (const std::string& pair : settings) pairs.push_back(pair.c_str());
    pairs.push_back(nullptr);
    char* error = nullptr;
    database_.reset(indigo_open(directory.empty() ? nullptr : directory.c_str(), pairs.data(), &error));
    if (database_ == nullptr) fail(error);
  }

  Connection connect(const std::string& user = "postgres", const std::string& name = "") {
    char* error = nullptr;
    indigo_connection* made =
        indigo_connect(database_.get(), user.c_str(), name.empty() ? nullptr : name.c_str(), &error);
    if (made == nullptr) fail(error);
    return Connection(made);
  }

 private:
  [[noreturn]] static void fail(char* error) {
    const std::unique_ptr<char, void (*)(char*)> owner(error, &indigo_free);
    throw std::runtime_error(error == nullptr ? "out of memory" : error);
  }

  std::unique_ptr<indigo_database, void (*)(indigo_database*)> database_;
};

}  // namespace indigo
