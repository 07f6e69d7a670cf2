#include "log/recovery.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/mutation.h"
#include "base/server_log.h"
#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/file_error.h"
#include "log/record_stream.h"

namespace indigo::log {

namespace {

constexpr uint64_t kRecordsBetweenLooks = 1024;
constexpr const char* kRestoreHint =
    "Restore the directory from a backup, or from a copy of the damaged file; or save what can be read with \"indigo "
    "salvage\". "
    "Nothing has been changed.";

// The number of `prefix-NUMBER`; nullopt for other names.
std::optional<uint64_t> numbered(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uint64_t number = 0;
  const char* end = name.data() + name.size();
  auto [at, failed] = std::from_chars(name.data() + prefix.size(), end, number);
  if (failed != std::errc{} || at != end) return std::nullopt;
  return number;
}

struct Contents {
  bool initialized = false;
  std::map<uint64_t, std::string> logs, checkpoints;
  std::vector<std::string> temporary, others;
};

Result<Contents> examine(Directory& directory) {
  Contents c;
  INDIGO_ASSIGN(const auto names, directory.list());
  for (const std::string& name : names) {
    if (name == kFormatName) {
      c.initialized = true;
    } else if (name.ends_with(".tmp")) {
      c.temporary.push_back(name);
    } else if (auto log = numbered(name, "log-")) {
      c.logs[*log] = name;
    } else if (auto checkpoint = numbered(name, "checkpoint-")) {
      c.checkpoints[*checkpoint] = name;
    } else {
      c.others.push_back(name);
    }
  }
  return c;
}

Error corrupted(std::string message) {
  return Error(sqlstate::kDataCorrupted, std::move(message)).with_hint(kRestoreHint);
}

// Says now and then how far recovery has come.
class Progress {
 public:
  explicit Progress(std::chrono::milliseconds interval) : interval_(interval) {}

  void look(const Recovered& so_far) {
    const auto now = Clock::now();
    if (now - said_ < interval_) return;
    said_ = now;
    log_info("recovering: " + std::to_string(so_far.bytes >> 20) + " MB, " + std::to_string(so_far.transactions) +
             " transactions so far");
  }

 private:
  const std::chrono::milliseconds interval_;
  Clock::time_point said_ = Clock::now();
};

class Replay {
 public:
  Replay(Directory& directory, OperationSink& sink, Recovered& out, const RecoverOptions& options)
      : directory_(directory), sink_(sink), out_(out), lost_(options.lost), progress_(options.progress_interval) {}

  Status checkpoint(const std::string& name) {
    INDIGO_ASSIGN(const CheckpointHeader header, read_checkpoint_header(directory_, name));
    out_.checkpoint = {header.number, header.epoch, header.horizon};
    out_.stamp = stamp_ = header.stamp;
    epoch_ = header.epoch;
    horizon_ = header.horizon;
    const auto take = [&](const std::shared_ptr<const std::string>& chunk) {
      out_.bytes += chunk->size();
      progress_.look(out_);
      return sink_.chunk(chunk);
    };
    return read_checkpoint(directory_, name, take, lost_, [&](const CheckpointChunk& stream) {
      out_.bytes += stream->size();
      return remember(stream);
    });
  }
  void end() {
    for (auto& [transaction, stream] : prepared_) out_.prepared.push_back(std::move(stream));
  }
  uint64_t first_epoch() const { return epoch_; }
  // Something was lost: what follows is of another state.
  bool ended() const { return ended_; }

  // `cut`: the next epoch's word on where this one ended; without it, this is the last one.
  Status log(const std::string& name, std::optional<uint64_t> cut) {
    auto opened = EpochReader::open(directory_, name);
    if (!opened.ok()) return lost(std::move(*opened.take_error()));
    const std::shared_ptr<EpochReader> reader = std::move(*opened);
    sink_.keep(reader);  // its records lie in the mapped file
    if (reader->header().epoch != numbered(name, "log-")) {
      return lost(corrupted("log file \"" + directory_.path(name) + "\", offset 16: it belongs to another epoch"));
    }
    uint64_t lsn = reader->header().first_lsn;
    if (reader->header().epoch == epoch_) lsn = std::max(lsn, horizon_);
    parts_.clear();
    for (;; lsn++) {
      if (cut && lsn >= *cut) break;
      const auto record = reader->read(lsn);
      if (!record) {
        if (!cut) reader->learn_watermark(lsn + 1);
        INDIGO_TRY(reader->fault());
        if (mutated(Mutation::kIgnoreWatermark)) break;
        if (cut || lsn < reader->watermark()) return lost(gap(name, *reader, lsn));
        break;
      }
      out_.records++;
      out_.bytes += record->payload.size();
      if (out_.records % kRecordsBetweenLooks == 0) progress_.look(out_);
      if (!apply(*record, reader)) {
        return lost(corrupted(
            "log file \"" + directory_.path(name) + "\", block " + std::to_string(record->block) + ", offset " +
            std::to_string(uint64_t{record->block} * reader->geometry().block_bytes + uint64_t{record->line} * kLine) +
            ": the record with LSN " + std::to_string(lsn) + " has a right checksum but makes no sense"));
      }
    }
    if (!cut && !lost_ && !mutated(Mutation::kBelieveTheCache)) {
      INDIGO_TRY(reader->make_durable(std::max(reader->header().first_lsn, reader->watermark()), lsn));
    }
    const uint64_t entries = reader->geometry().segment_entries();
    out_.next.epoch = reader->header().epoch + (mutated(Mutation::kSameEpoch) ? 0 : 1);
    out_.next.previous_cut = lsn - (mutated(Mutation::kWrongCut) ? 1 : 0);
    out_.next.first_lsn = (lsn / entries + 1) * entries;
    return {};
  }

  // An error, unless what can be read is wanted: then the end.
  Status lost(Error error) {
    if (!lost_ || error.state != sqlstate::kDataCorrupted) return error;
    lost_(error.message);
    lost_("everything that was logged behind that place");
    ended_ = true;
    return {};
  }

 private:
  Error gap(const std::string& name, const EpochReader& reader, uint64_t lsn) const {
    return corrupted("log file \"" + directory_.path(name) + "\", " + reader.place_of(lsn) +
                     ", but everything up to LSN " + std::to_string(reader.watermark()) + " was durable");
  }

  bool apply(const Record& record, const std::shared_ptr<EpochReader>& reader) {
    const RecordHeader& h = record.header;
    switch (h.kind) {
      case RecordKind::kNotes: return sink_.stream(record.payload, h.kind);
      case RecordKind::kPart: {
        auto& parts = parts_[h.first_part != 0 ? h.first_part : h.lsn];
        if (parts == nullptr) parts = std::make_shared<std::string>();
        parts->append(record.payload);
        return true;
      }
      // At an equal stamp the checkpoint may be older than the clone; then there was no commit between them.
      case RecordKind::kClones: return h.stamp < stamp_ || sink_.stream(record.payload, h.kind);
      case RecordKind::kPrepare: {
        // Its parts were let go before the horizon was read: so it was in the checkpoint's list, or decided before it.
        if (h.first_part != 0 && h.epoch == epoch_ && h.first_part < horizon_) return true;
        const auto stream = h.first_part != 0 ? take_parts(h) : std::make_shared<std::string>();
        if (stream == nullptr) return false;
        stream->append(record.payload);
        return remember(stream);
      }
      // What the checkpoint has of it may be older than its decision, or younger.
      case RecordKind::kAbortPrepared: {
        const auto decided = prepared_head(record.payload);
        if (decided) prepared_.erase(std::string(decided->name));
        return decided.has_value();
      }
      case RecordKind::kCommit:
      case RecordKind::kCommitPrepared: break;
      default: return false;
    }
    out_.stamp = std::max(out_.stamp, h.stamp);
    if (h.kind == RecordKind::kCommitPrepared) return commit_prepared(record, reader);
    if (h.stamp <= stamp_) return true;  // in the checkpoint
    out_.transactions++;
    if (h.first_part == 0) return sink_.stream(record.payload, h.kind);
    const auto stream = take_parts(h);
    if (stream == nullptr) return false;
    stream->append(record.payload);
    return transaction(stream, reader);
  }

  std::shared_ptr<std::string> take_parts(const RecordHeader& h) {
    const auto parts = parts_.find(h.first_part);
    if (parts == parts_.end()) return nullptr;
    auto stream = std::move(parts->second);
    parts_.erase(parts);
    return stream;
  }

  // A transaction whose operations lie in memory.
  bool transaction(const std::shared_ptr<const std::string>& stream, const std::shared_ptr<EpochReader>& reader) {
    sink_.keep(stream);
    const bool ok = sink_.stream(*stream, RecordKind::kCommit);
    sink_.keep(reader);
    return ok;
  }

  bool remember(const std::shared_ptr<const std::string>& stream) {
    const auto head = prepared_head(*stream);
    if (head) prepared_[std::string(head->name)] = stream;
    return head.has_value();
  }

  bool commit_prepared(const Record& record, const std::shared_ptr<EpochReader>& reader) {
    const auto decided = prepared_head(record.payload);
    if (!decided) return false;
    const auto at = prepared_.find(std::string(decided->name));
    if (record.header.stamp <= stamp_) {  // in the checkpoint, whose list of prepared ones may be older
      if (at != prepared_.end()) prepared_.erase(at);
      return true;
    }
    if (at == prepared_.end()) return false;
    const auto stream = std::move(at->second);
    prepared_.erase(at);
    out_.transactions++;
    return transaction(stream, reader);
  }

  Directory& directory_;
  OperationSink& sink_;
  Recovered& out_;
  const std::function<void(std::string_view)> lost_;
  bool ended_ = false;
  Progress progress_;
  uint64_t stamp_ = 0, epoch_ = 1, horizon_ = 0;
  std::map<uint64_t, std::shared_ptr<std::string>> parts_;              // by first part
  std::map<std::string, std::shared_ptr<const std::string>> prepared_;  // by name
};

// The newest that is whole. Nothing may reach the sink twice, so it is read through beforehand. Of the oldest there is no
// other choice: what is wrong with it is found when it is read.
Result<std::string> choose_checkpoint(Directory& directory, const Contents& c) {
  for (auto at = std::prev(c.checkpoints.end()); at != c.checkpoints.begin(); --at) {
    Status whole = verify_checkpoint(directory, at->second);
    if (whole.ok()) return at->second;
    if (whole.error().state != sqlstate::kDataCorrupted) return whole.take_error();
    log_error(whole.error().message + "; recovery begins with the checkpoint before");
  }
  return c.checkpoints.begin()->second;
}

// The newest that is whole; else the newest that says what it is.
Result<std::string> most_of_a_checkpoint(Directory& directory, const Contents& c,
                                         const std::function<void(std::string_view)>& lost) {
  std::string partly;
  for (auto at = c.checkpoints.rbegin(); at != c.checkpoints.rend(); ++at) {
    const Status whole = verify_checkpoint(directory, at->second);
    if (whole.ok()) return at->second;
    lost(whole.error().message);
    if (partly.empty() && read_checkpoint_header(directory, at->second).ok()) partly = at->second;
  }
  if (!partly.empty()) return partly;
  return corrupted("no checkpoint in directory \"" + directory.path(".") + "\" can be read");
}

}  // namespace

Status mark_unfinished(Directory& directory) {
  INDIGO_ASSIGN(auto file, directory.create_file(kUnfinishedBackup));
  INDIGO_TRY(file->append("An Indigo data directory that has not been finished.\n"));
  INDIGO_TRY(file->sync());
  return directory.sync();
}

Result<Recovered> recover(Directory& directory, OperationSink& sink, const RecoverOptions& options) {
  Recovered out;
  INDIGO_ASSIGN(Contents c, examine(directory));
  if (std::find(c.others.begin(), c.others.end(), kUnfinishedBackup) != c.others.end()) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "directory \"" + directory.path(".") + "\" holds a backup that was not finished")
        .with_hint("Remove it, and use or make another one.");
  }
  const bool salvaging = options.lost != nullptr;
  if (!c.initialized && !(salvaging && (!c.checkpoints.empty() || !c.logs.empty()))) {
    // A first start may have ended early: it has acknowledged nothing, and left at most its own empty log.
    if (!c.others.empty() || !c.checkpoints.empty() || c.logs.size() > 1 ||
        (!c.logs.empty() && c.logs.begin()->first != 1)) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "directory \"" + directory.path(".") + "\" is not empty and not a data directory of Indigo")
          .with_hint("Name a new or empty directory, or one that Indigo has made.");
    }
    out.fresh = true;
    if (salvaging) return out;
    for (const auto& name : c.temporary) INDIGO_TRY(directory.remove(name));
    for (const auto& [epoch, name] : c.logs) INDIGO_TRY(directory.remove(name));
    return out;
  }
  Replay replay(directory, sink, out, options);
  if (!c.checkpoints.empty()) {
    INDIGO_ASSIGN(const std::string name,
                  salvaging ? most_of_a_checkpoint(directory, c, options.lost) : choose_checkpoint(directory, c));
    out.newest_checkpoint = c.checkpoints.rbegin()->first;
    INDIGO_TRY(replay.checkpoint(name));
  }
  uint64_t expected = replay.first_epoch();
  for (auto at = c.logs.lower_bound(expected); at != c.logs.end() && !replay.ended(); expected++) {
    if (at->first != expected) break;
    auto next = std::next(at);
    std::optional<uint64_t> cut;
    if (next != c.logs.end()) {
      auto header = EpochReader::open(directory, next->second);
      if (header.ok()) {
        cut = (*header)->header().previous_cut;
      } else if (!salvaging) {
        return header.take_error();
      }
    }
    INDIGO_TRY(replay.log(at->second, cut));
    at = next;
  }
  const uint64_t last = c.logs.empty() ? 0 : c.logs.rbegin()->first;
  if (!replay.ended() && (expected <= last || expected == replay.first_epoch())) {
    INDIGO_TRY(replay.lost(
        corrupted("the log file \"" + directory.path(WriteAheadLog::file_name(expected)) + "\" is missing")));
  }
  replay.end();
  if (salvaging) return out;
  for (const auto& name : c.temporary) INDIGO_TRY(directory.remove(name));
  return out;
}

Status remove_before(Directory& directory, uint64_t checkpoint, uint64_t epoch) {
  INDIGO_ASSIGN(const Contents c, examine(directory));
  // The order does not matter: all are below the checkpoint's epoch, so they are not read.
  for (const auto& [number, name] : c.checkpoints) {
    if (number < checkpoint) INDIGO_TRY(directory.remove(name));
  }
  for (const auto& [number, name] : c.logs) {
    if (number < epoch) INDIGO_TRY(directory.remove(name));
  }
  return {};
}

}  // namespace indigo::log
