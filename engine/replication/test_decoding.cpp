// PostgreSQL's example plugin, which tests and tools read: a line for each change.
#include <optional>

#include "base/sqlstate.h"
#include "engine/replication/output_plugin.h"
#include "engine/system/catalog_rows.h"
#include "types/oids.h"
#include "types/text/boolean_word.h"
#include "types/text/strings.h"

namespace indigo::engine::replication {

namespace {

class TestDecoding final : public OutputPlugin {
 public:
  using OutputPlugin::OutputPlugin;

  Status set_options(std::span<const PluginOption> options) override {
    for (const auto& [name, value] : options) {
      bool* flag = name == "include-xids"        ? &include_xids_
                   : name == "include-timestamp" ? &include_timestamp_
                   : name == "skip-empty-xacts"  ? &skip_empty_
                   : name == "force-binary"      ? &binary_
                   : name == "only-local"        ? &ignored_
                   : name == "include-rewrites"  ? &ignored_
                   : name == "stream-changes"    ? &ignored_
                                                 : nullptr;
      if (flag == nullptr) {
        return Error(sqlstate::kInvalidParameterValue,
                     "option \"" + name + "\" = \"" + value.value_or("(null)") + "\" is unknown");
      }
      // Named alone it is on, but for only-local and its like, where that means nothing here.
      if (!value) {
        *flag = true;
        continue;
      }
      const auto read = types::boolean_word(*value);
      if (!read) {
        return Error(sqlstate::kInvalidParameterValue,
                     "could not parse value \"" + *value + "\" for parameter \"" + name + "\"");
      }
      *flag = *read;
    }
    return {};
  }
  bool binary() const override { return binary_; }

 protected:
  bool tells_prepare(std::string_view name) const override { return name.find("_nodecode") == std::string_view::npos; }

  Status write(const CommittedChanges& changes, bool prepares, const Out& out) override {
    look_at_catalog();
    const std::string xid = include_xids_ ? " " + std::to_string(changes.transaction) : "";
    if (changes.transactional() && !skip_empty_) INDIGO_TRY(out(changes.begin, "BEGIN" + xid));
    bool begun = !skip_empty_;
    uint64_t position = changes.begin;
    for (const RowChange& change : changes.changes) {
      if (change.kind == RowChange::Kind::kMessage) {
        INDIGO_TRY(out(position, message_line(changes, change)));
      } else {
        if (!begun) INDIGO_TRY(out(position, "BEGIN" + xid));
        begun = true;
        line_.clear();
        INDIGO_TRY(change_line(change));
        INDIGO_TRY(out(position, line_));
      }
      position += change.bytes();
    }
    if (!begun || !changes.transactional()) return {};
    if (prepares) {
      prepared_line("PREPARE TRANSACTION", changes);
      INDIGO_TRY(add_time(changes.prepared.prepared_at));
      return out(changes.prepared.end, line_);
    }
    line_ = "COMMIT" + xid;
    INDIGO_TRY(add_time(changes.committed_at));
    return out(changes.end, line_);
  }

  Status write_end(const CommittedChanges& changes, const Out& out) override {
    const bool commits = changes.kind == CommittedChanges::Kind::kCommitPrepared;
    prepared_line(commits ? "COMMIT PREPARED" : "ROLLBACK PREPARED", changes);
    INDIGO_TRY(add_time(changes.committed_at));
    return out(changes.end, line_);
  }

 private:
  void prepared_line(const char* what, const CommittedChanges& changes) {
    line_ = std::string(what) + " " + types::quote_literal(changes.prepared.name);
    if (include_xids_) line_ += ", txid " + std::to_string(changes.transaction);
  }

  Status add_time(int64_t time) {
    if (!include_timestamp_) return {};
    line_ += " (at ";
    INDIGO_TRY(value_text(types::TypeRef{oid::kTimestampTz, -1, kInvalidOid}, Datum::of(time), line_));
    line_ += ')';
    return {};
  }

  static std::string message_line(const CommittedChanges& changes, const RowChange& change) {
    return "message: transactional: " + std::to_string(changes.transactional() ? 1 : 0) + " prefix: " + change.old_row +
           ", sz: " + std::to_string(change.new_row.size()) + " content:" + change.new_row;
  }

  static std::string table_name(const catalog::RelationInfo& relation) {
    return types::quote_identifier(relation.schema_name) + "." + types::quote_identifier(relation.name);
  }

  Status change_line(const RowChange& change) {
    if (change.kind == RowChange::Kind::kTruncate) {
      line_ = "table ";
      for (size_t i = 0; i < change.truncated.size(); i++) {
        line_ += (i > 0 ? ", " : "") + table_name(*change.truncated[i]);
      }
      line_ += ": TRUNCATE:";
      if (change.restarts_sequences) line_ += " restart_seqs";
      if (change.cascades) line_ += " cascade";
      if (!change.restarts_sequences && !change.cascades) line_ += " (no-flags)";
      return {};
    }
    const catalog::RelationInfo& relation = *change.relation;
    line_ = "table " + table_name(relation) + ":";
    const ReplicaIdentity& identity = *change.identity;
    switch (change.kind) {
      case RowChange::Kind::kInsert: line_ += " INSERT:"; return row_text(change, change.new_row, nullptr, false);
      case RowChange::Kind::kUpdate:
        line_ += " UPDATE:";
        if (!identity.none() && (identity.kind == 'f' || identity_changes(change))) {
          line_ += " old-key:";
          INDIGO_TRY(row_text(change, change.old_row, &identity, true));
          line_ += " new-tuple:";
        }
        return row_text(change, change.new_row, nullptr, false);
      default:
        line_ += " DELETE:";
        if (identity.none()) {
          line_ += " (no-tuple-data)";
          return {};
        }
        return row_text(change, change.old_row, &identity, true);
    }
  }

  Status row_text(const RowChange& change, Bytes row, const ReplicaIdentity* only, bool skip_nulls) {
    const catalog::RelationInfo& relation = *change.relation;
    const ChangedTable& table = table_of(change);
    for (const types::ColumnInfo& column : relation.columns) {
      if (column.dropped || (only != nullptr && !only->has(column.number))) continue;
      const Datum value = relation.layout.column(row, static_cast<size_t>(column.number) - 1);
      if (value.null && skip_nulls) continue;
      line_ += ' ' + types::quote_identifier(column.name) + '[' + type_name(table, column.type.oid) + "]:";
      if (value.null) {
        line_ += "null";
        continue;
      }
      text_.clear();
      INDIGO_TRY(value_text(table, column.type, value, text_));
      add_literal(column.type.oid);
    }
    return {};
  }

  void add_literal(Oid type) {
    switch (type) {
      case oid::kInt2:
      case oid::kInt4:
      case oid::kInt8:
      case oid::kOid:
      case oid::kFloat4:
      case oid::kFloat8:
      case oid::kNumeric: line_ += text_; return;
      case oid::kBit:
      case oid::kVarbit: line_ += "B'" + text_ + "'"; return;
      case oid::kBool: line_ += text_ == "t" ? "true" : "false"; return;
      default: break;
    }
    line_ += '\'';
    for (const char c : text_) {
      if (c == '\'') line_ += c;
      line_ += c;
    }
    line_ += '\'';
  }

  bool include_xids_ = true, include_timestamp_ = false, skip_empty_ = false, binary_ = false, ignored_ = false;
  std::string line_, text_;
};

}  // namespace

std::unique_ptr<OutputPlugin> make_test_decoding(SessionParts& session) {
  return std::make_unique<TestDecoding>(session);
}

}  // namespace indigo::engine::replication
