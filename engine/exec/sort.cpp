// Sort: normalised byte keys compared by memcmp, or the types' own order where no encoding exists. Equal rows keep their
// order. Of a few rows by one text only the keys' beginnings are encoded (text_key.h). With a limit only the best limit + offset
// rows are kept (top-N). Input that is in the order of the first keys already is sorted in batches of whole groups of equal first
// keys, so that the first rows come before the last are read. What outgrows work_mem goes to temporary files as sorted runs, where
// there is a place for them (spill/sorted_runs.h).
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/fiber/long_sort.h"
#include "base/key_prefix.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"
#include "engine/exec/spill/sorted_runs.h"
#include "engine/exec/text_key.h"
#include "storage/store.h"

namespace indigo::engine::exec {
namespace {

// Groups are sorted together up to this many rows.
constexpr size_t kBatchRows = 64;

// Beyond this many rows a limit is an ordinary sort.
constexpr uint64_t kMaxTopN = 8192;

// Up to this many rows by one text are sorted by the keys' heads.
constexpr size_t kHeadsOnlyRows = kChunkRows;

class SortOperator final : public Operator {
 public:
  SortOperator(QueryState& state, std::vector<Phys> columns, ExpressionSet keys, SortOps ops, ExpressionSet bounds,
               bool has_offset, size_t presorted, SortOps prefix_ops, std::optional<TextKey> text_key,
               OperatorPtr input)
      : state_(state),
        columns_(std::move(columns)),
        keys_(std::move(keys)),
        ops_(std::move(ops)),
        bounds_(std::move(bounds)),
        has_offset_(has_offset),
        presorted_(presorted),
        prefix_ops_(std::move(prefix_ops)),
        text_key_(text_key),
        input_(std::move(input)) {}

  Status open(Open mode) override {
    uint64_t generation = state_.generation(slots());
    if (mode == Open::kAgain && sorted_ && generation == generation_ && presorted_ == 0) {
      at_ = 0;
      return runs_ != nullptr ? runs_->rewind() : Status();
    }
    runs_.reset();
    at_ = 0;
    chunk_ = nullptr;
    ended_ = false;
    batch_ = 0;
    generation_ = generation;
    sorted_ = false;
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!sorted_) INDIGO_TRY(sort());
    if (runs_ != nullptr) {
      INDIGO_TRY(state_.check());
      return runs_->next(max_rows);
    }
    if (at_ == order_.size()) {
      if (presorted_ == 0 || ended_) return nullptr;
      at_ = 0;
      INDIGO_TRY(sort());
      if (order_.empty()) return nullptr;
    }
    auto n = static_cast<uint32_t>(std::min<size_t>(order_.size() - at_, max_rows));
    picked_.resize(n);
    for (uint32_t i = 0; i < n; i++) picked_[i] = order_[at_ + i].row;
    at_ += n;
    out_.columns.resize(columns_.size());
    for (size_t c = 0; c < columns_.size(); c++) rows_->gather(c, picked_, out_.columns[c]);
    out_.selection = {nullptr, n};
    return &out_;
  }

  void close() override {
    input_->close();
    rows_->clear();
    order_.clear();
    key_bytes_.reset();
    runs_.reset();
    sorted_ = false;
  }

 private:
  struct Entry {
    uint64_t prefix;  // first 8 bytes of the key, big-endian: compares as the key does
    const char* key;  // the rest
    uint32_t key_size;
    uint32_t row;
  };

  // How many rows are wanted; UINT64_MAX: all.
  Result<uint64_t> top() {
    if (bounds_.empty()) return UINT64_MAX;
    ArenaScope scope(state_, arena_);
    INDIGO_TRY(bounds_.evaluate_constant());
    if (bounds_[0].is_null(0)) return UINT64_MAX;
    int64_t n = std::max<int64_t>(bounds_[0].get<int64_t>(0), 0);
    int64_t offset = has_offset_ && !bounds_[1].is_null(0) ? std::max<int64_t>(bounds_[1].get<int64_t>(0), 0) : 0;
    int64_t sum;
    if (__builtin_add_overflow(n, offset, &sum) || static_cast<uint64_t>(sum) > kMaxTopN) return UINT64_MAX;
    return static_cast<uint64_t>(sum);
  }

  Status sort() {
    std::vector<Phys> shape = columns_;
    if (!ops_.encodable()) {
      for (size_t i = 0; i < keys_.size(); i++) shape.push_back(keys_.node(i).phys);
    }
    rows_->init(std::move(shape));
    order_.clear();
    key_bytes_.reset();
    has_worst_ = false;
    heads_only_ = text_key_.has_value();
    INDIGO_ASSIGN(uint64_t wanted, top());
    SpillSpace* const spill =
        wanted == UINT64_MAX && presorted_ == 0 && ops_.encodable() ? state_.context().spill : nullptr;
    bool complete = false;  // all rows of this batch are there
    size_t rows = 0;
    while (!complete) {
      if (chunk_ == nullptr) {
        INDIGO_TRY(read());
        if (chunk_ == nullptr) break;
      }
      const Selection taken = presorted_ == 0 ? rest_ : batch_part(rows, complete);
      rows += taken.count;
      add(*chunk_, better(taken));
      rest_ = {rest_.rows == nullptr ? nullptr : rest_.rows + taken.count, rest_.count - taken.count};
      if (rest_.count == 0) chunk_ = nullptr;
      if (wanted != UINT64_MAX && order_.size() > 2 * wanted + kChunkRows) shrink(wanted);
      const uint64_t bytes = rows_->bytes() + key_bytes_.allocated_bytes() + order_.capacity() * sizeof(Entry);
      if (spill != nullptr && bytes > spill->memory_bytes && order_.size() >= kChunkRows) {
        INDIGO_TRY(write_run(*spill));
      } else {
        INDIGO_TRY(state_.check_memory(bytes));
      }
    }
    if (runs_ != nullptr) {
      if (!order_.empty()) INDIGO_TRY(write_run(*spill));
      counters().note_memory(runs_->bytes());
      counters().method = "external merge";
      sorted_ = true;
      return runs_->rewind();
    }
    counters().note_memory(rows_->bytes() + key_bytes_.allocated_bytes() + order_.size() * sizeof(Entry));
    counters().method = wanted < order_.size() ? "top-N heapsort" : "quicksort";
    sort_order();
    if (wanted < order_.size()) order_.resize(wanted);
    sorted_ = true;
    return {};
  }

  // What is in memory goes to the files, sorted.
  Status write_run(SpillSpace& spill) {
    if (heads_only_) encode_rest();
    if (runs_ == nullptr) runs_ = std::make_unique<SortedRuns>(spill, columns_, [this] { return state_.check(); });
    sort_order();
    std::vector<const Vector*> columns(columns_.size());
    std::string key;
    for (size_t i = 0; i < order_.size(); i++) {
      const Entry& e = order_[i];
      const uint64_t prefix = big_endian(e.prefix);
      key.assign(reinterpret_cast<const char*>(&prefix), sizeof prefix);
      if (e.key_size > 0) key.append(e.key, e.key_size);
      for (size_t c = 0; c < columns.size(); c++) columns[c] = &rows_->column(e.row / kChunkRows, c);
      INDIGO_TRY(runs_->add(key, columns, e.row % kChunkRows));
      if (i % kChunkRows == kChunkRows - 1) INDIGO_TRY(state_.check());
    }
    INDIGO_TRY(runs_->end_run());
    rows_->clear();
    order_.clear();
    key_bytes_.reset();
    return {};
  }

  // The next rows of the input, with their keys; none at its end.
  Status read() {
    batch_ =
        presorted_ == 0 ? kChunkRows : std::max(static_cast<uint32_t>(kBatchRows), std::min(batch_ * 2, kChunkRows));
    INDIGO_ASSIGN(chunk_, input_->next(batch_));
    if (chunk_ == nullptr) {
      ended_ = true;
      return {};
    }
    INDIGO_TRY(state_.check());
    arena_.reset();
    ArenaScope scope(state_, arena_);
    std::unique_ptr<Error> error;
    rest_ = presorted_ > 0 ? numbers_.numbered(chunk_->selection) : chunk_->selection;  // which is taken in pieces
    if (keys_.evaluate(Frame{{chunk_, nullptr}, extent_of(rest_)}, rest_, error) < rest_.count) return error;
    return {};
  }

  // The rows at hand that belong to the batch, which has `rows` already: up to where a new group begins when it has enough.
  Selection batch_part(size_t rows, bool& complete) {
    key_pointers_.clear();
    for (size_t i = 0; i < presorted_; i++) key_pointers_.push_back(&keys_[i]);
    uint32_t n = rows < kBatchRows ? static_cast<uint32_t>(std::min<size_t>(kBatchRows - rows, rest_.count)) : 0;
    if (n > 0) encode_group(rest_[n - 1], group_);
    for (; n < rest_.count; n++) {
      encode_group(rest_[n], encoded_);
      if (encoded_ != group_) {
        complete = true;
        break;
      }
    }
    return {rest_.rows, n};
  }
  void encode_group(uint32_t row, std::string& out) {
    out.clear();
    prefix_ops_.append(key_pointers_, row, out);
  }

  // The rows that may be among the best: once some have been dropped, what comes later must have a smaller key than the
  // worst of those that stayed.
  Selection better(Selection selection) {
    if (!has_worst_) return selection;
    key_pointers_.clear();
    for (size_t i = 0; i < keys_.size(); i++) key_pointers_.push_back(&keys_[i]);
    uint16_t* out = better_.reserve(selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < selection.count; i++) {
      encoded_.clear();
      ops_.append(key_pointers_, selection[i], encoded_);
      if (key_prefix(encoded_) <= worst_) out[n++] = static_cast<uint16_t>(selection[i]);
    }
    return {out, n};
  }

  void add(const Chunk& chunk, Selection selection) {
    if (selection.count == 0) return;
    pointers_.clear();
    for (size_t c = 0; c < columns_.size(); c++) pointers_.push_back(&chunk.columns[c]);
    size_t key_at = pointers_.size();
    for (size_t i = 0; i < keys_.size(); i++) pointers_.push_back(&keys_[i]);
    std::span<const Vector* const> all(pointers_);
    uint32_t first = rows_->append(ops_.encodable() ? all.first(key_at) : all, selection);
    std::span<const Vector* const> keys = all.subspan(key_at);
    if (heads_only_ && order_.size() + selection.count > kHeadsOnlyRows) encode_rest();
    for (uint32_t i = 0; i < selection.count; i++) {
      Entry e{0, nullptr, 0, first + i};
      if (heads_only_ && !keys[0]->is_null(selection[i])) {
        e.prefix = text_key_->head(keys[0]->get<Str>(selection[i]));
      } else if (ops_.encodable()) {
        encode(keys, selection[i], e);
      }
      order_.push_back(e);
    }
  }
  void encode(std::span<const Vector* const> keys, uint32_t row, Entry& e) {
    encoded_.clear();
    ops_.append(keys, row, encoded_);
    e.prefix = key_prefix(encoded_);
    if (encoded_.size() <= 8) return;
    const Str rest = key_bytes_.copy(Str(encoded_).substr(8));
    e.key = rest.data();
    e.key_size = static_cast<uint32_t>(rest.size());
  }
  // There are more rows than are sorted by heads.
  void encode_rest() {
    heads_only_ = false;
    Vector value;
    const Vector* const key = &value;
    for (Entry& e : order_) {
      value.set_constant(rows_->datum(e.row, text_key_->column));
      encode({&key, 1}, 0, e);
    }
  }

  void sort_order() {
    constexpr uint64_t kUnitsOfComparison = 8;
    long_sort(order_.begin(), order_.end(), kUnitsOfComparison,
              [this](const Entry& a, const Entry& b) { return before(a, b); });
  }
  bool before(const Entry& a, const Entry& b) const {
    if (ops_.encodable()) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      if (heads_only_) return before_in_rest(a, b);
      int c = a.key_size == 0 && b.key_size == 0 ? 0 : std::memcmp(a.key, b.key, std::min(a.key_size, b.key_size));
      if (c != 0) return c < 0;
      if (a.key_size != b.key_size) return a.key_size < b.key_size;
    } else {
      int c = ops_.compare(*rows_, a.row, b.row, columns_.size());
      if (c != 0) return c < 0;
    }
    return a.row < b.row;
  }

  bool before_in_rest(const Entry& a, const Entry& b) const {
    const int c =
        ops_.compare_values(0, rows_->datum(a.row, text_key_->column), rows_->datum(b.row, text_key_->column));
    return c != 0 ? c < 0 : a.row < b.row;
  }

  // Keeps the best `wanted` rows and drops the others' memory.
  void shrink(uint64_t wanted) {
    std::nth_element(order_.begin(), order_.begin() + static_cast<ptrdiff_t>(wanted), order_.end(),
                     [this](const Entry& a, const Entry& b) { return before(a, b); });
    order_.resize(wanted);
    if (ops_.encodable() && wanted > 0) {
      has_worst_ = true;
      worst_ = 0;
      for (const Entry& e : order_) worst_ = std::max(worst_, e.prefix);
    }
    if (rows_->rows() < 64 * kChunkRows) return;
    // Rewrite the survivors in arrival order.
    std::sort(order_.begin(), order_.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
    auto kept = std::make_unique<RowStore>();
    kept->init(rows_->phys());
    std::vector<uint32_t> picked;
    Chunk chunk;
    for (size_t first = 0; first < order_.size(); first += kChunkRows) {
      picked.clear();
      for (size_t i = first; i < std::min(order_.size(), first + kChunkRows); i++) picked.push_back(order_[i].row);
      rows_->gather(picked, chunk);
      uint32_t at = kept->append(chunk);
      for (size_t i = 0; i < picked.size(); i++) order_[first + i].row = at + static_cast<uint32_t>(i);
    }
    rows_ = std::move(kept);
  }

  QueryState& state_;
  std::vector<Phys> columns_;
  ExpressionSet keys_;
  SortOps ops_;
  ExpressionSet bounds_;
  bool has_offset_;
  size_t presorted_;  // leading keys that the input is in order of
  SortOps prefix_ops_;
  std::optional<TextKey> text_key_;
  bool heads_only_ = false;  // of the entries' keys there is no more than the prefix
  OperatorPtr input_;
  Chunk* chunk_ = nullptr;  // the input's last, while rest_ of it has not been taken
  Selection rest_;
  SelectionBuffer numbers_;
  bool ended_ = false;
  uint32_t batch_ = 0;
  std::string group_;  // the first keys of the batch's last row
  std::unique_ptr<RowStore> rows_ = std::make_unique<RowStore>();
  std::unique_ptr<SortedRuns> runs_;  // null while everything is in memory
  Arena key_bytes_, arena_;
  std::vector<Entry> order_;
  std::vector<uint32_t> picked_;
  std::vector<const Vector*> pointers_, key_pointers_;
  SelectionBuffer better_;
  uint64_t worst_ = 0;  // the greatest prefix that was kept when rows were last dropped
  bool has_worst_ = false;
  std::string encoded_;
  Chunk out_;
  size_t at_ = 0;
  uint64_t generation_ = 0;
  bool sorted_ = false;
};

}  // namespace

Result<OperatorPtr> make_sort(Builder& b, const sql::SortPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  sql::ExprList exprs, bounds;
  std::vector<types::TypeRef> types;
  std::vector<SortOps::Direction> directions;
  for (const sql::SortKey& k : p.keys) {
    exprs.push_back(k.expr);
    types.push_back(k.expr->type);
    directions.push_back({k.descending, k.nulls_first});
  }
  if (p.limit != nullptr) {
    bounds.push_back(p.limit);
    if (p.offset != nullptr) bounds.push_back(p.offset);
  }
  INDIGO_ASSIGN(ExpressionSet keys, b.compile_all(exprs));
  INDIGO_ASSIGN(SortOps ops, SortOps::make(b, types, directions));
  INDIGO_ASSIGN(ExpressionSet limits, b.compile_all(bounds));
  size_t presorted = static_cast<size_t>(p.presorted);
  types.resize(presorted);
  directions.resize(presorted);
  INDIGO_ASSIGN(SortOps prefix_ops, SortOps::make(b, types, directions));
  if (!prefix_ops.encodable()) presorted = 0;
  return OperatorPtr(std::make_unique<SortOperator>(b.state(), b.phys_of(p.columns), std::move(keys), std::move(ops),
                                                    std::move(limits), p.offset != nullptr, presorted,
                                                    std::move(prefix_ops), TextKey::of(b, p), std::move(input)));
}

}  // namespace indigo::engine::exec
