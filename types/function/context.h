// What a function needs besides its arguments: memory, a place for its error, and its session. engine implements the
// session half. One FuncContext belongs to one running query.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory/arena.h"
#include "types/function/catalog_context.h"
#include "types/value/datum.h"

namespace indigo::types {

struct CallInfo;      // types/function/registry.h
class SetProducer;    // the same
class TextConverter;  // types/text/encodings.h

// Settings that change how values are read and printed. Kept current by the session.
struct FormatSettings {
  enum class DateStyle : uint8_t { kIso, kPostgres, kSql, kGerman } date_style = DateStyle::kIso;
  enum class DateOrder : uint8_t { kMdy, kDmy, kYmd } date_order = DateOrder::kMdy;
  enum class IntervalStyle : uint8_t {
    kPostgres,
    kPostgresVerbose,
    kSqlStandard,
    kIso8601
  } interval_style = IntervalStyle::kPostgres;
  std::string time_zone = "Etc/UTC";  // resolved through types/datetime/time_zone.h
  int extra_float_digits = 1;
  bool bytea_hex = true;                             // bytea_output
  std::shared_ptr<const TextConverter> client_text;  // client_encoding; null: UTF-8, or taken for it
};

// The state of random() (types/number/random.h); seeded at first use.
struct RandomState {
  uint64_t words[2] = {0, 0};
  bool seeded = false;
};

// The session, as functions see it. Implemented by engine; a test may implement its own.
class SessionContext {
 public:
  virtual ~SessionContext() = default;
  RandomState random;
  virtual const FormatSettings& format() = 0;
  virtual CatalogContext& catalog() = 0;
  virtual int64_t transaction_timestamp() = 0;  // microseconds since 2000-01-01 UTC
  virtual int64_t statement_timestamp() = 0;
  virtual std::string current_user() = 0;
  virtual std::string session_user() = 0;
  virtual int32_t backend_pid() = 0;
  // Settings (current_setting, set_config). Unknown name: false.
  virtual bool setting(std::string_view name, std::string& value) = 0;
  virtual Status set_setting(std::string_view name, std::string_view value, bool local) = 0;
  // Sequences.
  virtual Result<int64_t> nextval(Oid sequence) = 0;
  virtual Result<int64_t> currval(Oid sequence) = 0;
  virtual Result<int64_t> lastval() = 0;
  virtual Status setval(Oid sequence, int64_t value, bool is_called) = 0;
  // Sleeps, interruptible (pg_sleep).
  virtual Status sleep(double seconds) = 0;
  // Runs a set-returning system function that engine owns (pg_stat_get_activity, pg_lock_status, pg_show_all_settings ...):
  // rows of Datums into `sink`. Unknown: kUndefinedFunction.
  virtual Status system_rows(std::string_view function, std::span<const Datum> args,
                             const std::function<void(std::span<const Datum>)>& sink) = 0;
  // A scalar system function that engine owns (pg_cancel_backend, pg_advisory_lock, txid_current, pg_relation_size ...),
  // by prosrc name.
  virtual Result<OwnedDatum> system_value(std::string_view function, std::span<const Datum> args) = 0;
  // Functions that users have made (OIDs from oid::kFirstUserOid on), for one row of arguments. A strict one is not called
  // with nulls. A session that runs no programs answers 0A000 (types/function/routine_call.cpp).
  virtual Result<OwnedDatum> call_routine(const CallInfo& call, std::span<const Datum> args);
  // The same for functions that return sets.
  virtual Result<std::unique_ptr<SetProducer>> open_routine(const CallInfo& call, std::span<const Datum> args);
};

class FuncContext {
 public:
  explicit FuncContext(SessionContext& session) : session_(session) {}

  SessionContext& session() { return session_; }
  // Of the database's own collation; null: C order, ASCII's letters.
  const Collator* default_collator() {
    if (!knows_default_) [[unlikely]]
      find_default();
    return default_collator_;
  }
  const Letters* default_letters() {
    if (!knows_default_) [[unlikely]]
      find_default();
    return default_letters_;
  }
  // Results' bytes go here; reset by the executor between chunks.
  Arena& arena() { return *arena_; }
  void set_arena(Arena* arena) { arena_ = arena; }

  // The first error wins; kernels stop at it. `row` tells the executor which row raised it.
  [[gnu::cold]] void fail(Error error);
  [[gnu::cold]] void fail(SqlState state, std::string message);
  [[gnu::cold]] void fail(SqlState state, const char* message);
  bool failed() const { return error_ != nullptr; }
  std::unique_ptr<Error> take_error() { return std::move(error_); }

  // What a family keeps from one call to the next of this query (compiled patterns, the resolved time zone): one T for
  // each T asked for, default-constructed.
  template <class T>
  T& cached() {
    static const char kKey = 0;
    for (const auto& entry : cached_)
      if (entry.first == &kKey) return *static_cast<T*>(entry.second.get());
    auto made = std::make_shared<T>();
    cached_.emplace_back(&kKey, made);
    return *made;
  }

 private:
  [[gnu::cold]] void find_default();

  SessionContext& session_;
  const Collator* default_collator_ = nullptr;
  const Letters* default_letters_ = nullptr;
  bool knows_default_ = false;
  Arena* arena_ = nullptr;
  std::unique_ptr<Error> error_;
  std::vector<std::pair<const void*, std::shared_ptr<void>>> cached_;
};

}  // namespace indigo::types
