// PostgreSQL's own protocol between publisher and subscriber (documentation, chapter 55.9), versions 1 to 3; transactions in
// progress are not streamed. A transaction of which nothing is published is not told at all, but for one that is prepared.
#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "base/bytes.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/replication/output_plugin.h"
#include "engine/replication/published_tables.h"
#include "types/text/boolean_word.h"

namespace indigo::engine::replication {

namespace {

constexpr Oid kFirstOwnType = 10000;  // types below are the same everywhere

class MessageBytes {
 public:
  void begin(char type) { bytes_.assign(1, type); }
  void byte(char c) { bytes_.push_back(c); }
  void int16(uint16_t n) { put(n); }
  void int32(uint32_t n) { put(n); }
  void int64(uint64_t n) { put(n); }
  void string(std::string_view s) { bytes_.append(s).push_back('\0'); }
  void counted(std::string_view s) {
    int32(static_cast<uint32_t>(s.size()));
    bytes_.append(s);
  }
  std::string_view view() const { return bytes_; }

 private:
  template <class T>
  void put(T n) {
    char raw[sizeof(T)];
    store_unaligned(raw, big_endian(n));
    bytes_.append(raw, sizeof(T));
  }
  std::string bytes_;
};

class PgOutput final : public OutputPlugin {
 public:
  using OutputPlugin::OutputPlugin;

  Status set_options(std::span<const PluginOption> options) override {
    uint32_t version = 0;
    bool streams = false;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : options) {
      if (!seen.insert(name).second) return Error(sqlstate::kSyntaxError, "conflicting or redundant options");
      const std::string text = value.value_or("");
      if (name == "proto_version") {
        INDIGO_ASSIGN(version, read_version(text));
      } else if (name == "publication_names") {
        INDIGO_TRY(read_names(text));
      } else if (name == "binary" || name == "messages" || name == "streaming" || name == "two_phase") {
        const auto flag = value ? types::boolean_word(text) : std::optional(true);
        if (!flag) return Error(sqlstate::kSyntaxError, name + " requires a Boolean value");
        if (name == "binary") binary_ = *flag;
        if (name == "messages") messages_ = *flag;
        if (name == "streaming") streams = *flag;
        if (name == "two_phase") two_phase_ = *flag;
      } else {
        return Error(sqlstate::kSyntaxError, "unrecognized pgoutput option: " + name);
      }
    }
    INDIGO_TRY(check_version(version));
    if (publications_.empty()) {
      return Error(sqlstate::kInvalidParameterValue, "publication_names parameter missing");
    }
    if (streams && version < kStreamingVersion) return needs_version(version, "streaming", kStreamingVersion);
    if (two_phase_ && version < kTwoPhaseVersion) return needs_version(version, "two-phase commit", kTwoPhaseVersion);
    return {};
  }
  bool binary() const override { return true; }
  bool asks_for_two_phase() const override { return two_phase_; }

 protected:
  Status write(const CommittedChanges& changes, bool prepares, const Out& out) override {
    look_at_catalog();
    truncated_.clear();
    begun_ = false;
    if (prepares) INDIGO_TRY(begin_prepare(changes, out));
    uint64_t position = changes.begin;
    for (const RowChange& change : changes.changes) {
      const Place place{changes, position, out};
      switch (change.kind) {
        case RowChange::Kind::kMessage: INDIGO_TRY(send_message(place, change)); break;
        case RowChange::Kind::kTruncate: INDIGO_TRY(send_truncate(place, change)); break;
        default: INDIGO_TRY(send_row(place, change)); break;
      }
      position += change.bytes();
    }
    if (prepares) return put_prepare(changes, out);
    if (!begun_) return {};
    message_.begin('C');
    message_.byte(0);
    message_.int64(changes.commit);
    message_.int64(changes.end);
    message_.int64(static_cast<uint64_t>(changes.committed_at));
    return out(changes.end, message_.view());
  }

  Status write_end(const CommittedChanges& changes, const Out& out) override {
    const bool commits = changes.kind == CommittedChanges::Kind::kCommitPrepared;
    message_.begin(commits ? 'K' : 'r');
    message_.byte(0);
    message_.int64(commits ? changes.commit : changes.prepared.end);
    message_.int64(changes.end);
    if (!commits) message_.int64(static_cast<uint64_t>(changes.prepared.prepared_at));
    message_.int64(static_cast<uint64_t>(changes.committed_at));
    message_.int32(static_cast<uint32_t>(changes.transaction));
    message_.string(changes.prepared.name);
    return out(changes.end, message_.view());
  }

  void forget() override {
    OutputPlugin::forget();
    read_ = false;
  }

 private:
  static constexpr uint32_t kStreamingVersion = 2, kTwoPhaseVersion = 3;

  static Error needs_version(uint32_t version, const std::string& what, uint32_t least) {
    return Error(sqlstate::kInvalidParameterValue, "requested proto_version=" + std::to_string(version) +
                                                       " does not support " + what + ", need " + std::to_string(least) +
                                                       " or higher");
  }

  void put_prepared_place(const CommittedChanges& changes) {
    message_.int64(changes.prepared.prepare);
    message_.int64(changes.prepared.end);
    message_.int64(static_cast<uint64_t>(changes.prepared.prepared_at));
    message_.int32(static_cast<uint32_t>(changes.transaction));
    message_.string(changes.prepared.name);
  }

  Status begin_prepare(const CommittedChanges& changes, const Out& out) {
    begun_ = true;
    message_.begin('b');
    put_prepared_place(changes);
    return out(changes.begin, message_.view());
  }

  Status put_prepare(const CommittedChanges& changes, const Out& out) {
    message_.begin('P');
    message_.byte(0);
    put_prepared_place(changes);
    return out(changes.prepared.end, message_.view());
  }

  static Result<uint32_t> read_version(const std::string& text) {
    uint32_t version = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc() || at != text.data() + text.size()) {
      return Error(sqlstate::kInvalidParameterValue, "invalid proto_version");
    }
    return version;
  }

  static Status check_version(uint32_t version) {
    const std::string sent = "client sent proto_version=" + std::to_string(version) + " but we only support protocol ";
    if (version > kTwoPhaseVersion) return Error(sqlstate::kFeatureNotSupported, sent + "3 or lower");
    if (version < 1) return Error(sqlstate::kFeatureNotSupported, sent + "1 or higher");
    return {};
  }

  // "a","B c"
  Status read_names(std::string_view text) {
    publications_.clear();
    const auto bad = [] { return Error(sqlstate::kInvalidName, "invalid publication_names syntax"); };
    size_t i = 0;
    const auto blanks = [&] {
      while (i < text.size() && text[i] == ' ') i++;
    };
    for (;;) {
      blanks();
      std::string name;
      if (i < text.size() && text[i] == '"') {
        for (i++;; i++) {
          if (i >= text.size()) return bad();
          if (text[i] == '"' && (i + 1 >= text.size() || text[i + 1] != '"')) break;
          if (text[i] == '"') i++;
          name += text[i];
        }
        i++;
      } else {
        while (i < text.size() && text[i] != ',' && text[i] != ' ') {
          name += static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
          i++;
        }
      }
      if (name.empty()) return bad();
      publications_.push_back(std::move(name));
      blanks();
      if (i >= text.size()) return {};
      if (text[i++] != ',') return bad();
    }
  }

  // Of one change.
  struct Place {
    const CommittedChanges& changes;
    uint64_t position;
    const Out& out;
  };
  using Relation = RowChange::Relation;
  using Row = std::vector<Datum>;

  Status send(const Place& place) { return place.out(place.position, message_.view()); }

  Status begin(const Place& place) {
    if (begun_ || !place.changes.transactional()) return {};
    begun_ = true;
    MessageBytes begin;
    begin.begin('B');
    begin.int64(place.changes.commit);
    begin.int64(static_cast<uint64_t>(place.changes.committed_at));
    begin.int32(static_cast<uint32_t>(place.changes.transaction));
    return place.out(place.changes.begin, begin.view());
  }

  Result<const PublishedTable*> published(const TableThen& table, const std::vector<TableThen>& above) {
    if (!read_) INDIGO_TRY(published_.read(session(), publications_));
    read_ = true;
    return published_.find(session(), table, above);
  }

  Status send_message(const Place& place, const RowChange& change) {
    if (!messages_) return {};
    INDIGO_TRY(begin(place));
    message_.begin('M');
    message_.byte(place.changes.transactional() ? 1 : 0);
    message_.int64(place.position);
    message_.string(change.old_row);
    message_.counted(change.new_row);
    return send(place);
  }

  Status send_truncate(const Place& place, const RowChange& change) {
    std::vector<Oid> told;
    for (const Relation& table : change.truncated) described_.erase(table->oid);  // PostgreSQL describes them again
    for (const Relation& table : change.truncated) {
      const auto& now = truncated_.emplace_back(changed_table(session().session_catalog(), table));
      const TableThen then{table, now};
      INDIGO_ASSIGN(const PublishedTable* found, published(then, now->above));
      if (!found->truncates || (table->is_partition && found->as.relation->oid != table->oid)) continue;
      INDIGO_TRY(begin(place));
      INDIGO_TRY(describe(place, then, *found));
      told.push_back(table->oid);
    }
    if (told.empty()) return {};
    message_.begin('T');
    message_.int32(static_cast<uint32_t>(told.size()));
    message_.byte(static_cast<char>((change.cascades ? 1 : 0) | (change.restarts_sequences ? 2 : 0)));
    for (const Oid table : told) message_.int32(table);
    return send(place);
  }

  Status send_row(const Place& place, const RowChange& change) {
    INDIGO_ASSIGN(const PublishedTable* found, published({change.relation, change.identity}, table_of(change).above));
    const bool wanted = change.kind == RowChange::Kind::kInsert   ? found->inserts
                        : change.kind == RowChange::Kind::kUpdate ? found->updates
                                                                  : found->deletes;
    if (!wanted) return {};
    const bool itself = found->as.relation->oid == change.relation->oid;
    const TableThen then{change.relation, change.identity};
    const TableThen& told = itself ? then : found->as;
    // What subscribers are told of the old row.
    const ReplicaIdentity& identity = *change.identity;
    const bool has_old = change.kind == RowChange::Kind::kDelete
                             ? !identity.none()
                             : change.kind == RowChange::Kind::kUpdate && !identity.none() &&
                                   (identity.kind == 'f' || identity_changes(change));
    if (change.kind == RowChange::Kind::kDelete && !has_old) return {};
    Row before, after;
    if (has_old) before = row_of(change, change.old_row, *told.relation, &identity);
    if (change.kind != RowChange::Kind::kDelete) after = row_of(change, change.new_row, *told.relation, nullptr);
    RowChange::Kind kind = change.kind;
    INDIGO_ASSIGN(const bool passes, filter(*found, has_old, before, after, kind));
    if (!passes) return {};
    INDIGO_TRY(begin(place));
    INDIGO_TRY(describe(place, then, *found));
    const char old_kind = told.identity->kind == 'f' ? 'O' : 'K';
    message_.begin(kind == RowChange::Kind::kInsert ? 'I' : kind == RowChange::Kind::kUpdate ? 'U' : 'D');
    message_.int32(told.relation->oid);
    if (has_old && kind != RowChange::Kind::kInsert) {
      message_.byte(old_kind);
      INDIGO_TRY(put_row(change, before, *told.relation, *found));
    }
    if (kind != RowChange::Kind::kDelete) {
      message_.byte('N');
      INDIGO_TRY(put_row(change, after, *told.relation, *found));
    }
    return send(place);
  }

  // Whether the change is published; an update that takes a row into what is published, or out of it, is told as an insert or a
  // delete.
  static Result<bool> filter(const PublishedTable& table, bool has_old, const Row& before, const Row& after,
                             RowChange::Kind& kind) {
    RowFilter* condition = kind == RowChange::Kind::kInsert   ? table.inserted.get()
                           : kind == RowChange::Kind::kUpdate ? table.updated.get()
                                                              : table.deleted.get();
    if (condition == nullptr) return true;
    if (kind == RowChange::Kind::kInsert || (kind == RowChange::Kind::kUpdate && !has_old))
      return condition->holds(after);
    if (kind == RowChange::Kind::kDelete) return condition->holds(before);
    INDIGO_ASSIGN(const bool was, condition->holds(before));
    INDIGO_ASSIGN(const bool is, condition->holds(after));
    if (!was && is) kind = RowChange::Kind::kInsert;
    if (was && !is) kind = RowChange::Kind::kDelete;
    return was || is;
  }

  static bool is_sent(const types::ColumnInfo& column, const PublishedTable& table) {
    if (column.dropped || column.generated != 0) return false;
    return table.columns.empty() || std::binary_search(table.columns.begin(), table.columns.end(), column.number);
  }

  // The row in the columns of `told`, of which the row's own table may have others in another order; null where it is not told.
  static Row row_of(const RowChange& change, Bytes row, const catalog::RelationInfo& told,
                    const ReplicaIdentity* only) {
    Row out;
    for (const types::ColumnInfo& column : told.columns) {
      const types::ColumnInfo* own = column.dropped                   ? nullptr
                                     : change.relation.get() == &told ? &column
                                                                      : change.relation->find_column(column.name);
      if (own == nullptr || (only != nullptr && !only->has(own->number))) {
        out.push_back(Datum::make_null(told.layout.phys(static_cast<size_t>(column.number) - 1)));
      } else {
        out.push_back(change.relation->layout.column(row, static_cast<size_t>(own->number) - 1));
      }
    }
    return out;
  }

  Status put_row(const RowChange& change, const Row& row, const catalog::RelationInfo& told,
                 const PublishedTable& table) {
    message_.int16(sent_columns(told, table));
    for (size_t c = 0; c < row.size(); c++) {
      const types::ColumnInfo& column = told.columns[c];
      if (!is_sent(column, table)) continue;
      if (row[c].null) {
        message_.byte('n');
        continue;
      }
      value_.clear();
      const ChangedTable& then = table_of(change);
      INDIGO_TRY(binary_ ? value_binary(then, column.type, row[c], value_)
                         : value_text(then, column.type, row[c], value_));
      message_.byte(binary_ ? 'b' : 't');
      message_.counted(value_);
    }
    return {};
  }

  static uint16_t sent_columns(const catalog::RelationInfo& relation, const PublishedTable& table) {
    return static_cast<uint16_t>(std::count_if(relation.columns.begin(), relation.columns.end(),
                                               [&](const types::ColumnInfo& c) { return is_sent(c, table); }));
  }

  // The table's shape before the first of its rows, and again when it has changed; each time before it that of the table that it is
  // told as.
  Status describe(const Place& place, const TableThen& then, const PublishedTable& table) {
    Described& known = described_[then.relation->oid];
    if (known.relation == then.relation && known.identity == then.identity && known.catalog == catalog_version())
      return {};
    const ChangedTable& changed = table_of(*then.identity);
    const bool itself = table.as.relation->oid == then.relation->oid;
    const MessageBytes above = itself ? MessageBytes() : shape_of(table.as, table);
    const MessageBytes own = shape_of(then, table);
    std::string shapes(above.view());
    shapes += own.view();
    known.relation = then.relation;
    known.identity = then.identity;
    known.catalog = catalog_version();
    if (known.shapes == shapes) return {};
    known.shapes = std::move(shapes);
    if (!itself) {
      INDIGO_TRY(describe_types(place, changed, *table.as.relation, table));
      message_ = above;
      INDIGO_TRY(send(place));
    }
    INDIGO_TRY(describe_types(place, changed, *then.relation, table));
    message_ = own;
    return send(place);
  }

  static MessageBytes shape_of(const TableThen& then, const PublishedTable& table) {
    const catalog::RelationInfo& relation = *then.relation;
    const ReplicaIdentity& identity = *then.identity;
    MessageBytes shape;
    shape.begin('R');
    shape.int32(relation.oid);
    shape.string(relation.schema_name == "pg_catalog" ? "" : relation.schema_name);
    shape.string(relation.name);
    shape.byte(identity.kind);
    shape.int16(sent_columns(relation, table));
    for (const types::ColumnInfo& column : relation.columns) {
      if (!is_sent(column, table)) continue;
      shape.byte(identity.kind == 'f' || identity.has(column.number) ? 1 : 0);
      shape.string(column.name);
      shape.int32(column.type.oid);
      shape.int32(static_cast<uint32_t>(column.type.typmod));
    }
    return shape;
  }

  Status describe_types(const Place& place, const ChangedTable& then, const catalog::RelationInfo& relation,
                        const PublishedTable& table) {
    for (const types::ColumnInfo& column : relation.columns) {
      if (is_sent(column, table) && column.type.oid >= kFirstOwnType)
        INDIGO_TRY(describe_type(place, catalog_of(then), column.type.oid));
    }
    return {};
  }

  // Of a domain: its base type's name.
  Status describe_type(const Place& place, CatalogThen& catalog, Oid oid) {
    auto type = catalog.type(oid);
    while (type != nullptr && type->kind == 'd') type = catalog.type(type->base);
    if (type == nullptr) return {};
    message_.begin('Y');
    message_.int32(oid);
    const std::string schema = catalog.schema_name(type->schema);
    message_.string(schema == "pg_catalog" ? "" : schema);
    message_.string(type->name);
    return send(place);
  }

  std::vector<std::string> publications_;
  bool binary_ = false, messages_ = false, two_phase_ = false, read_ = false, begun_ = false;
  PublishedTables published_;
  struct Described {
    Relation relation;
    std::shared_ptr<const ReplicaIdentity> identity;
    uint64_t catalog = 0;
    std::string shapes;  // as they were said
  };
  std::unordered_map<Oid, Described> described_;
  std::vector<std::shared_ptr<const ChangedTable>> truncated_;  // by the transaction that is written
  MessageBytes message_;
  std::string value_;
};

}  // namespace

std::unique_ptr<OutputPlugin> make_pgoutput(SessionParts& session) { return std::make_unique<PgOutput>(session); }

}  // namespace indigo::engine::replication
