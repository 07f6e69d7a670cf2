// An error as PostgreSQL's clients see it: SQLSTATE, message and the optional fields of ErrorResponse.
// Errors are values; nothing in Indigo throws across a layer's boundary.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace indigo {

// Five characters, e.g. "22012". Compare with ==.
class SqlState {
 public:
  constexpr SqlState() = default;
  constexpr explicit SqlState(const char (&code)[6]) {
    for (int i = 0; i < 5; i++) code_[i] = code[i];
  }
  constexpr std::string_view text() const { return {code_, 5}; }
  friend constexpr bool operator==(const SqlState& a, const SqlState& b) { return a.text() == b.text(); }

 private:
  char code_[6] = "XX000";
};

struct Error {
  SqlState state;
  std::string message;
  std::string detail;
  std::string hint;
  int position = 0;  // 1-based character in the statement's text, 0 when unknown
  // Named objects (ErrorResponse fields s, t, c, d, n).
  std::string schema, table, column, data_type, constraint;
  std::string where;  // context lines
  // The text inside a program that the error is in, and the 1-based character there; then `position` is 0.
  std::string internal_query;
  int internal_position = 0;

  // Errors are rare and thousands of places make one, so all of this is out of line and cold.
  [[gnu::cold]] Error(SqlState s, std::string m);
  [[gnu::cold]] Error(SqlState s, const char* m);
  [[gnu::cold]] Error(const Error& other);
  [[gnu::cold]] Error(Error&& other) noexcept;
  [[gnu::cold]] Error& operator=(const Error& other);
  [[gnu::cold]] Error& operator=(Error&& other) noexcept;
  [[gnu::cold]] ~Error();

  // Adds a context line below those that are there.
  void add_context(std::string_view line);

  [[gnu::cold]] Error&& with_detail(std::string d) &&;
  [[gnu::cold]] Error&& with_hint(std::string h) &&;
  Error&& at(int p) && {
    position = p;
    return std::move(*this);
  }
};

[[gnu::cold]] std::unique_ptr<Error> boxed(Error&& error);

// A value or an Error. The error is boxed, so that a Result<T> costs one pointer beside T.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                       // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(boxed(std::move(error))) {}            // NOLINT(google-explicit-constructor)
  Result(std::unique_ptr<Error> error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }
  std::unique_ptr<Error> take_error() { return std::move(error_); }

 private:
  T value_{};
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(boxed(std::move(error))) {}            // NOLINT(google-explicit-constructor)
  Result(std::unique_ptr<Error> error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }
  std::unique_ptr<Error> take_error() { return std::move(error_); }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

// INDIGO_TRY(expr): returns the error from the enclosing function, or goes on.
// INDIGO_ASSIGN(decl, expr): the same, and binds the value. The two macros that no function can replace.
#define INDIGO_CONCAT_(a, b) a##b
#define INDIGO_CONCAT(a, b) INDIGO_CONCAT_(a, b)
#define INDIGO_TRY(expr)                                                               \
  do {                                                                                 \
    if (auto try_result_ = (expr); !try_result_.ok()) return try_result_.take_error(); \
  } while (0)
#define INDIGO_ASSIGN_(tmp, decl, expr)   \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.take_error(); \
  decl = std::move(*tmp)
#define INDIGO_ASSIGN(decl, expr) INDIGO_ASSIGN_(INDIGO_CONCAT(assign_result_, __LINE__), decl, expr)

}  // namespace indigo
