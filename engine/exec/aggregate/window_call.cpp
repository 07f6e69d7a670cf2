#include "engine/exec/aggregate/window_call.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"

namespace indigo::engine::exec {
namespace {

constexpr SqlState kInvalidNtile{"22014"}, kInvalidNthValue{"22016"};
constexpr uint64_t kUnitsOfRow = 4;

// pg_proc OIDs.
enum Function : Oid {
  kRowNumber = 3100,
  kRank = 3101,
  kDenseRank = 3102,
  kPercentRank = 3103,
  kCumeDist = 3104,
  kNtile = 3105,
  kLag = 3106,
  kLagOffset = 3107,
  kLagDefault = 3108,
  kLead = 3109,
  kLeadOffset = 3110,
  kLeadDefault = 3111,
  kFirstValue = 3112,
  kLastValue = 3113,
  kNthValue = 3114,
};

int64_t integer(const Datum& d) { return d.phys == Phys::kI32 ? d.i32 : d.i64; }

// row_number, rank, dense_rank, percent_rank, cume_dist, ntile: positions in the partition.
class RankingCall final : public WindowCall {
 public:
  explicit RankingCall(Oid function) : function_(function) {}
  Status compute(QueryState&, const WindowPartition& p, WindowFrame&, Arena&, std::vector<Datum>& values) override {
    uint32_t n = p.size();
    if (function_ == kNtile) return ntile(p, values);
    for (uint32_t i = 0; i < n; i++) {
      int64_t rank = int64_t{p.peer_begin[i]} + 1;
      switch (function_) {
        case kRowNumber: values.push_back(Datum::of(int64_t{i} + 1)); break;
        case kRank: values.push_back(Datum::of(rank)); break;
        case kDenseRank: values.push_back(Datum::of(int64_t{p.group[i]} + 1)); break;
        case kPercentRank:
          values.push_back(Datum::of(n > 1 ? static_cast<double>(rank - 1) / static_cast<double>(n - 1) : 0.0));
          break;
        default: values.push_back(Datum::of(static_cast<double>(p.peer_end[i]) / static_cast<double>(n))); break;
      }
    }
    return {};
  }

 private:
  Status ntile(const WindowPartition& p, std::vector<Datum>& values) {
    // Up to the first row that has a number of buckets the answer is null; from there that number counts.
    const int64_t all = p.size();
    int64_t first = 0;
    Datum buckets = Datum::make_null(Phys::kI32);
    for (; first < all; first++) {
      buckets = argument(p, 0, static_cast<uint32_t>(first));
      if (!buckets.null) break;
      values.push_back(Datum::make_null(Phys::kI32));
    }
    if (buckets.null) return {};
    if (integer(buckets) <= 0) return Error(kInvalidNtile, "argument of ntile must be greater than zero");
    const int64_t n = all, k = integer(buckets);
    int64_t size = n / k, larger = n % k;  // the first `larger` buckets have one row more
    for (int64_t i = 0; i < n - first; i++) {
      int64_t bucket =
          i < larger * (size + 1) ? i / (size + 1) : larger + (i - larger * (size + 1)) / std::max<int64_t>(size, 1);
      values.push_back(Datum::of(static_cast<int32_t>(bucket + 1)));
    }
    return {};
  }
  Oid function_;
};

// lag and lead: the argument some rows away, within the partition.
class OffsetCall final : public WindowCall {
 public:
  explicit OffsetCall(int direction) : direction_(direction) {}
  Status compute(QueryState&, const WindowPartition& p, WindowFrame&, Arena&, std::vector<Datum>& values) override {
    for (uint32_t i = 0; i < p.size(); i++) {
      int64_t offset = 1;
      if (arguments_.size() > 1) {
        Datum d = argument(p, 1, i);
        if (d.null) {
          values.push_back(Datum::make_null(result_phys_));
          continue;
        }
        offset = integer(d);
      }
      int64_t at = int64_t{i} + direction_ * offset;
      if (at >= 0 && at < p.size()) {
        values.push_back(argument(p, 0, static_cast<uint32_t>(at)));
      } else {
        values.push_back(arguments_.size() > 2 ? argument(p, 2, i) : Datum::make_null(result_phys_));
      }
    }
    return {};
  }

 private:
  int direction_;
};

// first_value, last_value, nth_value: a row of the frame.
class FrameValueCall final : public WindowCall {
 public:
  explicit FrameValueCall(Oid function) : function_(function) {}
  Status compute(QueryState& state, const WindowPartition& p, WindowFrame& frame, Arena&,
                 std::vector<Datum>& values) override {
    for (uint32_t i = 0; i < p.size(); i++) {
      INDIGO_ASSIGN(FrameRange r, frame.range(state, p, i));
      uint64_t nth = 1;
      if (function_ == kNthValue) {
        Datum d = argument(p, 1, i);
        if (d.null) {
          values.push_back(Datum::make_null(result_phys_));
          continue;
        }
        if (integer(d) <= 0) return Error(kInvalidNthValue, "argument of nth_value must be greater than zero");
        nth = static_cast<uint64_t>(integer(d));
      }
      uint32_t found = pick(p, frame, i, r, nth);
      values.push_back(found == RowStore::kNoRow ? Datum::make_null(result_phys_) : argument(p, 0, found));
    }
    return {};
  }

 private:
  uint32_t pick(const WindowPartition& p, const WindowFrame& frame, uint32_t row, FrameRange r, uint64_t nth) const {
    if (!frame.excludes()) {
      if (function_ == kLastValue) return r.begin < r.end ? r.end - 1 : RowStore::kNoRow;
      return nth <= r.end - r.begin ? r.begin + static_cast<uint32_t>(nth) - 1 : RowStore::kNoRow;
    }
    if (function_ == kLastValue) {
      for (uint32_t j = r.end; j-- > r.begin;) {
        note_work(kUnitsOfRow);
        if (!frame.excluded(p, row, j)) return j;
      }
      return RowStore::kNoRow;
    }
    for (uint32_t j = r.begin; j < r.end; j++) {
      note_work(kUnitsOfRow);
      if (!frame.excluded(p, row, j) && --nth == 0) return j;
    }
    return RowStore::kNoRow;
  }
  Oid function_;
};

// An aggregate over the frame: grows with it, moves with it where rows can be taken out again, else starts again.
class AggregateWindowCall final : public WindowCall {
 public:
  AggregateWindowCall(AggregateCall call, bool filtered) : call_(std::move(call)), filtered_(filtered) {
    state_.resize(std::max<size_t>(call_.state_bytes() / sizeof(Block16), 1));
  }
  ~AggregateWindowCall() override { clear(); }

  Status compute(QueryState& state, const WindowPartition& p, WindowFrame& frame, Arena& arena,
                 std::vector<Datum>& values) override {
    if (!frame.begins_with_partition() && !frame.excludes()) call_.use_moving_functions();
    const bool moves = !frame.excludes() && call_.can_retract();
    FrameRange now;
    bool valid = false;
    out_.init(result_phys_, 1);
    for (uint32_t i = 0; i < p.size(); i++) {
      INDIGO_ASSIGN(FrameRange r, frame.range(state, p, i));
      if (valid && !frame.excludes() && r.begin == now.begin && r.end == now.end) {
        values.push_back(values.back());
        continue;
      }
      bool extend = valid && !frame.excludes() && r.end >= now.end && r.end > r.begin &&
                    (r.begin == now.begin || (moves && r.begin > now.begin && r.begin <= now.end));
      for (uint32_t j = now.begin; extend && j < r.begin; j++) {
        INDIGO_ASSIGN(extend, take_out(state, p, j));
      }
      if (extend) {
        INDIGO_TRY(put_in(state, p, now.end, r.end));
      } else {
        clear();
        live_ = true;
        if (frame.excludes()) {
          for (uint32_t j = r.begin; j < r.end; j++) {
            note_work(kUnitsOfRow);
            if (!frame.excluded(p, i, j)) INDIGO_TRY(put_in(state, p, j, j + 1));
          }
        } else {
          INDIGO_TRY(put_in(state, p, r.begin, r.end));
        }
      }
      now = r;
      valid = true;
      out_.set_all_valid();
      INDIGO_TRY(call_.finalize(state, memory(), out_, 0));
      Datum d = out_.datum(0);
      if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
      values.push_back(d);
    }
    clear();
    return {};
  }

  void set_arguments(sql::ExprList arguments, Phys result) {
    arguments_ = std::move(arguments);
    result_phys_ = result;
  }

 private:
  char* memory() { return reinterpret_cast<char*>(state_.data()); }
  void clear() {
    if (live_) call_.destroy(memory());
    std::fill(state_.begin(), state_.end(), Block16{});
    live_ = false;
  }
  void point_at_block(const WindowPartition& p, uint32_t block) {
    size_t n = arguments_.size() - (filtered_ ? 1 : 0);
    pointers_.clear();
    for (size_t i = 0; i < n; i++) pointers_.push_back(&p.rows->column(block, first_column_ + i));
  }
  bool passes(const WindowPartition& p, uint32_t row) const {
    if (!filtered_) return true;
    Datum d = argument(p, arguments_.size() - 1, row);
    return !d.null && d.b;
  }
  Status put_in(QueryState& state, const WindowPartition& p, uint32_t begin, uint32_t end) {
    while (begin < end) {
      uint32_t block = begin / kChunkRows, last = std::min(end, (block + 1) * kChunkRows);
      unseen_ += last - begin;
      if (unseen_ > kRowsBetweenLooks) {
        unseen_ = 0;
        INDIGO_TRY(state.check());
      }
      rows_.clear();
      for (; begin < last; begin++) {
        if (passes(p, begin)) rows_.push_back(static_cast<uint16_t>(begin % kChunkRows));
      }
      point_at_block(p, block);
      INDIGO_TRY(call_.update_rows(state, pointers_, {rows_.data(), static_cast<uint32_t>(rows_.size())}, memory()));
    }
    return {};
  }
  Result<bool> take_out(QueryState& state, const WindowPartition& p, uint32_t row) {
    if (!passes(p, row)) return true;
    point_at_block(p, row / kChunkRows);
    return call_.retract_one(state, pointers_, row % kChunkRows, memory());
  }

  AggregateCall call_;
  static constexpr uint32_t kRowsBetweenLooks = 16 * kChunkRows;
  bool filtered_;
  bool live_ = false;
  uint32_t unseen_ = 0;  // rows that were put in since somebody looked at interrupts
  std::vector<Block16> state_;
  std::vector<const Vector*> pointers_;
  std::vector<uint16_t> rows_;
  Vector out_;
};

Needed needed_by_frame(const sql::Window& window) {
  using Bound = sql::FrameBound::Kind;
  using Exclude = sql::Window::Exclude;
  if (window.end.kind != Bound::kCurrentRow && window.end.kind != Bound::kPreceding) return Needed::kPartition;
  const bool rows = window.mode == sql::Window::Mode::kRows &&
                    (window.exclude == Exclude::kNoOthers || window.exclude == Exclude::kCurrentRow);
  return rows ? Needed::kRow : Needed::kPeers;
}

bool looks_back(const sql::WindowCallExpr& lag) {
  if (lag.function == kLag) return true;
  const auto* offset = sql::try_as<sql::ConstExpr>(lag.arguments[1]);
  return offset != nullptr && (offset->value.get().null || integer(offset->value.get()) >= 0);
}

}  // namespace

Needed WindowCall::needed(const sql::WindowCallExpr& e, const sql::Window& window) {
  if (e.aggregate) return needed_by_frame(window);
  switch (e.function) {
    case kRowNumber: return Needed::kRow;
    case kRank:
    case kDenseRank: return Needed::kPeers;
    case kLag:
    case kLagOffset:
    case kLagDefault: return looks_back(e) ? Needed::kRow : Needed::kPartition;
    case kFirstValue:
    case kLastValue:
    case kNthValue: return needed_by_frame(window);
    default: return Needed::kPartition;
  }
}

Result<std::unique_ptr<WindowCall>> WindowCall::make(Builder& b, const sql::WindowCallExpr& e) {
  std::unique_ptr<WindowCall> call;
  if (e.aggregate) {
    INDIGO_ASSIGN(AggregateCall aggregate, AggregateCall::make(b, e));
    sql::ExprList arguments = e.arguments;
    if (e.filter != nullptr) arguments.push_back(e.filter);
    auto made = std::make_unique<AggregateWindowCall>(std::move(aggregate), e.filter != nullptr);
    made->set_arguments(std::move(arguments), b.phys_of(e.type));
    return std::unique_ptr<WindowCall>(std::move(made));
  }
  switch (e.function) {
    case kRowNumber:
    case kRank:
    case kDenseRank:
    case kPercentRank:
    case kCumeDist:
    case kNtile: call = std::make_unique<RankingCall>(e.function); break;
    case kLag:
    case kLagOffset:
    case kLagDefault: call = std::make_unique<OffsetCall>(-1); break;
    case kLead:
    case kLeadOffset:
    case kLeadDefault: call = std::make_unique<OffsetCall>(1); break;
    case kFirstValue:
    case kLastValue:
    case kNthValue: call = std::make_unique<FrameValueCall>(e.function); break;
    default:
      return Error(sqlstate::kFeatureNotSupported,
                   "window function with OID " + std::to_string(e.function) + " is not supported");
  }
  call->arguments_ = e.arguments;
  call->result_phys_ = b.phys_of(e.type);
  return call;
}

}  // namespace indigo::engine::exec
