#include "engine/exec/expression/set_call.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "sql/analyze/analyzer.h"
#include "types/io/record.h"
#include "types/io/record_shape.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::exec {

namespace {

// The columns of a function that returns more than one; empty for others.
std::vector<types::TypeRef> output_columns(catalog::CatalogView& view, const sql::CallExpr& call) {
  std::vector<types::TypeRef> out;
  const auto f = view.function(call.function);
  if (f == nullptr || call.type.oid != oid::kRecord) return out;
  for (size_t i = 0; i < f->all_argument_types.size() && i < f->argument_modes.size(); i++) {
    const char mode = f->argument_modes[i];
    if (mode != 'o' && mode != 'b' && mode != 't') continue;
    Oid type = f->all_argument_types[i];
    if (type == oid::kAnyElement && !call.arguments.empty()) {
      const auto array = view.type(call.arguments[0]->type.oid);
      if (array != nullptr && array->element != kInvalidOid) type = array->element;
    }
    if (type == oid::kAnyArray && !call.arguments.empty()) type = call.arguments[0]->type.oid;
    out.push_back({type, -1, kInvalidOid});
  }
  if (out.size() < 2) out.clear();
  return out;
}

}  // namespace

Result<std::unique_ptr<SetCall>> SetCall::make(Builder& b, const sql::ExprPtr& call,
                                               std::vector<types::TypeRef> columns, bool as_value) {
  auto c = std::make_unique<SetCall>();
  for (const types::TypeRef& type : columns) c->columns_.push_back(b.phys_of(type));
  c->types_ = std::move(columns);
  c->produced_ = c->columns_;
  c->buffer_.resize(c->columns_.size());
  catalog::CatalogView& view = b.state().session().catalog();
  const auto* e = sql::try_as<sql::CallExpr>(call);
  auto type = view.type(call->type.oid);
  while (type != nullptr && type->kind == 'd') type = view.type(type->base);
  const bool composite = call->type.oid == oid::kRecord || (type != nullptr && type->kind == 'c');
  c->named_ = composite && call->type.oid != oid::kRecord;
  if (e != nullptr && call->type.oid == oid::kRecord && output_columns(view, *e).empty()) {
    const auto f = view.function(e->function);
    c->assigns_ = f != nullptr && f->language == "sql" && e->function >= oid::kFirstUserOid;
  }
  if (e == nullptr || !e->returns_set) {
    INDIGO_ASSIGN(c->arguments_, b.compile_all({call}));
    c->expands_ = !as_value && composite;
    return c;
  }
  c->function_ = types::find_set(e->function);
  if (c->function_ == nullptr) {
    return Error(sqlstate::kFeatureNotSupported,
                 "set-returning function with OID " + std::to_string(e->function) + " is not supported");
  }
  const std::vector<types::TypeRef> output = output_columns(view, *e);
  if (composite && output.empty()) {
    c->expands_ = !as_value;
    c->produced_.assign(1, Phys::kStr);
    c->images_.resize(1);
  } else if (c->columns_.size() == 1 && output.size() > 1) {
    c->fields_ = output;
    c->record_type_ = e->type.oid;
    c->produced_.clear();
    for (const types::TypeRef& field : c->fields_) c->produced_.push_back(b.phys_of(field));
    c->buffer_.resize(c->fields_.size());
  }
  c->strict_ = e->strict;
  c->call_volatile_ = e->volatility == types::Volatility::kVolatile;
  c->info_.function = e->function;
  c->info_.result = e->type;
  c->info_.collation = e->collation;
  for (const sql::ExprPtr& a : e->arguments) c->info_.arguments.push_back(a->type);
  INDIGO_ASSIGN(c->arguments_, b.compile_all(e->arguments));
  return c;
}

Status SetCall::expand(QueryState& state, uint32_t at, const Datum& value) {
  if (value.null) {
    for (size_t c = 0; c < columns_.size(); c++) buffer_[c].set_datum(at, Datum::make_null(columns_[c]));
    return {};
  }
  if (!first_row_) {
    first_row_ = std::string(value.str);
    if (assigns_) INDIGO_TRY(prepare_assignments(state, value.str));
  } else if (!types::same_shape(state.session().catalog(), *first_row_, value.str)) {
    return Error(sqlstate::kDatatypeMismatch, "rows returned by function are not all of the same row type");
  }
  if (!assignments_.empty()) return assign(state, at, value.str);
  if (!types::expand_row(state.functions(), value.str, named_, types_, columns_, row_))
    return state.functions().take_error();
  for (size_t c = 0; c < columns_.size(); c++) buffer_[c].set_datum(at, row_[c]);
  return {};
}

Status SetCall::prepare_assignments(QueryState& state, Str image) {
  assignments_.clear();
  catalog::CatalogView& catalog = state.session().catalog();
  const types::RecordFields fields = types::numbered_fields(catalog, image);
  const auto mismatch = [](std::string detail) {
    return Error(SqlState("42P13"), "return type mismatch in function declared to return record")
        .with_detail(std::move(detail));
  };
  if (fields.types.size() < types_.size()) return mismatch("Final statement returns too few columns.");
  if (fields.types.size() > types_.size()) return mismatch("Final statement returns too many columns.");
  bool any = false;
  std::vector<std::unique_ptr<ScalarExpression>> made(types_.size());
  for (size_t i = 0; i < types_.size(); i++) {
    const types::TypeRef &from = fields.types[i], &to = types_[i];
    const bool modified = to.typmod >= 0 && to.typmod != from.typmod;
    if (!modified && types::stands_for(catalog, from.oid, to.oid)) continue;
    auto cast = sql::analyze_assignment(state.session(), from, to, false);
    if (!cast.ok()) {
      return mismatch("Final statement returns " + types::format_type(catalog, from.oid) + " instead of " +
                      types::format_type(catalog, to.oid) + " at column " + std::to_string(i + 1) + ".");
    }
    if (*cast == nullptr) continue;
    made[i] = std::make_unique<ScalarExpression>(state.session(), *cast);
    any = any || made[i] != nullptr;
  }
  if (any) assignments_ = std::move(made);
  return {};
}

Status SetCall::assign(QueryState& state, uint32_t at, Str image) {
  const types::RecordFields fields = types::numbered_fields(state.session().catalog(), image);
  for (size_t i = 0; i < columns_.size(); i++) {
    Datum value = fields.values[i];
    if (assignments_[i] != nullptr) {
      Datum converted;
      INDIGO_TRY(assignments_[i]->evaluate(&value, converted, &state.context()));
      value = converted;
      if (value.phys == Phys::kStr && !value.null) value.str = arena_.copy(value.str);
    }
    buffer_[i].set_datum(at, value.null ? Datum::make_null(columns_[i]) : value);
  }
  return {};
}

Status SetCall::open(QueryState& state, uint32_t row) {
  at_ = count_ = 0;
  done_ = false;
  producer_ = nullptr;
  first_row_.reset();
  arena_.reset();
  if (function_ == nullptr) {
    Datum d = arguments_[0].datum(row);
    if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
    done_ = true;
    for (size_t c = 0; c < columns_.size(); c++) buffer_[c].init(columns_[c], 1);
    if (expands_) {
      INDIGO_TRY(expand(state, 0, d));
    } else {
      buffer_[0].set_datum(0, d);
    }
    count_ = 1;
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
  std::vector<Vector>& to = expands_ ? images_ : buffer_;
  for (size_t c = 0; c < produced_.size(); c++) to[c].init(produced_[c], capacity);
  count_ = producer_->next(state.functions(), to, capacity);
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
  if (expands_) {
    for (size_t c = 0; c < columns_.size(); c++) buffer_[c].init(columns_[c], std::max(count_, 1u));
    for (uint32_t i = 0; i < count_; i++) {
      if (Status expanded = expand(state, i, images_[0].datum(i)); !expanded.ok()) {
        count_ = 0;
        done_ = true;
        return expanded.take_error();
      }
    }
  }
  return count_ > 0;
}

void SetCall::take(uint32_t n, std::vector<Vector>& to, size_t column, uint32_t first, Arena& arena) {
  if (!fields_.empty()) {
    std::vector<Datum> values(fields_.size());
    for (uint32_t i = 0; i < n; i++) {
      for (size_t c = 0; c < fields_.size(); c++) values[c] = buffer_[c].datum(at_ + i);
      to[column].set_datum(first + i, Datum::of(arena.copy(types::make_record(record_type_, fields_, values))));
    }
    at_ += n;
    return;
  }
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
