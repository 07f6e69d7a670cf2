// HashJoin: builds a hash table of the right input, probes it with the left one. All join types.
//
// Without a residual condition, semi and anti joins answer a selection of the left chunk itself. Rows with a null key match
// nothing (unless the key is null-safe); they are kept only where unmatched right rows are answered. Of the right rows only the
// columns that are read above are kept.
//
// A right side that outgrows work_mem goes, where there is a place for temporary files, to parts by its hashes
// (join_parts.h); the left rows follow, and each part is joined like inputs of its own. Where the planner may rely on the
// left rows' order each of them has its number with it, and what the parts give is merged by that.
#include <algorithm>
#include <utility>

#include "engine/exec/join/first_side.h"
#include "engine/exec/join/join_output.h"
#include "engine/exec/join/join_parts.h"
#include "engine/exec/join/join_table.h"
#include "engine/exec/join/match_rounds.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"
#include "engine/exec/spill/sorted_runs.h"

namespace indigo::engine::exec {
namespace {

using sql::JoinType;

class HashJoinOperator final : public Operator {
 public:
  HashJoinOperator(QueryState& state, const sql::HashJoinPlan& plan, std::vector<Phys> columns, JoinOutput output,
                   ExpressionSet left_keys, ExpressionSet right_keys, KeyOps ops, OperatorPtr left, OperatorPtr right,
                   std::vector<int> table_slots)
      : state_(state),
        plan_(plan),
        columns_(std::move(columns)),
        output_(std::move(output)),
        left_keys_(std::move(left_keys)),
        right_keys_(std::move(right_keys)),
        ops_(std::move(ops)),
        left_(std::move(left)),
        right_(std::move(right)),
        table_slots_(std::move(table_slots)) {
    for (const size_t c : output_.right_used()) shape_.push_back(output_.right_phys()[c]);
    probes_first_ = !keeps_right() && !left_->is_volatile() && !right_->is_volatile() &&
                    !reads_right_first(plan, state.statement());
    key_column_ = shape_.size();
    packed_ =
        ops_.packs() && std::none_of(plan.null_safe.begin(), plan.null_safe.end(), [](bool safe) { return safe; });
    for (size_t i = 0; i < right_keys_.size() && !packed_; i++) shape_.push_back(right_keys_.node(i).phys);
    in_order_ = !keeps_right() && (plan.type != JoinType::kLeft || !output_.condition());
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
    const uint64_t generation = state_.generation(table_slots_);
    bool keep = mode == Open::kAgain && built_ && parts_ == nullptr && generation == generation_;
    if (!keep) {
      built_ = false;
      drop_parts();
      generation_ = generation;
      INDIGO_TRY(right_->open(mode));
    } else {
      if (!matched_right_.empty()) matched_right_.assign(table_.rows().rows(), 0);
      done_ = ends_when_built();
    }
    return left_->open(mode);
  }
  void close() override {
    left_->close();
    right_->close();
    table_.clear();
    drop_parts();
    built_ = false;
    done_ = true;
  }

  // A left chunk may leave more rows than are wanted now: the rest is answered by the next calls.
  Result<Chunk*> next(uint32_t max_rows) override {
    if (left_over_.count == 0) {
      INDIGO_ASSIGN(out_, parts_ == nullptr ? produce(max_rows) : produce_of_parts(max_rows));
      if (out_ == nullptr || out_->selection.count <= max_rows) return out_;
      left_over_ = numbers_.numbered(out_->selection);
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
    if (!built_) {
      INDIGO_TRY(build());
      if (parts_ != nullptr) return produce_of_parts(max_rows);
    }
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

  Result<Chunk*> produce_of_parts(uint32_t max_rows) {
    if (!in_order_) return next_of_parts(max_rows);
    if (merged_ == nullptr) INDIGO_TRY(merge_parts());
    return merged_->next(max_rows);
  }

  // The parts' rows, part after part.
  Result<Chunk*> next_of_parts(uint32_t max_rows) {
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, produce(max_rows));
      if (chunk != nullptr) return chunk;
      if (run_rows_ > 0) INDIGO_TRY(merged_->end_run());
      run_rows_ = 0;
      part_ = {};
      if (!parts_->take(part_)) return nullptr;
      left_chunk_ = nullptr;
      rest_at_ = 0;
      probing_done_ = done_ = false;
      INDIGO_TRY(build());
    }
  }

  // In the left rows' order: a left row is in one part, and the rows that it gives follow each other there.
  Status merge_parts() {
    merged_ = std::make_unique<SortedRuns>(*state_.context().spill, columns_, [this] { return state_.check(); });
    std::vector<const Vector*> columns;
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, next_of_parts(kChunkRows));
      if (chunk == nullptr) return merged_->rewind();
      point_at(*chunk, columns);
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        const uint32_t row = chunk->selection[i];
        const uint64_t number = big_endian(left_numbers_->get<uint64_t>(output_.only_left() ? row : lefts_[row]));
        INDIGO_TRY(merged_->add({reinterpret_cast<const char*>(&number), sizeof number}, columns, row));
      }
      run_rows_ += chunk->selection.count;
    }
  }

  void drop_parts() {
    part_ = {};
    parts_ = nullptr;
    merged_ = nullptr;
    run_rows_ = 0;
  }

  bool keeps_right() const { return plan_.type == JoinType::kRight || plan_.type == JoinType::kFull; }
  bool keeps_left() const { return plan_.type == JoinType::kLeft || plan_.type == JoinType::kFull; }
  bool null_safe(size_t key) const { return key < plan_.null_safe.size() && plan_.null_safe[key]; }

  Status build() {
    table_.init(shape_);
    if (parts_ == nullptr) null_key_ = false;
    const uint32_t depth = part_.depth;
    SpillSpace* const space =
        depth == 0 || (part_.divisible && depth < PartitionedRows::kDepthMax) ? state_.context().spill : nullptr;
    bool divided = false;
    while (true) {
      INDIGO_ASSIGN(const bool more, depth == 0 ? read_right() : read_right_part());
      if (!more) break;
      const uint64_t bytes = table_.bytes();
      if (space != nullptr && !divided && bytes > space->memory_bytes && table_.rows().rows() > kChunkRows) {
        counters().note_memory(bytes);
        if (parts_ == nullptr) parts_ = JoinParts::make(*space, output_, left_keys_, shape_, packed_, in_order_);
        parts_->begin(depth);
        divided = true;
      }
      if (divided) {
        INDIGO_TRY(table_.move_to(*parts_, packed_, [this] { return state_.check(); }));
      } else {
        INDIGO_TRY(state_.check_memory(bytes));
      }
    }
    built_ = true;
    if (divided) {
      done_ = true;
      if (!(plan_.null_aware_anti && null_key_)) INDIGO_TRY(divide_left());
      return {};
    }
    table_.link();
    counters().note_memory(table_.linked_bytes());
    counters().buckets = parts_ == nullptr ? table_.buckets() : std::max(counters().buckets, table_.buckets());
    if (keeps_right()) matched_right_.assign(table_.rows().rows(), 0);
    done_ = ends_when_built();
    return {};
  }

  // The right input's next rows; false at its end.
  Result<bool> read_right() {
    INDIGO_ASSIGN(Chunk * chunk, right_->next(kChunkRows));
    if (chunk == nullptr) return false;
    INDIGO_TRY(state_.check());
    arena_.reset();
    ArenaScope scope(state_, arena_);
    std::unique_ptr<Error> error;
    Selection selection = chunk->selection;
    if (right_keys_.evaluate(Frame{{chunk, nullptr}, extent_of(selection)}, selection, error) < selection.count)
      return error;
    right_values_.clear();
    for (size_t i = 0; i < right_keys_.size(); i++) right_values_.push_back(&right_keys_[i]);
    if (any_null(right_values_)) selection = without_nulls(right_values_, selection);
    if (selection.count == 0) return true;
    right_hashes_.resize(kChunkRows);
    ops_.hash(right_values_, selection, right_hashes_.data());
    right_columns_.clear();
    for (const size_t c : output_.right_used()) right_columns_.push_back(&chunk->columns[c]);
    if (packed_) {
      right_tags_.resize(kChunkRows);
      ops_.pack(right_values_, selection, right_tags_.data());
    } else {
      right_columns_.insert(right_columns_.end(), right_values_.begin(), right_values_.end());
    }
    table_.rows().append(right_columns_, selection);
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      const uint64_t hash = is_null_key(right_values_, r) ? kNoMatch : right_hashes_[r] & ~kNoMatch;
      table_.add(hash, packed_ ? right_tags_[r] : hash);
    }
    return true;
  }

  // The same of the part.
  Result<bool> read_right_part() {
    if (part_.right == nullptr) return false;
    INDIGO_ASSIGN(Chunk * chunk, part_.right->next());
    if (chunk == nullptr) {
      part_.right = nullptr;
      return false;
    }
    INDIGO_TRY(state_.check());
    point_at(*chunk, right_columns_);
    table_.rows().append(right_columns_, chunk->selection);
    const Vector &hashes = *right_columns_[shape_.size()], &tags = *right_columns_.back();
    for (uint32_t i = 0; i < chunk->selection.count; i++) {
      table_.add(hashes.get<uint64_t>(i), tags.get<uint64_t>(i));
    }
    return true;
  }

  // All left rows, of the input or of the part.
  Status divide_left() {
    const bool keeps_unmatched = keeps_left() || plan_.type == JoinType::kAnti;
    Vector hashes(Phys::kI64), tags(Phys::kI64), numbers(Phys::kI64);
    std::vector<const Vector*> columns;
    uint64_t number = 0;
    while (true) {
      INDIGO_TRY(read_left_keys(kChunkRows));
      if (left_chunk_ == nullptr) break;
      if (left_error_ != nullptr) return std::move(left_error_);
      if (part_.depth == 0) {
        const bool nulls = any_null(left_values_);
        columns.clear();
        for (const size_t c : output_.left_used()) columns.push_back(&left_chunk_->columns[c]);
        if (!packed_) columns.insert(columns.end(), left_values_.begin(), left_values_.end());
        columns.push_back(&hashes);
        if (packed_) columns.push_back(&tags);
        if (in_order_) columns.push_back(&numbers);
        for (uint32_t i = 0; i < left_selection_.count; i++) {
          const uint32_t r = left_selection_[i];
          hashes.set(r, nulls && is_null_key(left_values_, r) ? kNoMatch : left_hashes_[r] & ~kNoMatch);
          if (packed_) tags.set(r, left_tags_[r]);
          numbers.set(r, number++);
        }
      } else {
        point_at(*part_left_, columns);
      }
      const Vector& hash = *columns[columns.size() - 1 - (packed_ ? 1 : 0) - (in_order_ ? 1 : 0)];
      for (uint32_t i = 0; i < left_selection_.count; i++) {
        const uint32_t r = left_selection_[i];
        const auto h = hash.get<uint64_t>(r);
        if (h == kNoMatch ? !keeps_unmatched || plan_.null_aware_anti : !keeps_unmatched && !parts_->may_match(h))
          continue;
        INDIGO_TRY(parts_->add_left(h, columns, r));
      }
    }
    parts_->end(keeps_unmatched, keeps_right());
    counters().note_disk(parts_->count(), parts_->bytes());
    return {};
  }

  // What the right side holds allows no answer.
  bool ends_when_built() const {
    if (plan_.null_aware_anti && null_key_) return true;  // NOT IN over a set with a null is never true
    return table_.rows().rows() == 0 && !null_key_ &&
           (plan_.type == JoinType::kInner || plan_.type == JoinType::kSemi || plan_.type == JoinType::kRight);
  }

  static bool any_null(const std::vector<const Vector*>& keys) {
    return std::any_of(keys.begin(), keys.end(), [](const Vector* k) { return !k->all_valid(); });
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
    INDIGO_TRY(read_left_keys(max_rows));
    if (left_chunk_ == nullptr) return {};
    const bool nulls = part_.depth == 0 && any_null(left_values_);
    first_.resize(kChunkRows);
    for (uint32_t i = 0; i < left_selection_.count; i++) {
      uint32_t r = left_selection_[i];
      left_hashes_[r] &= ~kNoMatch;
      __builtin_prefetch(&table_.head(left_hashes_[r]));
    }
    for (uint32_t i = 0; i < left_selection_.count; i++) {
      uint32_t r = left_selection_[i];
      first_[i] = nulls && is_null_key(left_values_, r) ? 0 : table_.head(left_hashes_[r]);
      if (first_[i] != 0) __builtin_prefetch(&table_.entry(first_[i]));
    }
    if (part_.depth > 0) forget_null_keys();
    matched_left_.assign(kChunkRows, 0);
    at_ = 0;
    chain_ = left_selection_.count > 0 ? first_[0] : 0;
    return {};
  }

  // The next left rows, with their keys and hashes.
  Status read_left_keys(uint32_t max_rows) {
    if (part_.depth > 0) return read_left_part();
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
    if (packed_) {
      left_tags_.resize(kChunkRows);
      ops_.pack(left_values_, left_selection_, left_tags_.data());
    }
    return {};
  }

  // The same of the part: a chunk like the input's, of which only the columns that are read are there.
  Status read_left_part() {
    left_chunk_ = nullptr;
    if (part_.left == nullptr) return {};
    INDIGO_ASSIGN(part_left_, part_.left->next());
    if (part_left_ == nullptr) {
      part_.left = nullptr;
      return {};
    }
    INDIGO_TRY(state_.check());
    std::vector<Vector>& read = part_left_->columns;
    restored_.columns.resize(output_.left_phys().size());
    size_t at = 0;
    for (const size_t c : output_.left_used()) restored_.columns[c].reference(read[at++]);
    left_values_.clear();
    for (size_t i = 0; i < left_keys_.size() && !packed_; i++) left_values_.push_back(&read[at++]);
    const uint32_t count = part_left_->selection.count;
    left_hashes_.resize(kChunkRows);
    std::copy_n(read[at++].data<uint64_t>(), count, left_hashes_.data());
    if (packed_) {
      left_tags_.resize(kChunkRows);
      std::copy_n(read[at++].data<uint64_t>(), count, left_tags_.data());
    }
    if (in_order_) left_numbers_ = &read[at];
    restored_.selection = left_selection_ = {nullptr, count};
    left_chunk_ = &restored_;
    return {};
  }
  // A part's left rows whose hash says so match nothing.
  void forget_null_keys() {
    const size_t column = output_.left_used().size() + (packed_ ? 0 : left_keys_.size());
    const auto* hashes = part_left_->columns[column].data<uint64_t>();
    for (uint32_t i = 0; i < left_selection_.count; i++) {
      if (hashes[i] == kNoMatch) first_[i] = 0;
    }
  }

  // The next build row on the chain that equals left row r; 0 at its end.
  uint32_t match(uint32_t r, uint32_t entry) const {
    const uint64_t tag = packed_ ? left_tags_[r] : left_hashes_[r];
    uint32_t steps = 0;
    for (; entry != 0; entry = table_.entry(entry).next, steps++) {
      if (table_.entry(entry).tag == tag &&
          (packed_ || ops_.equal(left_values_, r, table_.rows(), entry - 1, key_column_)))
        break;
    }
    note_steps(steps);
    return entry;
  }

  Result<Chunk*> probe(uint32_t max_rows) {
    ArenaScope scope(state_, arena_);
    arena_.reset();
    if (output_.only_left() && !output_.condition()) return probe_existence(max_rows);
    if (output_.only_left() && !output_.condition().is_volatile()) return probe_in_rounds();
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
      chain_ = table_.entry(entry).next;
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

  // Semi and anti joins with a residual condition.
  Result<Chunk*> probe_in_rounds() {
    rounds_.begin(first_, left_selection_.count);
    at_ = left_selection_.count;
    while (!rounds_.done()) {
      INDIGO_TRY(state_.check());
      const auto next = [&](uint32_t r, uint32_t& place) {
        const uint32_t entry = match(r, place);
        place = entry == 0 ? 0 : table_.entry(entry).next;
        return entry;
      };
      rounds_.round(next, left_selection_, lefts_, rights_, positions_);
      if (!lefts_.empty()) ask(static_cast<uint32_t>(lefts_.size()));
      // Rows behind one that has failed are not asked again.
      rounds_.drop([&](uint32_t position) { return position >= at_ || matched_left_[position] != 0; });
    }
    return finish_left();
  }
  // The condition for the first `n` pairs of lefts_ and rights_; a pair that fails ends the left rows before its own.
  void ask(uint32_t n) {
    gather(n);
    const Frame frame{{&output_.left(), &output_.right()}, n};
    const auto note = [&](Selection passed) {
      for (uint32_t i = 0; i < passed.count; i++) matched_left_[positions_[passed[i]]] = 1;
      counters().filtered -= passed.count;
    };
    counters().filtered += n;
    std::unique_ptr<Error> error;
    const Selection passed = output_.condition().filter(frame, {nullptr, n}, error);
    if (error == nullptr) return note(passed);
    for (uint32_t i = 0; i < n; i++) {
      if (matched_left_[positions_[i]] != 0) continue;
      error = nullptr;
      const auto row = static_cast<uint16_t>(i);
      note(output_.condition().filter(frame, {&row, 1}, error));
      if (error == nullptr) continue;
      at_ = positions_[i];
      error_ = std::move(error);
      return;
    }
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
      table_.rows().gather(stored++, {rights_.data(), n}, output_.right().columns[c]);
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
      if (!found && plan_.null_aware_anti && part_.depth == 0 && table_.rows().rows() > 0 &&
          is_null_key(left_values_, r))
        continue;
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
    for (; rest_at_ < table_.rows().rows() && rights_.size() < max_rows; rest_at_++) {
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

  static constexpr uint64_t kNoMatch = JoinTable::kNoMatch;
  QueryState& state_;
  const sql::HashJoinPlan& plan_;
  const std::vector<Phys> columns_;
  JoinOutput output_;
  ExpressionSet left_keys_, right_keys_;
  KeyOps ops_;
  OperatorPtr left_, right_;
  std::vector<int> table_slots_;  // that the right rows and their keys depend on
  std::vector<Phys> shape_;
  size_t key_column_ = 0;
  bool packed_ = false;    // keys are compared as 64 bits
  bool in_order_ = false;  // rows come in the left ones' order: see sql::HashJoinPlan

  JoinTable table_;
  std::vector<uint8_t> matched_right_;
  SelectionBuffer build_rows_;
  uint64_t generation_ = 0;
  bool built_ = false, null_key_ = false;

  std::vector<const Vector*> right_values_, right_columns_;
  std::vector<uint64_t> right_hashes_, right_tags_;

  std::unique_ptr<JoinParts> parts_;    // null while everything is in memory
  JoinParts::Part part_;                // that is joined; of depth 0: the inputs
  Chunk* part_left_ = nullptr;          // its left rows as they were read
  Chunk restored_;                      // and as the left input had them
  std::unique_ptr<SortedRuns> merged_;  // the parts' rows in the left rows' order, by numbers
  const Vector* left_numbers_ = nullptr;
  uint64_t run_rows_ = 0;

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
  MatchRounds rounds_;
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
  return make_hash_join(b, p, std::move(left), std::move(right));
}

Result<OperatorPtr> make_hash_join(Builder& b, const sql::HashJoinPlan& p, OperatorPtr left, OperatorPtr right) {
  INDIGO_ASSIGN(JoinOutput output, JoinOutput::make(b, p, *p.inputs[0], *p.inputs[1]));
  INDIGO_ASSIGN(ExpressionSet left_keys, b.compile_all(p.left_keys));
  const size_t first = b.used_slots();
  INDIGO_ASSIGN(ExpressionSet right_keys, b.compile_all(p.right_keys));
  std::vector<int> table_slots = b.slots_used_after(first);  // a key may have values of an outer row
  table_slots.insert(table_slots.end(), right->slots().begin(), right->slots().end());
  std::vector<types::TypeRef> types;
  for (const sql::ExprPtr& k : p.left_keys) types.push_back(k->type);
  INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<HashJoinOperator>(b.state(), p, b.phys_of(p.columns), std::move(output),
                                                        std::move(left_keys), std::move(right_keys), std::move(ops),
                                                        std::move(left), std::move(right), std::move(table_slots)));
}

}  // namespace indigo::engine::exec
