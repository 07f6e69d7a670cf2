#include "engine/exec/scan/nearest_scan.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/inverted_key.h"
#include "engine/exec/scan/ring_rows.h"
#include "engine/exec/scan/row_decoder.h"
#include "engine/exec/scan/scan.h"
#include "engine/exec/scan/unique_index.h"
#include "storage/nearest_rows.h"
#include "types/extension/vector/vector.h"
#include "types/number/integer_text.h"

namespace indigo::engine::exec {
namespace {

constexpr int32_t kUsualCandidates = 40, kMostCandidates = 1000;  // hnsw.ef_search

// What both kinds have: one value to which the column is compared.
class NearestScanOperator : public ScanOperator {
 public:
  NearestScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator whole, Condition filter,
                      ExpressionSet values, const catalog::InvertedKey& key)
      : ScanOperator(state, plan, std::move(whole), std::move(filter)),
        index_(plan.relation->indexes[static_cast<size_t>(plan.index)]),
        column_(static_cast<size_t>(plan.inverted[0].column)),
        key_(key),
        values_(std::move(values)) {}

  // Another value has other neighbours.
  Status open(Open) override { return ScanOperator::open(Open::kFresh); }

 protected:
  Oid counted_as() const override { return index_.oid; }
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    INDIGO_TRY(check_index_usable(state_, *plan_.relation, index_.storage));
    INDIGO_TRY(values_.evaluate_constant());
    return nearest_to(values_[0].datum(0), range);
  }
  virtual Result<std::unique_ptr<storage::Cursor>> nearest_to(const Datum& value, const storage::KeyRange& range) = 0;
  // Where no distance is known: any order.
  std::unique_ptr<storage::Cursor> unordered(const storage::KeyRange& range) {
    return plan_.relation->table->scan(state_.transaction(), state_.view(), range, plan_.direction);
  }

  const catalog::IndexInfo& index_;
  const size_t column_;
  const catalog::InvertedKey key_;

 private:
  ExpressionSet values_;
};

class GraphScanOperator final : public NearestScanOperator {
 public:
  GraphScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator whole, Condition filter,
                    ExpressionSet values, const catalog::InvertedKey& key)
      : NearestScanOperator(state, plan, std::move(whole), std::move(filter), std::move(values), key),
        wanted_(plan.wanted) {}

 protected:
  Result<std::unique_ptr<storage::Cursor>> nearest_to(const Datum& value, const storage::KeyRange& range) override {
    std::vector<std::string> keys;
    if (!value.null) {
      INDIGO_TRY(types::vectors::check_same_dimensions(*key_.keys, index_.columns[column_].type.typmod, value.str));
      key_.keys->keys_of(key_.column, value, keys);
    }
    if (keys.empty()) return unordered(range);
    keys[0].insert(0, catalog::inverted_column_prefix(column_));
    return storage::nearest_rows(*plan_.relation->table, state_.transaction(), state_.view(), index_.storage,
                                 std::move(keys[0]), candidates());
  }

 private:
  // How many are kept at a time: what hnsw.ef_search says, and as many as somebody wants to read.
  size_t candidates() {
    int32_t set = kUsualCandidates;
    std::string text;
    if (state_.session().setting("hnsw.ef_search", text) && types::parse_integer(text, set) != types::IntegerParse::kOk)
      set = kUsualCandidates;
    const double most = std::max<double>(set, wanted_);
    return static_cast<size_t>(std::clamp<double>(most, 1, kMostCandidates));
  }

  const double wanted_;
};

class RingScanOperator final : public NearestScanOperator {
 public:
  // `distance`: of the column, which is the only one of its input, from the value.
  RingScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator whole, Condition filter,
                   ExpressionSet values, const catalog::InvertedKey& key, ExpressionSet distance)
      : NearestScanOperator(state, plan, std::move(whole), std::move(filter), std::move(values), key),
        wanted_(plan.wanted),
        distance_(std::move(distance)),
        column_decoder_(*plan.relation, {index_.columns[column_].column - 1}) {
    input_.columns.resize(1);
  }

 protected:
  Result<std::unique_ptr<storage::Cursor>> nearest_to(const Datum& value, const storage::KeyRange& range) override {
    if (value.null) return unordered(range);
    return std::unique_ptr<storage::Cursor>(std::make_unique<RingRows>(
        state_, *plan_.relation->table, index_.storage, column_, key_, value, wanted_,
        [this](std::span<const storage::RowRef> rows) { return distances_of(rows); }, cursor_error()));
  }

 private:
  Result<std::vector<Datum>> distances_of(std::span<const storage::RowRef> rows) {
    ArenaScope scope(state_, scratch_);
    scratch_.reset();
    column_decoder_.decode(rows, input_, scratch_);
    const auto count = static_cast<uint32_t>(rows.size());
    std::unique_ptr<Error> error;
    distance_.evaluate(Frame{{&input_, nullptr}, count}, Selection{nullptr, count}, error);
    std::vector<Datum> out;
    if (error != nullptr) {
      // What is so far away may be no row that is asked for.
      if (error->state != sqlstate::kNumericValueOutOfRange && error->state != sqlstate::kDatetimeFieldOverflow)
        return std::move(*error);
      if (rows.size() == 1) return std::vector<Datum>{Datum::of(std::numeric_limits<double>::quiet_NaN())};
      for (size_t i = 0; i < rows.size(); i++) {
        INDIGO_ASSIGN(const std::vector<Datum> one, distances_of(rows.subspan(i, 1)));
        out.push_back(one[0]);
      }
      return out;
    }
    for (uint32_t i = 0; i < count; i++) out.push_back(distance_[0].datum(i));
    return out;
  }

  const double wanted_;
  ExpressionSet distance_;
  RowDecoder column_decoder_;
  Chunk input_;
  Arena scratch_{256};
};

// column OPERATOR value, over an input with that column alone.
sql::ExprPtr distance_of_column(catalog::CatalogView& catalog, const sql::IndexScanPlan& p,
                                const types::TypeRef& type) {
  const catalog::OperatorInfo* op = catalog.operator_by_oid(p.inverted[0].op);
  auto column = std::make_shared<sql::ColumnExpr>();
  column->type = type;
  auto call = std::make_shared<sql::CallExpr>();
  call->type = {op->result, -1, kInvalidOid};
  call->function = op->function;
  call->op = op->oid;
  call->form = sql::CallExpr::Form::kOperator;
  call->arguments = {column, p.bounds.equal[0]};
  return call;
}

}  // namespace

Result<OperatorPtr> make_nearest_scan(Builder& b, const sql::IndexScanPlan& p) {
  static const sql::KeyBounds kWhole;
  const catalog::IndexInfo& index = p.relation->indexes[static_cast<size_t>(p.index)];
  const catalog::IndexColumn& column = index.columns[static_cast<size_t>(p.inverted[0].column)];
  catalog::CatalogView& catalog = b.state().session().catalog();
  INDIGO_ASSIGN(KeyBoundsEvaluator whole, KeyBoundsEvaluator::make(b, kWhole, index.key));
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(p.bounds.equal));
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  const catalog::InvertedKey key = catalog::inverted_key(catalog, column);
  if (key.keys == nullptr) return Error(sqlstate::kInternalError, "an index of distances without keys");
  if (key.order != kInvalidOid) {
    return OperatorPtr(
        std::make_unique<GraphScanOperator>(b.state(), p, std::move(whole), std::move(filter), std::move(values), key));
  }
  INDIGO_ASSIGN(ExpressionSet distance, b.compile_all({distance_of_column(catalog, p, column.type)}));
  return OperatorPtr(std::make_unique<RingScanOperator>(b.state(), p, std::move(whole), std::move(filter),
                                                        std::move(values), key, std::move(distance)));
}

}  // namespace indigo::engine::exec
