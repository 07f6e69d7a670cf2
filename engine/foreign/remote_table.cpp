#include "engine/foreign/remote_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "engine/exec/change/foreign_host.h"
#include "engine/foreign/foreign_connection.h"
#include "engine/foreign/remote_relation.h"
#include "engine/remote/remote_formats.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

using Foreign = RemoteConnections::Foreign;

// Those of columns() that are wanted, in their order.
std::vector<size_t> columns_of(const RemoteRelation& remote, const RemoteQuery& query) {
  std::vector<size_t> out;
  for (const size_t c : remote.columns()) {
    if (!query.columns || std::find(query.columns->begin(), query.columns->end(), c) != query.columns->end())
      out.push_back(c);
  }
  return out;
}

class RemoteRows final : public types::SetProducer {
 public:
  RemoteRows(SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation,
             const RemoteQuery& query)
      : session_(session),
        remote_(session, relation),
        with_place_(query.with_place),
        with_key_(query.with_key),
        columns_(columns_of(remote_, query)),
        types_(remote_.types()) {
    if (!is_record()) return;
    types_.clear();  // as the plan has them: of a record each counts
    for (const auto& column : relation->columns) types_.push_back(column.type);
    if (with_place_) types_.push_back(kPlaceType);
    if (with_key_) types_.push_back({oid::kBytea, -1, kInvalidOid});
  }
  RemoteRows(const RemoteRows&) = delete;
  RemoteRows& operator=(const RemoteRows&) = delete;
  ~RemoteRows() override {
    if (foreign_ != nullptr && cursor_ != 0 && in_its_transaction()) foreign_->to_close.push_back(cursor_);
  }

  Status open(const RemoteQuery& query) {
    INDIGO_ASSIGN(foreign_, foreign_connection(session_, relation().foreign->server,
                                               query.role == kInvalidOid ? session_.user() : query.role));
    transaction_ = foreign_->transaction;
    fetch_size_ = std::clamp(remote_number_option(session_, relation(), "fetch_size", 100), 1, kMostFetched);
    INDIGO_ASSIGN(statement_, remote_statement(session_, remote_, query));
    const uint32_t cursor = ++foreign_->cursors;
    INDIGO_TRY(in_statement(ask_foreign(
        session_, foreign_, "DECLARE c" + std::to_string(cursor) + " CURSOR FOR " + statement_, nullptr, statement_)));
    cursor_ = cursor;
    foreign_->open_cursors[cursor] = foreign_->depth;
    return {};
  }

  uint32_t next(types::FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    while (n < capacity && !ended_) {
      if (at_ == rows_.size()) {
        if (n > 0) return n;
        if (Status got = fetch(); !got.ok()) {
          ended_ = true;
          context.fail(std::move(*got.take_error()));
          return 0;
        }
        continue;
      }
      const RemoteFormats formats(session_, *foreign_->connection);
      for (; n < capacity && at_ < rows_.size(); n++, at_++) {
        if (!read_row(context)) return 0;
        const std::string image = types::make_record(is_record() ? oid::kRecord : relation().row_type, types_, values_);
        columns[0].set_datum(n, Datum::of(context.arena().copy(Str(image))));
      }
    }
    return n;
  }

 private:
  const catalog::RelationInfo& relation() const { return remote_.relation(); }
  bool in_its_transaction() const { return foreign_->open && foreign_->transaction == transaction_; }

  bool is_record() const { return with_place_ || with_key_; }

  size_t column_count() const { return std::max<size_t>(columns_.size() + static_cast<size_t>(is_record()), 1); }

  static Status in_statement(Result<RemoteAnswer> result) {
    return result.ok() ? Status() : Status(result.take_error());
  }

  Status fetch() {
    if (fetched_ && rows_.size() < static_cast<size_t>(fetch_size_)) {
      ended_ = true;
      return {};
    }
    if (!in_its_transaction() || !foreign_->open_cursors.contains(cursor_)) {
      return Error(sqlstate::kInvalidCursorState, "the transaction on the other server has ended");
    }
    rows_.clear();
    at_ = 0;
    bool fits = true;
    // The rows are the session's memory, and count as that.
    const auto take = [&](const RemoteAnswer& row) {
      fits = fits && row.column_count() == column_count();
      if (!fits) return;
      note_work(row.bytes());
      rows_.push_back(row.row(0));
    };
    INDIGO_TRY(in_statement(ask_foreign(session_, foreign_,
                                        "FETCH " + std::to_string(fetch_size_) + " FROM c" + std::to_string(cursor_),
                                        take, statement_)));
    if (!fits) return Error(SqlState("HV021"), "remote query result does not match the foreign table");
    fetched_ = true;
    ended_ = rows_.empty();
    return {};
  }

  bool read_row(types::FuncContext& context) {
    const RemoteRow& texts = rows_[at_];
    if (!remote_.read(context, columns_, texts, values_)) return false;
    if (!is_record()) return true;
    const std::string place = texts.back().value_or(std::string());
    if (place.empty() || place.size() > kMostPlace) {
      context.fail(SqlState("HV021"), "remote query result does not match the foreign table");
      return false;
    }
    relation().layout.encode(values_, image_);
    if (with_place_) values_.push_back(types::type_input(context, kPlaceType, place));
    if (context.failed()) return false;
    if (!with_key_) return true;
    key_ = exec::foreign_row_key(place, image_);
    values_.push_back(Datum::of(Str(key_)));
    return true;
  }

  static constexpr types::TypeRef kPlaceType{oid::kTid, -1, kInvalidOid};
  static constexpr int kMostFetched = 100000;
  static constexpr size_t kMostPlace = 255;  // bytes

  SessionParts& session_;
  const RemoteRelation remote_;
  const bool with_place_, with_key_;   // behind the columns
  const std::vector<size_t> columns_;  // that are asked for
  std::shared_ptr<Foreign> foreign_;
  uint64_t transaction_ = 0;
  int fetch_size_ = 100;
  std::vector<types::TypeRef> types_;  // of all columns
  std::string statement_;
  uint32_t cursor_ = 0;  // 0: none yet
  std::string image_, key_;
  std::vector<RemoteRow> rows_;  // of the FETCH before
  size_t at_ = 0;
  std::vector<Datum> values_;
  bool fetched_ = false, ended_ = false;
};

}  // namespace

Result<std::string> remote_statement(SessionParts& session, const RemoteRelation& remote, const RemoteQuery& query) {
  std::string columns = remote.column_list(columns_of(remote, query));
  if (query.with_place || query.with_key) columns += columns.empty() ? "ctid" : ", ctid";
  INDIGO_ASSIGN(const std::string condition, condition_text(session, remote, query.condition));
  std::string out = "SELECT " + (columns.empty() ? "NULL" : columns) + " FROM " + remote.table();
  if (!condition.empty()) out += " WHERE " + condition;
  return out + query.lock;
}

Result<std::unique_ptr<types::SetProducer>> open_remote_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation, const RemoteQuery& query) {
  auto rows = std::make_unique<RemoteRows>(session, relation, query);
  INDIGO_TRY(rows->open(query));
  return std::unique_ptr<types::SetProducer>(std::move(rows));
}

Result<std::vector<std::vector<std::optional<std::string>>>> ask_foreign_server(SessionParts& session, Oid server,
                                                                                Oid role,
                                                                                const std::string& statement) {
  INDIGO_ASSIGN(const auto f, foreign_connection(session, server, role));
  std::vector<RemoteRow> out;
  Status taken;
  INDIGO_TRY(ask_foreign(session, f, statement, [&](const RemoteAnswer& row) {
    if (taken.ok()) taken = row.add_rows(out);
  }));
  if (!taken.ok()) return Error(taken.error());
  return out;
}

}  // namespace indigo::engine
