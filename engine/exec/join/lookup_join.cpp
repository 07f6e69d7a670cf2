// NestedLoop whose right side is one look-up by primary key, or by the whole key of a unique index, for each left row: the
// keys of a left chunk are looked up together, so that storage overlaps their cache misses. At most one right row for each left
// row, so the output is the left chunk itself beside the right rows at the same row numbers.
#include <algorithm>

#include "engine/exec/join/join_output.h"
#include "engine/exec/operators.h"
#include "engine/exec/scan/bounds.h"
#include "engine/exec/scan/row_decoder.h"
#include "engine/exec/scan/unique_index.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

using sql::JoinType;

class LookupJoinOperator final : public Operator {
 public:
  // `index`: by whose keys; null: the primary key's.
  LookupJoinOperator(QueryState& state, JoinType type, const sql::ScanPlan& right, const catalog::IndexInfo* index,
                     JoinOutput output, ExpressionSet keys, std::vector<KeyValuePlacer> placers, OperatorPtr left)
      : state_(state),
        type_(type),
        relation_(right.relation),
        index_(index),
        decoder_(*right.relation, right.scan_columns),
        output_(std::move(output)),
        keys_(std::move(keys)),
        placers_(std::move(placers)),
        left_(std::move(left)) {
    output_.right().columns.resize(right.scan_columns.size());
  }

  // What EXPLAIN ANALYZE shows for the right side, which is no operator of its own.
  sql::PlanCounters& right_counters() { return right_counters_; }

  Status open(Open mode) override {
    error_ = nullptr;
    if (index_ != nullptr && (mode == Open::kFresh || unique_ == nullptr)) {
      INDIGO_ASSIGN(unique_, make_unique_lookup(state_, *relation_, *index_));
    }
    return left_->open(mode);
  }
  void close() override { left_->close(); }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      INDIGO_ASSIGN(Chunk * chunk, left_->next(max_rows));
      if (chunk == nullptr) return nullptr;
      if (chunk->selection.count > 1) INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      Selection rows = chunk->selection;
      rows.count = keys_.evaluate(Frame{{chunk, nullptr}, extent_of(rows)}, rows, error_);
      if (rows.count == 0) continue;
      INDIGO_TRY(look_up(rows));
      Selection passed = found_rows();
      if (output_.condition() && passed.count > 0) {
        std::unique_ptr<Error> failed;
        passed = output_.condition().filter(Frame{{chunk, &output_.right()}, extent_of(rows)}, passed, failed);
        counters().filtered += found_.size() - passed.count;
        if (failed != nullptr) error_ = std::move(failed);
      }
      Selection out = choose(rows, passed);
      if (out.count > 0) return output_.finish(state_, *chunk, output_.right(), out, error_);
    }
  }

 private:
  // Finds the right rows of the left rows; decodes them at the left rows' numbers.
  Status look_up(Selection rows) {
    const types::KeyLayout& layout = index_ != nullptr ? index_->key : relation_->key;
    uint32_t n = 0;
    if (key_bytes_.size() < rows.count) {
      key_bytes_.resize(rows.count);
      key_views_.resize(rows.count);
      images_.resize(rows.count);
      hit_rows_.resize(rows.count);
    }
    wanted_.clear();
    for (uint32_t i = 0; i < rows.count; i++) {
      uint32_t r = rows[i];
      std::string& key = key_bytes_[n];
      key.clear();
      bool none = false;
      for (size_t k = 0; k < keys_.size() && !none; k++) {
        Datum value = keys_[k].datum(r);
        none = value.null || !placers_[k].equal(value);
        if (!none) layout.append_column(k, value, key);
      }
      if (none) continue;
      key_views_[n++] = key;
      wanted_.push_back(static_cast<uint16_t>(r));
    }
    found_.clear();
    if (n == 0) return {};
    if (hits_ == nullptr) hits_ = std::make_unique<bool[]>(kChunkRows);
    const std::span<const Bytes> keys(key_views_.data(), n);
    const std::span<bool> hits(hits_.get(), n);
    storage::StorageStatus status =
        index_ != nullptr
            ? unique_->look_up(state_.transaction(), state_.view(), keys, {hit_rows_.data(), n}, hits)
            : relation_->table->get_many(state_.transaction(), state_.view(), keys, {images_.data(), n}, hits);
    for (uint32_t i = 0; i < n && index_ == nullptr; i++) hit_rows_[i] = {key_views_[i], images_[i]};
    if (status != storage::StorageStatus::kOk) return storage_error(status, relation_.get());
    uint32_t first = n;
    for (uint32_t i = 0; i < n; i++) {
      if (!hits_[i]) continue;
      first = std::min(first, i);
      found_.push_back(wanted_[i]);
    }
    right_counters_.loops += n;
    right_counters_.rows += found_.size();
    if (found_.empty()) return {};
    // Rows without a partner are decoded too, from some found image: their values are never looked at.
    refs_.assign(extent_of(rows), hit_rows_[first]);
    for (uint32_t i = 0; i < n; i++) {
      if (hits_[i]) refs_[wanted_[i]] = hit_rows_[i];
    }
    decoder_.decode(refs_, output_.right(), arena_);
    return {};
  }

  Selection found_rows() const { return {found_.data(), static_cast<uint32_t>(found_.size())}; }

  // The rows that the join answers, of the left rows and those with a partner.
  Selection choose(Selection rows, Selection passed) {
    if (type_ == JoinType::kInner || type_ == JoinType::kSemi) return passed;
    if (passed.count == rows.count && type_ == JoinType::kLeft) return rows;
    uint16_t* alone = alone_.reserve(rows.count);
    uint32_t n = 0;
    for (uint32_t i = 0, p = 0; i < rows.count; i++) {
      if (p < passed.count && passed[p] == rows[i]) {
        p++;
      } else {
        alone[n++] = static_cast<uint16_t>(rows[i]);
      }
    }
    if (type_ == JoinType::kAnti) return {alone, n};
    std::vector<Vector>& right = output_.right().columns;
    for (size_t c = 0; c < right.size(); c++) {
      Phys phys = output_.right_phys()[c];
      if (found_.empty() || right[c].is_constant()) {
        Datum value = right[c].is_constant() && passed.count > 0 ? right[c].datum(0) : Datum::make_null(phys);
        right[c].init(phys, extent_of(rows));
        for (uint32_t i = 0; i < passed.count; i++) right[c].set_datum(passed[i], value);
      }
      for (uint32_t i = 0; i < n; i++) right[c].set_datum(alone[i], Datum::make_null(phys));
    }
    return rows;
  }

  QueryState& state_;
  JoinType type_;
  sql::PlanCounters right_counters_;
  std::shared_ptr<const catalog::RelationInfo> relation_;
  const catalog::IndexInfo* index_;  // of relation_
  std::unique_ptr<storage::UniqueLookup> unique_;
  RowDecoder decoder_;
  JoinOutput output_;
  ExpressionSet keys_;
  std::vector<KeyValuePlacer> placers_;  // of keys_
  OperatorPtr left_;
  std::vector<std::string> key_bytes_, images_;
  std::vector<Bytes> key_views_;
  std::unique_ptr<bool[]> hits_;
  std::vector<uint16_t> wanted_, found_;
  std::vector<storage::RowRef> hit_rows_, refs_;
  SelectionBuffer alone_;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

// `e` of the right side as an expression over both sides: its columns become input 1's, passed slots what is passed.
sql::ExprPtr over_both(const sql::ExprPtr& e, const std::vector<sql::SubPlanExpr::Pass>& passes) {
  if (e == nullptr) return e;
  if (const auto* slot = sql::try_as<sql::RuntimeParamExpr>(e)) {
    for (const auto& pass : passes) {
      if (pass.to == slot->slot) return pass.from;
    }
    return e;
  }
  if (const auto* column = sql::try_as<sql::ColumnExpr>(e)) {
    auto moved = std::make_shared<sql::ColumnExpr>(*column);
    moved->input = 1;
    return moved;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return over_both(child, passes); });
}

bool has_subplan(const sql::ExprPtr& e) {
  if (e == nullptr) return false;
  if (e->kind == sql::ExprKind::kSubPlan) return true;
  bool found = false;
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { found |= has_subplan(child); });
  return found;
}

// What a right side would be looked up by.
struct LookedUp {
  const sql::ScanPlan* scan = nullptr;  // null: it cannot
  const catalog::IndexInfo* index = nullptr;
};
LookedUp looked_up(const sql::Plan& right) {
  if (right.kind == sql::PlanKind::kTableScan) return {&static_cast<const sql::TableScanPlan&>(right)};
  if (right.kind != sql::PlanKind::kIndexScan) return {};
  const auto& scan = static_cast<const sql::IndexScanPlan&>(right);
  const catalog::IndexInfo& index = scan.relation->indexes[static_cast<size_t>(scan.index)];
  return finds_one_row(*scan.relation, index) ? LookedUp{&scan, &index} : LookedUp{};
}

}  // namespace

bool is_lookup_join(const sql::NestedLoopPlan& p) {
  if (p.type == JoinType::kRight || p.type == JoinType::kFull) return false;
  const LookedUp right = looked_up(*p.inputs[1]);
  if (right.scan == nullptr) return false;
  const sql::ScanPlan& scan = *right.scan;
  const sql::KeyBounds& bounds = scan.bounds;
  const types::KeyLayout& key = right.index != nullptr ? right.index->key : scan.relation->key;
  if (bounds.equal.empty() || bounds.equal.size() != key.column_count() || !bounds.plain()) return false;
  if (has_subplan(scan.filter) || (scan.filter != nullptr && sql::contains_volatile(*scan.filter))) return false;
  return std::none_of(bounds.equal.begin(), bounds.equal.end(),
                      [](const sql::ExprPtr& e) { return has_subplan(e) || sql::contains_volatile(*e); });
}

Result<OperatorPtr> make_lookup_join(Builder& b, const sql::NestedLoopPlan& p, OperatorPtr left) {
  const LookedUp right = looked_up(*p.inputs[1]);
  const sql::ScanPlan& scan = *right.scan;
  const types::KeyLayout& key = right.index != nullptr ? right.index->key : scan.relation->key;
  sql::ExprList keys;
  for (const sql::ExprPtr& e : scan.bounds.equal) keys.push_back(over_both(e, p.passes));
  sql::JoinPlan join = p;
  if (scan.filter != nullptr) {
    sql::ExprPtr filter = over_both(scan.filter, p.passes);
    if (join.condition == nullptr) {
      join.condition = filter;
    } else {
      auto both = std::make_shared<sql::BoolExpr>();
      both->type = filter->type;
      both->arguments = {filter, join.condition};
      join.condition = both;
    }
  }
  INDIGO_ASSIGN(JoinOutput output, JoinOutput::make(b, join, *p.inputs[0], *p.inputs[1]));
  INDIGO_ASSIGN(ExpressionSet compiled, b.compile_all(keys));
  std::vector<KeyValuePlacer> placers;
  for (size_t i = 0; i < keys.size(); i++) placers.emplace_back(b, keys[i]->type, key.column(i));
  auto made = std::make_unique<LookupJoinOperator>(b.state(), p.type, scan, right.index, std::move(output),
                                                   std::move(compiled), std::move(placers), std::move(left));
  if (b.state().analysis != nullptr) (*b.state().analysis)[p.inputs[1].get()] = &made->right_counters();
  return OperatorPtr(std::move(made));
}

}  // namespace indigo::engine::exec
