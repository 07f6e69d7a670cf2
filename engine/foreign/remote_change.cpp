#include "engine/foreign/remote_change.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/foreign/foreign_connection.h"
#include "engine/foreign/remote_relation.h"
#include "engine/remote/remote_formats.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

using Foreign = RemoteConnections::Foreign;

// As many values as PostgreSQL's protocol takes with one statement.
constexpr size_t kMostValues = 65535;

class RemoteChange final : public exec::ForeignChange {
 public:
  RemoteChange(SessionParts& session, std::shared_ptr<const catalog::RelationInfo> relation,
               exec::ForeignChangeSpec spec)
      : session_(session), remote_(session, std::move(relation)), spec_(std::move(spec)) {}

  void choose_batch() {
    if (spec_.event == catalog::kTriggerInsert && !spec_.returning && !spec_.one_by_one) {
      const int size = remote_number_option(session_, relation(), "batch_size", 1);
      const size_t most = kMostValues / std::max<size_t>(remote_.columns().size(), 1);
      batch_ = std::clamp<size_t>(static_cast<size_t>(std::max(size, 1)), 1, most);
    }
  }

  Result<size_t> insert(std::span<std::string> rows) override {
    size_t written = 0;
    places_.clear();
    for (size_t at = 0; at < rows.size(); at += batch_) {
      INDIGO_ASSIGN(const size_t n, insert_batch(rows.subspan(at, std::min(batch_, rows.size() - at))));
      written += n;
    }
    return written;
  }

  Result<bool> update(Bytes place, std::string& row) override {
    std::string set, shown;
    places_.clear();
    {
      const TransmissionFormats formats(session_);
      types::FuncContext context(session_.context());
      Arena arena;
      context.set_arena(&arena);
      int number = 2;
      for (const size_t c : spec_.columns) {
        const bool generated = relation().columns[c].generated != 0;
        const char* comma = set.empty() ? "" : ", ";
        const Datum value = relation().layout.column(row, c);
        set += comma + remote_.column_name(c) + " = " + (generated ? "DEFAULT" : remote_.literal(context, c, value));
        shown += comma + remote_.column_name(c) + " = " + (generated ? "DEFAULT" : "$" + std::to_string(number++));
      }
      if (context.failed()) return context.take_error();
    }
    const std::string begin = "UPDATE " + remote_.table() + " SET ";
    return of_one(begin + set + at(place), begin + shown + " WHERE ctid = $1" + returning(), &row);
  }

  Result<bool> erase(Bytes place) override {
    const std::string begin = "DELETE FROM " + remote_.table();
    const bool wanted = std::exchange(spec_.returning, false);  // the row is known as it was found, and is locked
    auto done = of_one(begin + at(place), begin + " WHERE ctid = $1", nullptr);
    spec_.returning = wanted;
    return done;
  }

  Bytes place_of(size_t row) const override { return row < places_.size() ? Bytes(places_[row]) : Bytes(); }

 private:
  const catalog::RelationInfo& relation() const { return remote_.relation(); }

  static std::string at_place(Bytes place) { return " WHERE ctid = " + types::quote_literal(std::string(place)); }
  std::string at(Bytes place) const { return at_place(place) + returning(); }
  std::string returning() const {
    if (!spec_.returning) return "";
    std::string columns = remote_.column_list(remote_.columns());
    if (spec_.places) columns += columns.empty() ? "ctid" : ", ctid";
    return " RETURNING " + (columns.empty() ? std::string("NULL") : columns);
  }
  size_t returned_columns() const {
    return std::max<size_t>(remote_.columns().size() + static_cast<size_t>(spec_.places), 1);
  }

  Status values_of(types::FuncContext& context, Bytes row, std::string& out) const {
    bool first = true;
    out += "(";
    for (const size_t c : remote_.columns()) {
      out += first ? "" : ", ";
      first = false;
      out += relation().columns[c].generated != 0 ? "DEFAULT"
                                                  : remote_.literal(context, c, relation().layout.column(row, c));
    }
    out += ")";
    if (context.failed()) return context.take_error();
    return {};
  }

  std::string shown_insert(const std::string& begin, size_t rows) const {
    std::string out = begin;
    int number = 1;
    for (size_t r = 0; r < rows; r++) {
      out += r == 0 ? "(" : ", (";
      bool first = true;
      for (const size_t c : remote_.columns()) {
        out += first ? "" : ", ";
        first = false;
        out += relation().columns[c].generated != 0 ? "DEFAULT" : "$" + std::to_string(number++);
      }
      out += ")";
    }
    return out + end_of_insert();
  }
  std::string end_of_insert() const { return (spec_.do_nothing ? " ON CONFLICT DO NOTHING" : "") + returning(); }

  Result<size_t> insert_batch(std::span<std::string> rows) {
    if (remote_.columns().empty()) return insert_defaults(rows);
    const std::string begin =
        "INSERT INTO " + remote_.table() + "(" + remote_.column_list(remote_.columns()) + ") VALUES ";
    std::string statement = begin;
    {
      const TransmissionFormats formats(session_);
      types::FuncContext context(session_.context());
      Arena arena;
      context.set_arena(&arena);
      for (const std::string& row : rows) {
        if (&row != &rows[0]) statement += ", ";
        INDIGO_TRY(values_of(context, row, statement));
      }
    }
    note_work(statement.size());
    std::vector<RemoteRow> back;
    INDIGO_ASSIGN(const size_t n, ask(statement + end_of_insert(), shown_insert(begin, rows.size()), back));
    INDIGO_TRY(take_back(rows, n, back));
    return std::min(n, rows.size());
  }

  Result<size_t> insert_defaults(std::span<std::string> rows) {
    const std::string statement = "INSERT INTO " + remote_.table() + " DEFAULT VALUES" + end_of_insert();
    size_t written = 0;
    for (std::string& row : rows) {
      std::vector<RemoteRow> back;
      INDIGO_ASSIGN(const size_t n, ask(statement, statement, back));
      if (n == 0 || (spec_.returning && back.empty())) {
        row.clear();
        places_.emplace_back();
      } else if (spec_.returning) {
        INDIGO_TRY(read_back(back[0], row));
      }
      written += std::min<size_t>(n, 1);
    }
    return written;
  }

  Status take_back(std::span<std::string> rows, size_t n, const std::vector<RemoteRow>& back) {
    if (!spec_.returning) {
      if (spec_.one_by_one && n == 0) rows[0].clear();
      return {};
    }
    if (back.empty()) {
      rows[0].clear();
      places_.emplace_back();
      return {};
    }
    return read_back(back[0], rows[0]);
  }

  Result<bool> of_one(const std::string& statement, const std::string& shown, std::string* row) {
    std::vector<RemoteRow> back;
    INDIGO_ASSIGN(const size_t n, ask(statement, shown, back));
    if (n == 0 || (spec_.returning && back.empty())) return false;
    if (spec_.returning && row != nullptr) INDIGO_TRY(read_back(back[0], *row));
    return true;
  }

  // How many rows it has changed.
  Result<size_t> ask(const std::string& statement, const std::string& shown, std::vector<RemoteRow>& back) {
    INDIGO_ASSIGN(foreign_, foreign_connection(session_, relation().foreign->server, session_.user()));
    bool fits = true;
    const auto take = [&](const RemoteAnswer& row) {
      fits = fits && row.column_count() == returned_columns();
      if (fits) back.push_back(row.row(0));
    };
    INDIGO_ASSIGN(const RemoteAnswer answer, ask_foreign(session_, foreign_, statement, take, shown));
    if (!fits) return Error(SqlState("HV021"), "remote query result does not match the foreign table");
    size_t n = 0;
    const std::string affected = answer.affected();
    std::from_chars(affected.data(), affected.data() + affected.size(), n);
    return n;
  }

  // The row as it is there, as an image.
  Status read_back(const RemoteRow& texts, std::string& row) {
    const RemoteFormats formats(session_, *foreign_->connection);
    types::FuncContext context(session_.context());
    Arena arena;
    context.set_arena(&arena);
    std::vector<Datum> values;
    if (!remote_.read(context, remote_.columns(), texts, values)) return context.take_error();
    relation().layout.encode(values, row);
    if (!spec_.places) return {};
    const Datum place = types::type_input(context, {oid::kTid, -1, kInvalidOid}, texts.back().value_or(std::string()));
    if (context.failed()) return context.take_error();
    places_.emplace_back(place.str);
    return {};
  }

  SessionParts& session_;
  const RemoteRelation remote_;
  exec::ForeignChangeSpec spec_;
  std::shared_ptr<Foreign> foreign_;
  size_t batch_ = 1;
  std::vector<std::string> places_;  // of the rows that came back
};

}  // namespace

Result<std::unique_ptr<exec::ForeignChange>> open_remote_change(SessionParts& session,
                                                                std::shared_ptr<const catalog::RelationInfo> relation,
                                                                exec::ForeignChangeSpec spec) {
  auto change = std::make_unique<RemoteChange>(session, std::move(relation), std::move(spec));
  change->choose_batch();
  return std::unique_ptr<exec::ForeignChange>(std::move(change));
}

Status truncate_remote_tables(SessionParts& session,
                              std::span<const std::shared_ptr<const catalog::RelationInfo>> relations, bool cascade,
                              bool restart) {
  std::string names;
  for (const auto& relation : relations)
    names += (names.empty() ? "" : ", ") + RemoteRelation(session, relation).table();
  INDIGO_ASSIGN(const auto foreign, foreign_connection(session, relations[0]->foreign->server, session.user()));
  INDIGO_TRY(ask_foreign(session, foreign,
                         "TRUNCATE " + names + (restart ? " RESTART IDENTITY" : " CONTINUE IDENTITY") +
                             (cascade ? " CASCADE" : " RESTRICT")));
  return {};
}

}  // namespace indigo::engine
