// What is used of libpq, loaded at run time: passwords, service files and so on are as with psql, and a server that speaks to
// no other does not need it. The types are libpq's, opaque here; the numbers are part of its ABI.
// Thread safety: constants; a connection belongs to one thread at a time.
#pragma once

#include "base/error.h"

namespace indigo::engine {

struct Libpq {
  using Connection = void;
  using Answer = void;
  using Cancel = void;
  struct Option {
    char *keyword, *environment, *compiled, *value, *label, *shown;
    int size;
  };
  struct Notification {
    char* channel;
    int pid;
    char* payload;
    Notification* next;
  };
  enum AnswerStatus : int {
    kEmpty = 0,
    kCommand = 1,
    kRows = 2,
    kCopyOut = 3,
    kCopyIn = 4,
    kCopyBoth = 8,
    kOneRow = 9
  };
  enum PollStatus : int { kPollFailed = 0, kPollReading = 1, kPollWriting = 2, kPollOk = 3 };
  enum TransactionStatus : int { kIdle = 0 };
  // Fields of errors.
  static constexpr int kConnectionOk = 0, kSqlState = 'C', kMessage = 'M', kDetail = 'D', kHint = 'H', kContext = 'W';

  Connection* (*connect)(const char* options) = nullptr;
  // The names and values of options, both ended by a null; `expand`: "dbname" may hold a whole connection string.
  Connection* (*begin_connect)(const char* const* names, const char* const* values, int expand) = nullptr;
  PollStatus (*poll)(Connection*) = nullptr;
  int (*status)(const Connection*) = nullptr;
  char* (*error)(const Connection*) = nullptr;
  int (*socket)(const Connection*) = nullptr;
  int (*used_password)(const Connection*) = nullptr;
  int (*set_nonblocking)(Connection*, int on) = nullptr;
  int (*set_encoding)(Connection*, const char* encoding) = nullptr;
  int (*transaction)(const Connection*) = nullptr;
  const char* (*parameter)(const Connection*, const char* name) = nullptr;
  int (*server_version)(const Connection*) = nullptr;
  int (*backend_pid)(const Connection*) = nullptr;
  int (*send)(Connection*, const char* command) = nullptr;
  int (*one_row_at_a_time)(Connection*) = nullptr;
  int (*flush)(Connection*) = nullptr;
  int (*consume)(Connection*) = nullptr;
  int (*busy)(Connection*) = nullptr;
  Answer* (*answer)(Connection*) = nullptr;
  int (*put_copy)(Connection*, const char* data, int size) = nullptr;
  int (*get_copy)(Connection*, char** data, int at_once) = nullptr;
  Notification* (*notification)(Connection*) = nullptr;
  int (*answer_status)(const Answer*) = nullptr;
  int (*row_count)(const Answer*) = nullptr;
  int (*column_count)(const Answer*) = nullptr;
  int (*is_null)(const Answer*, int row, int column) = nullptr;
  int (*length)(const Answer*, int row, int column) = nullptr;
  char* (*value)(const Answer*, int row, int column) = nullptr;
  char* (*tag)(Answer*) = nullptr;
  char* (*affected)(Answer*) = nullptr;
  char* (*field)(const Answer*, int field) = nullptr;
  void (*clear)(Answer*) = nullptr;
  Cancel* (*get_cancel)(Connection*) = nullptr;
  int (*cancel)(Cancel*, char* error, int error_size) = nullptr;
  void (*free_cancel)(Cancel*) = nullptr;
  void (*finish)(Connection*) = nullptr;
  void* (*ignore_notices)(Connection*, void (*processor)(void*, const char*), void*) = nullptr;
  Option* (*parse)(const char* options, char** error) = nullptr;
  void (*free_options)(Option*) = nullptr;
  void (*free_memory)(void*) = nullptr;
};

// 0A000 where there is none.
Result<const Libpq*> libpq();

}  // namespace indigo::engine
