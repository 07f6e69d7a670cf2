// Sort: normalised byte keys compared by memcmp, or the types' own order where no encoding exists. Equal rows keep their
// order. With a limit only the best limit + offset rows are kept (top-N).
#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {
namespace {

// Beyond this many rows a limit is an ordinary sort.
constexpr uint64_t kMaxTopN = 8192;

class SortOperator final : public Operator {
 public:
  SortOperator(QueryState& state, std::vector<Phys> columns, ExpressionSet keys, SortOps ops, ExpressionSet bounds,
               bool has_offset, OperatorPtr input)
      : state_(state),
        columns_(std::move(columns)),
        keys_(std::move(keys)),
        ops_(std::move(ops)),
        bounds_(std::move(bounds)),
        has_offset_(has_offset),
        input_(std::move(input)) {}

  Status open(Open mode) override {
    at_ = 0;
    uint64_t generation = state_.generation(slots());
    if (mode == Open::kAgain && sorted_ && generation == generation_) return {};
    generation_ = generation;
    sorted_ = false;
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!sorted_) INDIGO_TRY(sort());
    if (at_ == order_.size()) return nullptr;
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
    INDIGO_ASSIGN(uint64_t wanted, top());
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, input_->next(kChunkRows));
      if (chunk == nullptr) break;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      std::unique_ptr<Error> error;
      if (keys_.evaluate(Frame{{chunk, nullptr}, extent_of(chunk->selection)}, chunk->selection, error) <
          chunk->selection.count) {
        return error;
      }
      add(*chunk, better(*chunk));
      if (wanted != UINT64_MAX && order_.size() > 2 * wanted + kChunkRows) shrink(wanted);
      INDIGO_TRY(
          state_.check_memory(rows_->bytes() + key_bytes_.allocated_bytes() + order_.capacity() * sizeof(Entry)));
    }
    counters().note_memory(rows_->bytes() + key_bytes_.allocated_bytes() + order_.size() * sizeof(Entry));
    counters().method = wanted < order_.size() ? "top-N heapsort" : "quicksort";
    std::sort(order_.begin(), order_.end(), [this](const Entry& a, const Entry& b) { return before(a, b); });
    if (wanted < order_.size()) order_.resize(wanted);
    sorted_ = true;
    return {};
  }

  // The rows that may be among the best: once some have been dropped, what comes later must have a smaller key than the
  // worst of those that stayed.
  Selection better(const Chunk& chunk) {
    if (!has_worst_) return chunk.selection;
    key_pointers_.clear();
    for (size_t i = 0; i < keys_.size(); i++) key_pointers_.push_back(&keys_[i]);
    uint16_t* out = better_.reserve(chunk.selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < chunk.selection.count; i++) {
      encoded_.clear();
      ops_.append(key_pointers_, chunk.selection[i], encoded_);
      if (head_of(encoded_) <= worst_) out[n++] = static_cast<uint16_t>(chunk.selection[i]);
    }
    return {out, n};
  }

  static uint64_t head_of(Str key) {
    char head[8] = {};
    std::memcpy(head, key.data(), std::min<size_t>(8, key.size()));
    return big_endian(load_unaligned<uint64_t>(head));
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
    for (uint32_t i = 0; i < selection.count; i++) {
      Entry e{0, nullptr, 0, first + i};
      if (ops_.encodable()) {
        encoded_.clear();
        ops_.append(keys, selection[i], encoded_);
        e.prefix = head_of(encoded_);
        if (encoded_.size() > 8) {
          Str rest = key_bytes_.copy(Str(encoded_).substr(8));
          e.key = rest.data();
          e.key_size = static_cast<uint32_t>(rest.size());
        }
      }
      order_.push_back(e);
    }
  }

  bool before(const Entry& a, const Entry& b) const {
    if (ops_.encodable()) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      int c = a.key_size == 0 && b.key_size == 0 ? 0 : std::memcmp(a.key, b.key, std::min(a.key_size, b.key_size));
      if (c != 0) return c < 0;
      if (a.key_size != b.key_size) return a.key_size < b.key_size;
    } else {
      int c = ops_.compare(*rows_, a.row, b.row, columns_.size());
      if (c != 0) return c < 0;
    }
    return a.row < b.row;
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
  OperatorPtr input_;
  std::unique_ptr<RowStore> rows_ = std::make_unique<RowStore>();
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
  return OperatorPtr(std::make_unique<SortOperator>(b.state(), b.phys_of(p.columns), std::move(keys), std::move(ops),
                                                    std::move(limits), p.offset != nullptr, std::move(input)));
}

}  // namespace indigo::engine::exec
