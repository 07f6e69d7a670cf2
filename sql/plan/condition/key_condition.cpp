#include "sql/plan/condition/key_condition.h"

#include <algorithm>

#include "catalog/descriptor/class_order.h"
#include "sql/analyze/make.h"
#include "types/function/value_place.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::sql::planning {
namespace {

bool is_text(Oid t) { return t == oid::kText || t == oid::kVarchar || t == oid::kName; }

// What compares a key's column must do so under the collation that the key is ordered by.
bool in_order(catalog::CatalogView& catalog, Oid collation, const KeyPart& part) {
  const Oid own = part.expr->type.collation;
  return collation == own || (catalog.orders_by_bytes(collation) && catalog.orders_by_bytes(own));
}

// Whether both collations call those strings equal whose bytes are.
bool tells_bytes_apart(catalog::CatalogView& catalog, Oid collation, Oid own) {
  const auto deterministic = [&](Oid one) {
    if (one == kInvalidOid || one == oid::kConflictingCollations) return false;
    const types::Collator* const collator = catalog.collator(one);
    return collator == nullptr || (collator->deterministic() && collator->values() == nullptr);
  };
  return deterministic(collation) && deterministic(own);
}

ExprPtr without_relabel(const ExprPtr& e) {
  ExprPtr at = e;
  while (const auto* r = try_as<RelabelExpr>(at)) at = r->argument;
  return at;
}

ExprPtr operator_call(const catalog::OperatorInfo& op, Oid collation, const ExprPtr& left, const ExprPtr& right) {
  auto e = std::make_shared<CallExpr>();
  e->type.oid = oid::kBool;
  e->function = op.function;
  e->op = op.oid;
  e->collation = collation;
  e->form = CallExpr::Form::kOperator;
  e->arguments = {left, right};
  return e;
}

}  // namespace

// The type that a domain is made of.
Oid KeyConditions::base_type(Oid type) const {
  for (int depth = 0; type >= oid::kFirstUserOid && depth < 32; depth++) {
    const auto info = level_.s.catalog().type(type);
    if (!info || info->kind != 'd') break;
    type = info->base;
  }
  return type;
}

// Without what does not change the value: COLLATE, and casts between a domain and its base or between text types.
const ExprPtr& KeyConditions::bare(const ExprPtr& e) const {
  const ExprPtr* at = &e;
  while (true) {
    if (const auto* c = try_as<CollateExpr>(*at)) {
      at = &c->argument;
      continue;
    }
    const auto* r = try_as<RelabelExpr>(*at);
    if (!r) return *at;
    const Oid from = base_type(r->argument->type.oid), to = base_type(r->type.oid);
    if (from != to && !(is_text(from) && is_text(to))) return *at;
    at = &r->argument;
  }
}

// Whether e is the key's column.
bool KeyConditions::is_part(const ExprPtr& e, const KeyPart& part) const { return equal(bare(e), bare(part.expr)); }

bool KeyConditions::usable_value(const ExprPtr& e) const {
  return !level_.rels_of(e).overlaps(rel_.set) && !contains_volatile(*e);
}

// 0: the operator does not go by the key's order.
int KeyConditions::strategy_of(Oid op, Oid collation, const KeyPart& part) const {
  catalog::CatalogView& catalog = level_.s.catalog();
  const Oid own = part.expr->type.collation;
  if (catalog::keys_of_class(catalog, own) != nullptr) return catalog.strategy_in_class(own, op);
  const int strategy = catalog.btree_strategy(op);
  constexpr int kEqual = 3;
  const bool usable =
      in_order(catalog, collation, part) || (strategy == kEqual && tells_bytes_apart(catalog, collation, own));
  return usable ? strategy : 0;
}

KeyConditions::Comparison KeyConditions::compare(const ExprPtr& condition, const KeyPart& part) const {
  Comparison out;
  const types::Collator* own = catalog::keys_of_class(level_.s.catalog(), part.expr->type.collation);
  if (part.expr->type.oid == oid::kBool && own == nullptr) {
    if (is_part(condition, part)) return {3, make_bool(true), true};
    const auto* b = try_as<BoolExpr>(condition);
    if (b && b->op == BoolExpr::Op::kNot && is_part(b->arguments[0], part)) return {3, make_bool(false), true};
  }
  const auto* call = try_as<CallExpr>(condition);
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2) return out;
  const bool flipped = !is_part(call->arguments[0], part);
  if (flipped && !is_part(call->arguments[1], part)) return out;
  const ExprPtr& value = call->arguments[flipped ? 0 : 1];
  if (!usable_value(value)) return out;
  int strategy = strategy_of(call->op, call->collation, part);
  if (strategy == 0) return out;
  if (flipped) strategy = 6 - strategy;
  Comparison found = placed(strategy, value, part.expr->type);
  found.exact = found.exact && (own == nullptr || own->ordered());  // one hash is no equality
  return found;
}

KeyConditions::Operand KeyConditions::operand_of(const ExprPtr& condition, const KeyPart& part) const {
  const auto* call = try_as<CallExpr>(condition);
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2) return {};
  const bool flipped = !is_part(call->arguments[0], part);
  if (flipped && !is_part(call->arguments[1], part)) return {};
  const ExprPtr& value = call->arguments[flipped ? 0 : 1];
  if (!usable_value(value)) return {};
  const catalog::OperatorInfo* op = level_.s.catalog().operator_by_oid(call->op);
  if (op == nullptr) return {};
  return {flipped ? op->commutator : call->op, call->collation, value};
}

// The executor finds the place of a value of another type.
KeyConditions::Comparison KeyConditions::placed(int strategy, const ExprPtr& value, const TypeRef& type) const {
  switch (types::value_placement(base_type(value->type.oid), base_type(type.oid))) {
    case types::ValuePlacement::kNone: return {};
    case types::ValuePlacement::kSame:
    case types::ValuePlacement::kExact: return {strategy, value, true};
    case types::ValuePlacement::kNear: return strategy == 3 ? Comparison{} : Comparison{strategy, value, false};
  }
  return {};
}

ExprPtr KeyConditions::array_of(const ExprPtr& condition, const KeyPart& part) const {
  const auto* compare = try_as<ArrayCompareExpr>(condition);
  if (!compare || !compare->any || !is_part(compare->left, part) || !usable_value(compare->array)) return nullptr;
  if (strategy_of(compare->op, compare->collation, part) != 3) return nullptr;
  const types::Collator* own = catalog::keys_of_class(level_.s.catalog(), part.expr->type.collation);
  if (own != nullptr && !own->ordered()) return nullptr;
  const auto type = level_.s.catalog().type(compare->array->type.oid);
  if (!type) return nullptr;
  const auto placement = types::value_placement(base_type(type->element), base_type(part.expr->type.oid));
  return placement == types::ValuePlacement::kSame || placement == types::ValuePlacement::kExact ? compare->array
                                                                                                 : nullptr;
}

bool KeyConditions::is_null_test(const ExprPtr& condition, const KeyPart& part) const {
  const auto* test = try_as<NullTestExpr>(condition);
  return test && test->is_null && !test->row && is_part(test->argument, part);
}

bool KeyConditions::prefix_of(const ExprPtr& condition, const KeyPart& part, Prefix& out) const {
  const auto* call = try_as<CallExpr>(condition);
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2 || !is_text(part.expr->type.oid)) return false;
  if (!level_.s.catalog().orders_by_bytes(part.expr->type.collation)) return false;
  const auto* op = level_.s.catalog().operator_by_oid(call->op);
  const auto* pattern = try_as<ConstExpr>(call->arguments[1]);
  if (!op || op->name != "~~" || !pattern || pattern->value.get().null || !is_part(call->arguments[0], part))
    return false;
  std::string prefix;
  const Str text = pattern->value.get().str;
  size_t i = 0;
  for (; i < text.size() && text[i] != '%' && text[i] != '_'; i++) {
    if (text[i] == '\\') {
      if (++i == text.size()) return false;
    }
    prefix += text[i];
  }
  const TypeRef type{oid::kText, -1, part.expr->type.collation};
  out.point = i == text.size();
  out.exact = out.point || (i + 1 == text.size() && text[i] == '%');
  if (prefix.empty()) return false;
  out.low = make_const(type, Datum::of(Str(prefix)));
  if (out.point) return true;
  std::string next = prefix;
  while (!next.empty() && static_cast<unsigned char>(next.back()) == 0xFF) next.pop_back();
  if (next.empty()) return false;
  next.back() = static_cast<char>(next.back() + 1);
  out.high = make_const(type, Datum::of(Str(next)));
  return true;
}

KeyConditions::Comparison KeyConditions::row_bound(const ExprPtr& condition, const KeyPart& part) const {
  const auto* row = try_as<RowCompareExpr>(condition);
  if (!row || row->strategy == 3 || row->strategy == 6 || row->left.empty()) return {};
  const bool flipped = !is_part(row->left[0], part);
  if (flipped && !is_part(row->right[0], part)) return {};
  const ExprPtr& value = flipped ? row->left[0] : row->right[0];
  if (!usable_value(value) || !in_order(level_.s.catalog(), row_compare_collation(*row, 0), part)) return {};
  int strategy = flipped ? 6 - row->strategy : row->strategy;
  strategy = strategy < 3 ? 2 : 4;
  Comparison out = placed(strategy, value, part.expr->type);
  out.exact = false;
  return out;
}

bool KeyConditions::alternatives_of(const ExprPtr& condition, std::vector<ExprList>& out, bool& exact) const {
  exact = true;
  if (const auto* any = try_as<BoolExpr>(condition); any && any->op == BoolExpr::Op::kOr) {
    for (const ExprPtr& alternative : any->arguments) flatten_and(alternative, out.emplace_back());
    return true;
  }
  if (const auto* row = try_as<RowCompareExpr>(condition)) return row_alternatives(*row, out);
  const auto* compare = try_as<ArrayCompareExpr>(condition);
  if (!compare || !compare->any) return false;
  const auto* op = level_.s.catalog().operator_by_oid(compare->op);
  const auto* row = try_as<RowExpr>(without_relabel(compare->left));
  const auto* array = try_as<ArrayExpr>(compare->array);
  if (!op || op->name != "=" || op->left != oid::kRecord || !row || !array || array->multidimensional) return false;
  // Rows are equal where their fields are, and null is equal to null there: what this gives is checked again.
  exact = false;
  for (const ExprPtr& element : array->elements) {
    const auto* values = try_as<RowExpr>(without_relabel(element));
    if (!values || values->fields.size() != row->fields.size()) return false;
    ExprList& all = out.emplace_back();
    for (size_t i = 0; i < row->fields.size(); i++) {
      if (ExprPtr e = field_equality(row->fields[i], values->fields[i])) all.push_back(std::move(e));
    }
    if (all.empty()) return false;
  }
  return !out.empty();
}

// (a, b) > (x, y) is a > x OR (a = x AND b > y): true for the same rows, whatever is null.
bool KeyConditions::row_alternatives(const RowCompareExpr& row, std::vector<ExprList>& out) const {
  if (row.strategy == 3 || row.strategy == 6 || row.left.size() < 2) return false;
  const int strict = row.strategy < 3 ? 1 : 5;
  const auto field = [&](size_t i, int strategy) -> ExprPtr {
    if (row.left[i]->type.oid != row.right[i]->type.oid) return nullptr;
    const auto* op =
        level_.s.catalog().operator_by_oid(level_.s.catalog().btree_operator(row.left[i]->type.oid, strategy));
    return op ? operator_call(*op, row_compare_collation(row, i), row.left[i], row.right[i]) : nullptr;
  };
  for (size_t i = 0; i < row.left.size(); i++) {
    ExprList& all = out.emplace_back();
    for (size_t k = 0; k < i; k++) all.push_back(field(k, 3));
    all.push_back(field(i, i + 1 == row.left.size() ? row.strategy : strict));
    if (std::any_of(all.begin(), all.end(), [](const ExprPtr& e) { return e == nullptr; })) {
      out.clear();
      return false;
    }
  }
  return true;
}

bool KeyConditions::may_be_null(const ExprPtr& e) const {
  if (const auto* c = try_as<ConstExpr>(e)) return c->value.get().null;
  const auto* v = try_as<VarExpr>(e);
  if (!v || v->column < 0) return true;
  const Entry& entry = level_.entry(v->entry);
  return entry.kind != EntryKind::kTable || !entry.relation->columns[static_cast<size_t>(v->column)].not_null;
}

// Null: the fields may be equal although `=` does not say so.
ExprPtr KeyConditions::field_equality(const ExprPtr& field, const ExprPtr& value) const {
  if (field->type.oid != value->type.oid || (may_be_null(value) && may_be_null(field))) return nullptr;
  const auto* op = level_.s.catalog().operator_by_oid(level_.s.catalog().btree_operator(field->type.oid, 3));
  if (!op) return nullptr;
  return operator_call(*op, field->type.collation, field, value);
}

}  // namespace indigo::sql::planning
