#include "engine/exec/aggregate/aggregate_call.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/bytes.h"
#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "storage/store.h"
#include "types/function/routine_call.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

// pg_proc OIDs of the aggregates with inlined updates.
constexpr Oid kCountStar = 2803, kCountAny = 2147, kSumInt2 = 2109, kSumInt4 = 2108;
constexpr Oid kMaxInt4 = 2116, kMinInt4 = 2132, kMaxInt8 = 2115, kMinInt8 = 2131, kMaxDate = 2122, kMinDate = 2138;
constexpr Oid kMaxTimestamp = 2126, kMinTimestamp = 2142, kMaxTimestampTz = 2127, kMinTimestampTz = 2143;

}  // namespace

AggregateCall::Fast AggregateCall::fast_kind(Oid function) {
  switch (function) {
    case kCountStar: return Fast::kCountStar;
    case kCountAny: return Fast::kCount;
    case kSumInt2: return Fast::kSumI16;
    case kSumInt4: return Fast::kSumI32;
    case kMaxInt4:
    case kMaxDate: return Fast::kMaxI32;
    case kMinInt4:
    case kMinDate: return Fast::kMinI32;
    case kMaxInt8:
    case kMaxTimestamp:
    case kMaxTimestampTz: return Fast::kMaxI64;
    case kMinInt8:
    case kMinTimestamp:
    case kMinTimestampTz: return Fast::kMinI64;
    default: return Fast::kNone;
  }
}

Status AggregateCall::set_up(Builder& b, const sql::Expr& e, Oid function, Oid collation,
                             const sql::ExprList& arguments, const sql::ExprPtr& filter) {
  fast_ = fast_kind(function);
  result_phys_ = b.phys_of(e.type);
  call_.function = function;
  call_.result = e.type;
  call_.collation = collation;
  for (const sql::ExprPtr& a : arguments) call_.arguments.push_back(a->type);
  if (fast_ == Fast::kNone) {
    const types::AggregateInfo* made =
        function >= oid::kFirstUserOid ? b.state().session().catalog().aggregate(function) : nullptr;
    if (made != nullptr && made->same_as != kInvalidOid) {
      call_.function = made->same_as;
    } else if (made != nullptr && made->moving.transition != kInvalidOid && e.kind == sql::ExprKind::kWindowCall) {
      moving_ = &types::moving_routine_aggregate();
    }
    function_ = types::find_aggregate(call_.function);
    if (function_ == nullptr) {
      return Error(sqlstate::kFeatureNotSupported,
                   "aggregate with OID " + std::to_string(function) + " is not supported");
    }
    state_bytes_ = (function_->state_bytes + 15) / 16 * 16;
  } else {
    state_bytes_ = sizeof(FastState);
  }
  argument_count_ = arguments.size();
  const auto changes = [](const sql::ExprPtr& x) { return x != nullptr && sql::contains_volatile(*x); };
  volatile_ = changes(filter) || std::any_of(arguments.begin(), arguments.end(), changes);
  INDIGO_ASSIGN(filter_, b.compile_condition(filter));
  return {};
}

Result<AggregateCall> AggregateCall::make(Builder& b, const sql::WindowCallExpr& e) {
  AggregateCall call;
  INDIGO_TRY(call.set_up(b, e, e.function, e.collation, e.arguments, e.filter));
  INDIGO_ASSIGN(call.arguments_, b.compile_all(e.arguments));
  return call;
}

Result<AggregateCall> AggregateCall::make(Builder& b, const sql::AggregateExpr& e) {
  AggregateCall call;
  // Ordered-set aggregates take their direct arguments behind the aggregated ones (types/function/registry.h).
  sql::ExprList exprs = e.arguments;
  exprs.insert(exprs.end(), e.direct.begin(), e.direct.end());
  INDIGO_TRY(call.set_up(b, e, e.function, e.collation, exprs, e.filter));
  if (e.kind_of == 'h')
    for (const sql::SortKey& k : e.order) call.call_.within_group.push_back({k.descending, k.nulls_first});
  if (e.distinct || !e.order.empty()) {
    // Columns of the collected rows: 0 the group, then arguments, then sort keys that are no argument.
    std::vector<types::TypeRef> types;
    std::vector<SortOps::Direction> directions;
    std::vector<bool> ordered(e.arguments.size());
    for (const sql::SortKey& k : e.order) {
      size_t at = 0;
      while (at < exprs.size() && !sql::equal(exprs[at], k.expr)) at++;
      if (at == exprs.size()) exprs.push_back(k.expr);
      if (at < ordered.size()) ordered[at] = true;
      call.order_columns_.push_back(at + 1);
      types.push_back(k.expr->type);
      directions.push_back({k.descending, k.nulls_first});
    }
    if (e.distinct) {
      for (size_t i = 0; i < e.arguments.size(); i++) {
        if (ordered[i]) continue;
        call.order_columns_.push_back(i + 1);
        types.push_back(e.arguments[i]->type);
        directions.push_back({});
      }
    }
    INDIGO_ASSIGN(call.order_, SortOps::make(b, types, directions));
    std::vector<Phys> shape{Phys::kI32};
    for (const sql::ExprPtr& x : exprs) shape.push_back(b.phys_of(x->type));
    if (e.distinct) {
      std::vector<types::TypeRef> key{{oid::kInt4, -1, kInvalidOid}};
      key.insert(key.end(), call.call_.arguments.begin(), call.call_.arguments.end());
      INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, key));
      call.distinct_ = std::make_unique<GroupTable>();
      call.distinct_->init(std::move(ops), std::move(shape));
    } else {
      call.collected_ = std::make_unique<RowStore>();
      call.collected_->init(std::move(shape));
    }
  }
  INDIGO_ASSIGN(call.arguments_, b.compile_all(exprs));
  return call;
}

bool AggregateCall::could_share(const sql::AggregateExpr& e, const AggregateCall& other,
                                const sql::AggregateExpr& other_e) const {
  const auto plain = [](const AggregateCall& c, const sql::AggregateExpr& x) {
    return c.function_ != nullptr && x.function < oid::kFirstUserOid && x.kind_of == 'n' && !x.distinct &&
           x.order.empty();
  };
  if (!plain(*this, e) || !plain(other, other_e) || function_->update != other.function_->update) return false;
  if (e.collation != other_e.collation || !sql::equal(e.filter, other_e.filter)) return false;
  return !volatile_ &&
         std::equal(e.arguments.begin(), e.arguments.end(), other_e.arguments.begin(), other_e.arguments.end(),
                    [](const sql::ExprPtr& a, const sql::ExprPtr& b) { return sql::equal(a, b); });
}

Status AggregateCall::accumulate(QueryState& state, const Frame& frame, Selection selection, const uint32_t* groups,
                                 char* const* states) {
  if (shared_) return {};
  std::unique_ptr<Error> error;
  if (filter_) {
    Selection passed = filter_.filter(frame, selection, error);
    if (error != nullptr) return error;
    groups_.resize(passed.count);
    for (uint32_t i = 0, k = 0; i < passed.count; k++) {
      if (selection[k] == passed[i]) groups_[i++] = groups[k];
    }
    selection = passed;
    groups = groups_.data();
    if (selection.count == 0) return {};
  }
  if (arguments_.evaluate(frame, selection, error) < selection.count) return error;
  values_.clear();
  for (size_t i = 0; i < arguments_.size(); i++) values_.push_back(&arguments_[i]);
  if (collected_ != nullptr || distinct_ != nullptr) {
    Vector group(Phys::kI32, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) group.set(selection[i], static_cast<int32_t>(groups[i]));
    values_.insert(values_.begin(), &group);
    if (collected_ != nullptr) {
      collected_->append(values_, selection);
    } else {
      found_.resize(selection.count);
      distinct_->find_or_add(values_, selection, found_.data());
    }
    return {};
  }
  states_.resize(selection.count);
  for (uint32_t i = 0; i < selection.count; i++) states_[i] = states[groups[i]] + offset_;
  return update(state, {values_.data(), argument_count_}, selection, states_.data());
}

template <class T, class Step>
void AggregateCall::fast_loop(const Vector& v, Selection selection, void* const* states, Step step) {
  const T* data = v.data<T>();
  bool nulls = !v.all_valid();
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    if (nulls && v.is_null(r)) continue;
    auto* s = static_cast<FastState*>(states[i]);
    step(*s, data[v.at(r)]);
    s->seen++;
  }
}

Status AggregateCall::update(QueryState& state, std::span<const Vector* const> arguments, Selection selection,
                             void* const* states) {
  switch (fast_) {
    case Fast::kNone:
      function_->update(state.functions(), call_, arguments, selection, states);
      if (state.functions().failed()) return state.functions().take_error();
      return {};
    case Fast::kCountStar:
      for (uint32_t i = 0; i < selection.count; i++) static_cast<FastState*>(states[i])->seen++;
      return {};
    case Fast::kCount:
      for (uint32_t i = 0; i < selection.count; i++) {
        static_cast<FastState*>(states[i])->seen += !arguments[0]->is_null(selection[i]);
      }
      return {};
    case Fast::kSumI16:
      fast_loop<int16_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) { s.value += v; });
      return {};
    case Fast::kSumI32:
      fast_loop<int32_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) { s.value += v; });
      return {};
    case Fast::kMinI32:
      fast_loop<int32_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) {
        if (s.seen == 0 || v < s.value) s.value = v;
      });
      return {};
    case Fast::kMaxI32:
      fast_loop<int32_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) {
        if (s.seen == 0 || v > s.value) s.value = v;
      });
      return {};
    case Fast::kMinI64:
      fast_loop<int64_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) {
        if (s.seen == 0 || v < s.value) s.value = v;
      });
      return {};
    case Fast::kMaxI64:
      fast_loop<int64_t>(*arguments[0], selection, states, [](FastState& s, int64_t v) {
        if (s.seen == 0 || v > s.value) s.value = v;
      });
      return {};
  }
  return {};
}

std::vector<AggregateCall::CollectedKey> AggregateCall::collected_keys() const {
  const RowStore& rows = collected();
  std::vector<CollectedKey> keys(rows.rows());
  std::vector<Vector> columns(order_columns_.size());
  std::vector<const Vector*> pointers;
  for (const Vector& v : columns) pointers.push_back(&v);
  std::vector<uint32_t> picked;
  std::string bytes;
  for (uint32_t first = 0; first < rows.rows(); first += kChunkRows) {
    uint32_t n = std::min<uint32_t>(kChunkRows, rows.rows() - first);
    picked.resize(n);
    std::iota(picked.begin(), picked.end(), first);
    if (order_.encodable()) {
      for (size_t k = 0; k < columns.size(); k++) rows.gather(order_columns_[k], picked, columns[k]);
    }
    for (uint32_t i = 0; i < n; i++) {
      CollectedKey& key = keys[first + i];
      key = {static_cast<uint32_t>(rows.get<int32_t>(first + i, 0)), first + i, 0, false};
      if (!order_.encodable()) continue;
      bytes.clear();
      order_.append(pointers, i, bytes);
      note_work(50 + bytes.size());
      key.whole = bytes.size() <= sizeof key.prefix;
      bytes.resize(std::max(bytes.size(), sizeof key.prefix));
      key.prefix = big_endian(load_unaligned<uint64_t>(bytes.data()));
    }
  }
  return keys;
}

std::vector<AggregateCall::CollectedKey> AggregateCall::in_order() const {
  const RowStore& rows = collected();
  std::vector<CollectedKey> order = collected_keys();
  constexpr uint64_t kUnitsOfComparison = 8;
  long_sort(order.begin(), order.end(), kUnitsOfComparison, [&](const CollectedKey& a, const CollectedKey& b) {
    if (a.group != b.group) return a.group < b.group;
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (!a.whole || !b.whole) {
      note_work(500);
      for (size_t k = 0; k < order_columns_.size(); k++) {
        int c = order_.compare_values(k, rows.datum(a.row, order_columns_[k]), rows.datum(b.row, order_columns_[k]));
        if (c != 0) return c < 0;
      }
    }
    return a.row < b.row;
  });
  return order;
}

void AggregateCall::keep(const std::vector<uint32_t>& kept, uint32_t limit) {
  const RowStore& rows = collected();
  auto rest = std::make_unique<RowStore>();
  rest->init(rows.phys());
  std::vector<Datum> row(rows.column_count());
  for (const uint32_t r : kept) {
    for (size_t c = 0; c < row.size(); c++) row[c] = rows.datum(r, c);
    row[0] = Datum::of(static_cast<int32_t>(static_cast<uint32_t>(rows.get<int32_t>(r, 0)) - limit));
    rest->append(row);
  }
  if (distinct_ == nullptr) {
    collected_ = std::move(rest);
    return;
  }
  distinct_->clear();
  std::vector<uint32_t> picked;
  Chunk chunk;
  for (uint32_t first = 0; first < rest->rows(); first += kChunkRows) {
    picked.resize(std::min<uint32_t>(kChunkRows, rest->rows() - first));
    std::iota(picked.begin(), picked.end(), first);
    chunk.columns.resize(rest->column_count());
    values_.clear();
    for (size_t c = 0; c < rest->column_count(); c++) {
      rest->gather(c, picked, chunk.columns[c]);
      values_.push_back(&chunk.columns[c]);
    }
    found_.resize(picked.size());
    distinct_->find_or_add(values_, {nullptr, static_cast<uint32_t>(picked.size())}, found_.data());
  }
}

Status AggregateCall::flush(QueryState& state, uint32_t limit, char* const* states) {
  if ((collected_ == nullptr && distinct_ == nullptr) || collected().rows() == 0) return {};
  const RowStore& rows = collected();
  auto group_of = [&](uint32_t r) { return static_cast<uint32_t>(rows.get<int32_t>(r, 0)); };
  std::vector<uint32_t> kept, picked;
  Chunk chunk;
  chunk.columns.resize(argument_count_);
  auto feed = [&]() -> Status {
    if (picked.empty()) return {};
    values_.clear();
    for (size_t i = 0; i < argument_count_; i++) {
      rows.gather(i + 1, picked, chunk.columns[i]);
      values_.push_back(&chunk.columns[i]);
    }
    states_.resize(picked.size());
    for (size_t i = 0; i < picked.size(); i++) states_[i] = states[group_of(picked[i])] + offset_;
    Selection all{nullptr, static_cast<uint32_t>(picked.size())};
    picked.clear();
    return update(state, values_, all, states_.data());
  };
  const auto take = [&](uint32_t row) -> Status {
    if (group_of(row) >= limit) {
      kept.push_back(row);
      return {};
    }
    picked.push_back(row);
    return picked.size() == kChunkRows ? feed() : Status();
  };
  // Sums, counts and extremes of integers are the same in any order.
  if (fast_ == Fast::kNone) {
    for (const CollectedKey& key : in_order()) INDIGO_TRY(take(key.row));
  } else {
    for (uint32_t row = 0; row < rows.rows(); row++) INDIGO_TRY(take(row));
  }
  INDIGO_TRY(feed());
  keep(kept, limit);
  return {};
}

Status AggregateCall::update_rows(QueryState& state, std::span<const Vector* const> arguments, Selection rows,
                                  char* group) {
  if (rows.count == 0) return {};
  states_.assign(rows.count, group + offset_);
  return update(state, arguments, rows, states_.data());
}

Result<bool> AggregateCall::retract_one(QueryState& state, std::span<const Vector* const> arguments, uint32_t row,
                                        char* group) {
  if (function_ != nullptr) {
    const bool taken = function_->retract(state.functions(), call_, arguments, row, group + offset_);
    if (state.functions().failed()) return state.functions().take_error();
    return taken;
  }
  auto& s = *reinterpret_cast<FastState*>(group + offset_);
  if (fast_ != Fast::kCountStar && arguments[0]->is_null(row)) return true;
  s.seen--;
  if (fast_ == Fast::kSumI16) s.value -= arguments[0]->get<int16_t>(row);
  if (fast_ == Fast::kSumI32) s.value -= arguments[0]->get<int32_t>(row);
  return true;
}

Status AggregateCall::finalize(QueryState& state, char* group, Vector& out, uint32_t row) {
  if (fast_ == Fast::kNone) {
    function_->finalize(state.functions(), call_, group + offset_, out, row);
    if (state.functions().failed()) return state.functions().take_error();
    return {};
  }
  const auto& s = *reinterpret_cast<FastState*>(group + offset_);
  if (fast_ == Fast::kCountStar || fast_ == Fast::kCount) {
    out.set_datum(row, Datum::of(s.seen));
  } else if (s.seen == 0) {
    out.set_datum(row, Datum::make_null(result_phys_));
  } else if (result_phys_ == Phys::kI32) {
    out.set_datum(row, Datum::of(static_cast<int32_t>(s.value)));
  } else {
    out.set_datum(row, Datum::of(s.value));
  }
  return {};
}

void AggregateCall::destroy(char* group) {
  if (!shared_ && function_ != nullptr && function_->destroy != nullptr) function_->destroy(group + offset_);
}

}  // namespace indigo::engine::exec
