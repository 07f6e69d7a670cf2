// How far a COPY is, for pg_stat_progress_copy: bytes as they come or go, rows as they are written.
// Thread safety: none; one COPY.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/copy/copy_target.h"
#include "engine/row_sink.h"
#include "engine/session/progress.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

// `relation`: kInvalidOid for a query.
class CopyProgress {
 public:
  CopyProgress(Progress& progress, const PgQuery__CopyStmt& statement, Oid relation);
  // Of a file that is read.
  void expect(uint64_t bytes) { shown_.set(progress::copy::kBytesTotal, static_cast<int64_t>(bytes)); }
  void moved(size_t bytes) { shown_.add(progress::copy::kBytesDone, static_cast<int64_t>(bytes)); }
  void rows(uint64_t done, uint64_t excluded) {
    shown_.set(progress::copy::kTuplesDone, static_cast<int64_t>(done));
    shown_.set(progress::copy::kTuplesExcluded, static_cast<int64_t>(excluded));
  }

 private:
  ProgressOf shown_;
};

// The bytes of a source, or to a target, counted.
class CountedCopySource final : public CopySource {
 public:
  // Both outlive this.
  CountedCopySource(CopySource& bytes, CopyProgress& progress) : bytes_(bytes), progress_(progress) {}
  Result<bool> read(std::string& out) override {
    const size_t before = out.size();
    auto more = bytes_.read(out);
    progress_.moved(out.size() - before);
    return more;
  }

 private:
  CopySource& bytes_;
  CopyProgress& progress_;
};

class CountedCopyTarget final : public CopyTarget {
 public:
  CountedCopyTarget(std::unique_ptr<CopyTarget> bytes, CopyProgress& progress)
      : bytes_(std::move(bytes)), progress_(progress) {}
  void begin(CopyFormat format, uint32_t column_count) override { bytes_->begin(format, column_count); }
  Status data(std::string_view bytes) override {
    progress_.moved(bytes.size());
    return bytes_->data(bytes);
  }
  Status end() override { return bytes_->end(); }

 private:
  const std::unique_ptr<CopyTarget> bytes_;
  CopyProgress& progress_;
};

// Of a regular file that COPY FROM reads on the server; 0 where there is none.
uint64_t bytes_of_server_file(const PgQuery__CopyStmt& statement);

}  // namespace indigo::engine
