#include "engine/exec/set_call.h"

#include "base/sqlstate.h"

namespace indigo::engine::exec {

Result<std::unique_ptr<SetCall>> SetCall::make(Builder& b, const sql::ExprPtr& call, std::vector<Phys> columns) {
  auto c = std::make_unique<SetCall>();
  c->columns_ = std::move(columns);
  c->buffer_.resize(c->columns_.size());
  const auto* e = sql::try_as<sql::CallExpr>(call);
  if (e == nullptr || !e->returns_set) {
    if (c->columns_.size() != 1) {
      return Error(sqlstate::kFeatureNotSupported, "functions in FROM that return a composite value are not supported");
    }
    INDIGO_ASSIGN(c->arguments_, b.compile_all({call}));
    return c;
  }
  c->function_ = sql::find_set(e->function);
  if (c->function_ == nullptr) {
    return Error(sqlstate::kFeatureNotSupported,
                 "set-returning function with OID " + std::to_string(e->function) + " is not supported");
  }
  c->strict_ = e->strict;
  c->call_volatile_ = e->volatility == catalog::Volatility::kVolatile;
  c->info_.function = e->function;
  c->info_.result = e->type;
  c->info_.collation = e->collation;
  for (const sql::ExprPtr& a : e->arguments) c->info_.arguments.push_back(a->type);
  INDIGO_ASSIGN(c->arguments_, b.compile_all(e->arguments));
  return c;
}

Status SetCall::open(QueryState& state, uint32_t row) {
  at_ = count_ = 0;
  done_ = false;
  producer_ = nullptr;
  arena_.reset();
  if (function_ == nullptr) {
    buffer_[0].init(columns_[0], 1);
    Datum d = arguments_[0].datum(row);
    if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
    buffer_[0].set_datum(0, d);
    count_ = 1;
    done_ = true;
    return {};
  }
  // The values must outlive the chunk that they come from.
  values_.resize(arguments_.size());
  bytes_.resize(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); i++) {
    values_[i] = arguments_[i].datum(row);
    if (values_[i].null) {
      if (strict_) {
        done_ = true;
        return {};
      }
    } else if (values_[i].phys == Phys::kStr) {
      bytes_[i].assign(values_[i].str);
      values_[i].str = bytes_[i];
    }
  }
  ArenaScope scope(state, arena_);
  producer_ = function_->open(state.functions(), info_, values_);
  if (state.functions().failed()) return state.functions().take_error();
  if (producer_ == nullptr) done_ = true;
  return {};
}

Result<bool> SetCall::available(QueryState& state, uint32_t capacity) {
  if (at_ < count_) return true;
  if (done_) return false;
  ArenaScope scope(state, arena_);
  for (size_t c = 0; c < columns_.size(); c++) buffer_[c].init(columns_[c], capacity);
  count_ = producer_->next(state.functions(), buffer_, capacity);
  at_ = 0;
  if (state.functions().failed()) {
    count_ = 0;
    done_ = true;
    return state.functions().take_error();
  }
  if (count_ == 0) {
    done_ = true;
    producer_ = nullptr;
  }
  return count_ > 0;
}

void SetCall::take(uint32_t n, std::vector<Vector>& to, size_t column, uint32_t first, Arena& arena) {
  for (size_t c = 0; c < columns_.size(); c++) {
    for (uint32_t i = 0; i < n; i++) {
      Datum d = buffer_[c].datum(at_ + i);
      if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
      to[column + c].set_datum(first + i, d);
    }
  }
  at_ += n;
}

}  // namespace indigo::engine::exec
