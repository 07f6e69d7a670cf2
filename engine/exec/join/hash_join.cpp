// HashJoin: builds a hash table of the right input, probes it with the left one. All join types.
//
// Without a residual condition, semi and anti joins answer a selection of the left chunk itself. Rows with a null key match
// nothing (unless the key is null-safe); they are kept only where unmatched right rows are answered. Of the right rows only the
// columns that are read above are kept.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/exec/join/join_output.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {
namespace {

using sql::JoinType;

class HashJoinOperator final : public Operator {
 public:
  HashJoinOperator(QueryState& state, const sql::HashJoinPlan& plan, JoinOutput output, ExpressionSet left_keys,
                   ExpressionSet right_keys, KeyOps ops, OperatorPtr left, OperatorPtr right)
      : state_(state),
        plan_(plan),
        output_(std::move(output)),
        left_keys_(std::move(left_keys)),
        right_keys_(std::move(right_keys)),
        ops_(std::move(ops)),
        left_(std::move(left)),
        right_(std::move(right)) {
    for (const size_t c : output_.right_used()) shape_.push_back(output_.right_phys()[c]);
    probes_first_ = !keeps_right() && !left_->is_volatile() && !right_->is_volatile() && !builds_cheaply();
    key_column_ = shape_.size();
    packed_ =
        ops_.packs() && std::none_of(plan.null_safe.begin(), plan.null_safe.end(), [](bool safe) { return safe; });
    for (size_t i = 0; i < right_keys_.size() && !packed_; i++) shape_.push_back(right_keys_.node(i).phys);
  }

  Status open(Open mode) override {
    left_chunk_ = first_chunk_ = nullptr;
    at_ = 0;
    chain_ = 0;
    rest_at_ = 0;
    batch_ = 0;
    probing_done_ = done_ = false;
    left_over_ = {};
    error_ = nullptr;
    left_error_ = nullptr;
    uint64_t generation = state_.generation(right_->slots());
    bool keep = mode == Open::kAgain && built_ && generation == generation_;
    if (!keep) {
      built_ = false;
      generation_ = generation;
      INDIGO_TRY(right_->open(mode));
    } else {
      if (!matched_right_.empty()) matched_right_.assign(rows_.rows(), 0);
      done_ = ends_when_built();
    }
    return left_->open(mode);
  }
  void close() override {
    left_->close();
    right_->close();
    rows_.clear();
    built_ = false;
    done_ = true;
  }

  // A left chunk may leave more rows than are wanted now: the rest is answered by the next calls.
  Result<Chunk*> next(uint32_t max_rows) override {
    if (left_over_.count == 0) {
      INDIGO_ASSIGN(out_, produce(max_rows));
      if (out_ == nullptr || out_->selection.count <= max_rows) return out_;
      left_over_ = out_->selection;
      if (left_over_.rows == nullptr) {
        uint16_t* rows = numbers_.reserve(left_over_.count);
        for (uint32_t i = 0; i < left_over_.count; i++) rows[i] = static_cast<uint16_t>(i);
        left_over_.rows = rows;
      }
    }
    uint32_t n = std::min(left_over_.count, max_rows);
    out_->selection = {left_over_.rows, n};
    left_over_ = {left_over_.rows + n, left_over_.count - n};
    return out_;
  }

 private:
  Result<Chunk*> produce(uint32_t max_rows) {
    if (error_ != nullptr) return std::move(error_);
    if (!built_ && probes_first_) {
      // Without left rows there is no answer: nothing needs to be built.
      INDIGO_ASSIGN(first_chunk_, read_left(max_rows));
      if (first_chunk_ == nullptr) {
        done_ = true;
        return nullptr;
      }
    }
    if (!built_) INDIGO_TRY(build());
    while (!done_) {
      if (probing_done_) {
        INDIGO_ASSIGN(Chunk * chunk, unmatched_right(max_rows));
        if (chunk != nullptr) return chunk;
        done_ = true;
        break;
      }
      if (left_chunk_ == nullptr) {
        INDIGO_TRY(next_left(max_rows));
        if (left_chunk_ == nullptr) {
          probing_done_ = true;
          if (!keeps_right()) done_ = true;
          continue;
        }
      }
      INDIGO_ASSIGN(Chunk * chunk, probe(max_rows));
      if (chunk != nullptr) return chunk;
      if (error_ != nullptr) return std::move(error_);
    }
    return nullptr;
  }

  // To look for a first left row may mean to read all of that side; when the right one is so much cheaper, and may turn out to
  // be empty, or is cheaper than what the first left row takes, it is read first.
  bool builds_cheaply() const {
    const sql::Plan &left = *plan_.inputs[0], &right = *plan_.inputs[1];
    const double cost = right.total_cost + cost_of_common_tables(right);
    const bool may_end = plan_.type == JoinType::kInner || plan_.type == JoinType::kSemi;
    return cost <= left.startup_cost || (may_end && cost * 3 < left.total_cost);
  }

  // What it costs to compute them, for whoever reads them first, is not in the costs of their scans.
  double cost_of_common_tables(const sql::Plan& plan) const {
    double cost = 0;
    if (plan.kind == sql::PlanKind::kCteScan) {
      const int cte = static_cast<const sql::CteScanPlan&>(plan).cte;
      cost = state_.statement().ctes[static_cast<size_t>(cte)].plan->total_cost;
    }
    for (const sql::PlanPtr& input : plan.inputs) cost += cost_of_common_tables(*input);
    return cost;
  }

  bool keeps_right() const { return plan_.type == JoinType::kRight || plan_.type == JoinType::kFull; }
  bool keeps_left() const { return plan_.type == JoinType::kLeft || plan_.type == JoinType::kFull; }
  bool null_safe(size_t key) const { return key < plan_.null_safe.size() && plan_.null_safe[key]; }

  Status build() {
    rows_.init(shape_);
    hashes_.clear();
    entries_.clear();
    null_key_ = false;
    std::vector<const Vector*> all, keys;
    std::vector<uint64_t> hashes(kChunkRows), tags(packed_ ? kChunkRows : 0);
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, right_->next(kChunkRows));
      if (chunk == nullptr) break;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      std::unique_ptr<Error> error;
      Selection selection = chunk->selection;
      if (right_keys_.evaluate(Frame{{chunk, nullptr}, extent_of(selection)}, selection, error) < selection.count)
        return error;
      keys.clear();
      for (size_t i = 0; i < right_keys_.size(); i++) keys.push_back(&right_keys_[i]);
      if (any_null(keys)) selection = without_nulls(keys, selection);
      if (selection.count == 0) continue;
      ops_.hash(keys, selection, hashes.data());
      all.clear();
      for (const size_t c : output_.right_used()) all.push_back(&chunk->columns[c]);
      if (packed_) {
        ops_.pack(keys, selection, tags.data());
      } else {
        all.insert(all.end(), keys.begin(), keys.end());
      }
      rows_.append(all, selection);
      const std::vector<uint64_t>& compared = packed_ ? tags : hashes;
      for (uint32_t i = 0; i < selection.count; i++) {
        const uint32_t r = selection[i];
        hashes_.push_back(is_null_key(keys, r) ? kNoMatch : hashes[r] & ~kNoMatch);
        entries_.push_back({packed_ ? compared[r] : hashes_.back(), 0});
      }
      INDIGO_TRY(state_.check_memory(rows_.bytes() + hashes_.capacity() * sizeof(uint64_t) +
                                     entries_.capacity() * sizeof(Entry)));
    }
    size_t size = std::bit_ceil(std::max<size_t>(16, size_t{rows_.rows()} * 2));
    heads_.assign(size, 0);
    counters().note_memory(rows_.bytes() + rows_.rows() * sizeof(Entry) + size * sizeof(uint32_t));
    counters().buckets = size;
    for (uint32_t r = rows_.rows(); r-- > 0;) {  // backwards: chains run in the order of arrival
      if (r >= kAhead) __builtin_prefetch(&heads_[hashes_[r - kAhead] & (size - 1)], 1);
      if (hashes_[r] == kNoMatch) continue;
      size_t slot = hashes_[r] & (size - 1);
      entries_[r].next = heads_[slot];
      heads_[slot] = r + 1;
    }
    hashes_.clear();
    if (keeps_right()) matched_right_.assign(rows_.rows(), 0);
    built_ = true;
    done_ = ends_when_built();
    return {};
  }

  // What the right side holds allows no answer.
  bool ends_when_built() const {
    if (plan_.null_aware_anti && null_key_) return true;  // NOT IN over a set with a null is never true
    return rows_.rows() == 0 && !null_key_ &&
           (plan_.type == JoinType::kInner || plan_.type == JoinType::kSemi || plan_.type == JoinType::kRight);
  }

  static bool any_null(const std::vector<const Vector*>& keys) {
    for (const Vector* k : keys) {
      if (!k->all_valid()) return true;
    }
    return false;
  }
  bool is_null_key(const std::vector<const Vector*>& keys, uint32_t row) const {
    for (size_t i = 0; i < keys.size(); i++) {
      if (!null_safe(i) && keys[i]->is_null(row)) return true;
    }
    return false;
  }
  // Leaves out build rows that can match nothing, unless unmatched right rows are answered.
  Selection without_nulls(const std::vector<const Vector*>& keys, Selection selection) {
    uint16_t* rows = build_rows_.reserve(selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < selection.count; i++) {
      bool null = is_null_key(keys, selection[i]);
      null_key_ |= null;
      if (!null || keeps_right()) rows[n++] = static_cast<uint16_t>(selection[i]);
    }
    return {rows, n};
  }

  Result<Chunk*> read_left(uint32_t max_rows) {
    batch_ = left_->is_volatile() ? max_rows : std::max(std::min(max_rows, 64u), std::min(batch_ * 2, kChunkRows));
    return left_->next(batch_);
  }

  Status next_left(uint32_t max_rows) {
    left_chunk_ = std::exchange(first_chunk_, nullptr);
    if (left_chunk_ == nullptr) {
      INDIGO_ASSIGN(left_chunk_, read_left(max_rows));
    }
    if (left_chunk_ == nullptr) return {};
    INDIGO_TRY(state_.check());
    left_arena_.reset();
    ArenaScope scope(state_, left_arena_);
    left_selection_ = left_chunk_->selection;
    std::unique_ptr<Error> error;
    uint32_t good =
        left_keys_.evaluate(Frame{{left_chunk_, nullptr}, extent_of(left_selection_)}, left_selection_, error);
    if (error != nullptr) {
      if (good == 0) return error;
      left_error_ = std::move(error);
      left_selection_.count = good;
    }
    left_values_.clear();
    for (size_t i = 0; i < left_keys_.size(); i++) left_values_.push_back(&left_keys_[i]);
    left_hashes_.resize(kChunkRows);
    ops_.hash(left_values_, left_selection_, left_hashes_.data());
    first_.resize(kChunkRows);
    if (packed_) {
      left_tags_.resize(kChunkRows);
      ops_.pack(left_values_, left_selection_, left_tags_.data());
    }
    bool nulls = any_null(left_values_);
    size_t mask = heads_.size() - 1;
    for (uint32_t i = 0; i < left_selection_.count; i++) {
      uint32_t r = left_selection_[i];
      left_hashes_[r] &= ~kNoMatch;
      __builtin_prefetch(&heads_[left_hashes_[r] & mask]);
    }
    for (uint32_t i = 0; i < left_selection_.count; i++) {
      uint32_t r = left_selection_[i];
      first_[i] = nulls && is_null_key(left_values_, r) ? 0 : heads_[left_hashes_[r] & mask];
      if (first_[i] != 0) __builtin_prefetch(&entries_[first_[i] - 1]);
    }
    matched_left_.assign(kChunkRows, 0);
    at_ = 0;
    chain_ = left_selection_.count > 0 ? first_[0] : 0;
    return {};
  }

  // The next build row on the chain that equals left row r; 0 at its end.
  uint32_t match(uint32_t r, uint32_t entry) const {
    const uint64_t tag = packed_ ? left_tags_[r] : left_hashes_[r];
    while (entry != 0) {
      const Entry& e = entries_[entry - 1];
      if (e.tag == tag && (packed_ || ops_.equal(left_values_, r, rows_, entry - 1, key_column_))) return entry;
      entry = e.next;
    }
    return 0;
  }

  Result<Chunk*> probe(uint32_t max_rows) {
    ArenaScope scope(state_, arena_);
    arena_.reset();
    if (output_.only_left() && !output_.condition()) return probe_existence(max_rows);
    lefts_.clear();
    rights_.clear();
    bool inline_unmatched = keeps_left() && !output_.condition();
    uint32_t room = output_.only_left() ? kChunkRows : max_rows;
    while (at_ < left_selection_.count && lefts_.size() < room) {
      uint32_t r = left_selection_[at_];
      uint32_t entry = match(r, chain_);
      if (entry == 0) {
        if (inline_unmatched && matched_left_[at_] == 0) {
          lefts_.push_back(static_cast<uint16_t>(r));
          rights_.push_back(RowStore::kNoRow);
        }
        advance_left();
        continue;
      }
      matched_left_[at_] |= inline_unmatched ? 1 : 0;
      lefts_.push_back(static_cast<uint16_t>(r));
      rights_.push_back(entry - 1);
      positions_.resize(std::max<size_t>(positions_.size(), lefts_.size()));
      positions_[lefts_.size() - 1] = at_;
      chain_ = entries_[entry - 1].next;
    }
    auto n = static_cast<uint32_t>(lefts_.size());
    if (n == 0) return finish_left();
    gather(n);
    Selection passed{nullptr, n};
    if (output_.condition()) {
      passed = output_.condition().filter(Frame{{&output_.left(), &output_.right()}, n}, passed, error_);
      counters().filtered += n - passed.count;
      for (uint32_t i = 0; i < passed.count; i++) matched_left_[positions_[passed[i]]] = 1;
      if (output_.only_left()) {
        if (at_ >= left_selection_.count || error_ != nullptr) return finish_left();
        return nullptr;
      }
    }
    if (keeps_right()) {
      for (uint32_t i = 0; i < passed.count; i++) {
        if (rights_[passed[i]] != RowStore::kNoRow) matched_right_[rights_[passed[i]]] = 1;
      }
    }
    if (passed.count == 0) return error_ != nullptr ? Result<Chunk*>(std::move(error_)) : Result<Chunk*>(nullptr);
    return output_.finish(state_, output_.left(), output_.right(), passed, error_);
  }

  void advance_left() {
    at_++;
    chain_ = at_ < left_selection_.count ? first_[at_] : 0;
  }

  void gather(uint32_t n) {
    for (const size_t c : output_.left_used()) {
      Vector& to = output_.left().columns[c];
      to.init(output_.left_phys()[c], n);
      copy_rows(to, 0, left_chunk_->columns[c], {lefts_.data(), n}, nullptr);
    }
    gather_right(n);
  }

  void gather_right(uint32_t n) {
    size_t stored = 0;
    for (const size_t c : output_.right_used()) {
      rows_.gather(stored++, {rights_.data(), n}, output_.right().columns[c]);
    }
  }

  // Semi and anti joins without a residual condition: which left rows have a partner.
  Result<Chunk*> probe_existence(uint32_t max_rows) {
    uint16_t* rows = left_rows_.reserve(kChunkRows);
    bool wanted = plan_.type == JoinType::kSemi;
    uint32_t n = 0;
    for (; at_ < left_selection_.count && n < max_rows; at_++) {
      uint32_t r = left_selection_[at_];
      bool found = match(r, first_[at_]) != 0;
      if (!found && plan_.null_aware_anti && rows_.rows() > 0 && is_null_key(left_values_, r)) continue;
      if (found == wanted) rows[n++] = static_cast<uint16_t>(r);
    }
    Chunk* chunk = left_chunk_;
    if (at_ >= left_selection_.count) end_left();
    if (n == 0) return nullptr;
    return output_.finish(state_, *chunk, output_.right(), {rows, n}, error_);
  }

  // The left chunk has been probed: rows without a partner (or, for semi joins with a condition, with one).
  Result<Chunk*> finish_left() {
    Chunk* chunk = left_chunk_;
    uint16_t* rows = left_rows_.reserve(kChunkRows);
    uint32_t n = 0;
    bool wanted = plan_.type == JoinType::kSemi;
    if (output_.condition() && (keeps_left() || output_.only_left())) {
      uint32_t limit = std::min(at_, left_selection_.count);
      for (uint32_t i = 0; i < limit; i++) {
        if ((matched_left_[i] != 0) == wanted) rows[n++] = static_cast<uint16_t>(left_selection_[i]);
      }
    }
    end_left();
    if (n == 0) return nullptr;
    if (output_.only_left()) return output_.finish(state_, *chunk, output_.right(), {rows, n}, error_);
    lefts_.assign(rows, rows + n);
    rights_.assign(n, RowStore::kNoRow);
    left_chunk_ = chunk;
    gather(n);
    left_chunk_ = nullptr;
    return output_.finish(state_, output_.left(), output_.right(), {nullptr, n}, error_);
  }

  void end_left() {
    left_chunk_ = nullptr;
    if (error_ == nullptr) error_ = std::move(left_error_);
  }

  Result<Chunk*> unmatched_right(uint32_t max_rows) {
    if (!keeps_right()) return nullptr;
    rights_.clear();
    for (; rest_at_ < rows_.rows() && rights_.size() < max_rows; rest_at_++) {
      if (matched_right_[rest_at_] == 0) rights_.push_back(rest_at_);
    }
    if (rights_.empty()) return nullptr;
    auto n = static_cast<uint32_t>(rights_.size());
    ArenaScope scope(state_, arena_);
    arena_.reset();
    output_.set_left_null();
    gather_right(n);
    return output_.finish(state_, output_.left(), output_.right(), {nullptr, n}, error_);
  }

  static constexpr uint32_t kAhead = 16;                   // rows whose heads are fetched before they are linked
  static constexpr uint64_t kNoMatch = uint64_t{1} << 63;  // the hash of a row with a null key

  QueryState& state_;
  const sql::HashJoinPlan& plan_;
  JoinOutput output_;
  ExpressionSet left_keys_, right_keys_;
  KeyOps ops_;
  OperatorPtr left_, right_;
  std::vector<Phys> shape_;
  size_t key_column_ = 0;
  bool packed_ = false;  // keys are compared as 64 bits

  struct Entry {
    uint64_t tag;   // the key when it is packed, its hash otherwise
    uint32_t next;  // on the chain: row + 1; 0: end
  };
  RowStore rows_;                 // the right input's columns that are used, then its keys when they are not packed
  std::vector<uint64_t> hashes_;  // while it is built
  std::vector<uint32_t> heads_;   // row + 1; 0: none
  std::vector<Entry> entries_;    // by row
  std::vector<uint8_t> matched_right_;
  SelectionBuffer build_rows_;
  uint64_t generation_ = 0;
  bool built_ = false, null_key_ = false;

  bool probes_first_ = false;     // the first left rows are cheaper than the right side
  Chunk* first_chunk_ = nullptr;  // read before the right side was built
  Chunk* left_chunk_ = nullptr;
  Selection left_selection_;
  std::vector<const Vector*> left_values_;
  std::vector<uint64_t> left_hashes_, left_tags_;
  std::vector<uint32_t> first_;        // first chain entry of each left row, by position
  std::vector<uint8_t> matched_left_;  // by position
  uint32_t at_ = 0, chain_ = 0;        // position in the left selection, chain entry to look at next
  std::vector<uint16_t> lefts_;
  std::vector<uint32_t> rights_, positions_;
  SelectionBuffer left_rows_;
  uint32_t rest_at_ = 0, batch_ = 0;
  Chunk* out_ = nullptr;
  Selection left_over_;
  SelectionBuffer numbers_;
  bool probing_done_ = false, done_ = false;
  Arena arena_, left_arena_;
  std::unique_ptr<Error> error_, left_error_;
};

}  // namespace

Result<OperatorPtr> make_hash_join(Builder& b, const sql::HashJoinPlan& p) {
  INDIGO_ASSIGN(OperatorPtr left, b.build(p.inputs[0]));
  INDIGO_ASSIGN(OperatorPtr right, b.build(p.inputs[1]));
  INDIGO_ASSIGN(JoinOutput output, JoinOutput::make(b, p, *p.inputs[0], *p.inputs[1]));
  INDIGO_ASSIGN(ExpressionSet left_keys, b.compile_all(p.left_keys));
  INDIGO_ASSIGN(ExpressionSet right_keys, b.compile_all(p.right_keys));
  std::vector<types::TypeRef> types;
  for (const sql::ExprPtr& k : p.left_keys) types.push_back(k->type);
  INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<HashJoinOperator>(b.state(), p, std::move(output), std::move(left_keys),
                                                        std::move(right_keys), std::move(ops), std::move(left),
                                                        std::move(right)));
}

}  // namespace indigo::engine::exec
