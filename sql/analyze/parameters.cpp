// Parameters whose types come from their context, and literals that became parameters.
#include <algorithm>

#include "sql/analyze/analysis.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

int highest_parameter(const PgQuery__Node* statement) {
  int highest = 0;
  walk_tree(&statement->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__param_ref__descriptor) {
      highest = std::max(highest, reinterpret_cast<const PgQuery__ParamRef*>(m)->number);
    }
    return true;
  });
  return highest;
}

// More than Bind can give values for, which PostgreSQL prepares, too.
constexpr int kMaxParameters = 1000000;

std::shared_ptr<ParamExpr> make_param(int index, const TypeRef& type, int location) {
  auto p = std::make_shared<ParamExpr>();
  p->index = index;
  p->type = type;
  p->location = location;
  return p;
}

}  // namespace

void Analysis::declare_known(std::span<const TypeRef> types) {
  resolved_.assign(types.begin(), types.end());
  types_.clear();
  for (const TypeRef& type : types) types_.push_back(type.oid);
  declared_ = types_.size();
}

void Analysis::declare_parameters(std::span<const Oid> types, bool variable, const PgQuery__Node* statement) {
  if (variables != nullptr) return declare_known(variables->types());
  declared_ = types.size();
  variable_ = variable;
  types_.assign(types.begin(), types.end());
  // Most texts have none, and the tree is large.
  const bool any = text.find('$') != std::string_view::npos;
  const auto highest = static_cast<size_t>(any ? std::clamp(highest_parameter(statement), 0, kMaxParameters) : 0);
  if (highest > types_.size()) types_.resize(highest, kInvalidOid);
  resolved_.resize(types_.size());
  for (size_t i = 0; i < types_.size(); i++) resolved_[i].oid = types_[i];
}

Result<ExprPtr> Analysis::parameter(int number, int location) {
  if (variables != nullptr) {
    INDIGO_ASSIGN(ExprPtr found, variables->parameter(number, location));
    if (found) return found;
    return error(sqlstate::kUndefinedParameter, "there is no parameter $" + std::to_string(number), location);
  }
  const bool known = number >= 1 && static_cast<size_t>(number) <= types_.size();
  if (!known || (!variable_ && static_cast<size_t>(number) > declared_)) {
    return error(sqlstate::kUndefinedParameter, "there is no parameter $" + std::to_string(number), location);
  }
  Oid& type = types_[number - 1];
  if (type == kInvalidOid || (is_call && variable_ && type == oid::kVoid)) type = oid::kUnknown;
  // A client may name any number.
  if (type != oid::kUnknown && catalog.type(type) == nullptr)
    return Error(sqlstate::kInternalError, "cache lookup failed for type " + std::to_string(type));
  TypeRef given = type_with_collation(catalog, {type, -1, kInvalidOid});
  if (given.collation != kInvalidOid && parameter_collation != kInvalidOid) given.collation = parameter_collation;
  return ExprPtr(make_param(number - 1, given, location));
}

Result<ExprPtr> Analysis::resolve_parameter(const ParamExpr& param, const TypeRef& type) {
  if (is_lifted(param)) {
    TypeRef& slot = lifted_types_[param.index - types_.size()];
    slot = type;
    if (slot.oid != oid::kInterval) slot.typmod = -1;  // as for a literal: the others apply it afterwards
  } else {
    if (static_cast<size_t>(param.index) >= types_.size())
      types_.resize(static_cast<size_t>(param.index) + 1, oid::kUnknown);
    Oid& slot = types_[param.index];
    if (slot == oid::kUnknown) {
      slot = type.oid;
    } else if (slot != type.oid) {
      return error(sqlstate::kAmbiguousParameter,
                   "inconsistent types deduced for parameter $" + std::to_string(param.index + 1), param.location)
          .with_detail(format_type(catalog, slot) + " versus " + format_type(catalog, type.oid));
    }
  }
  return ExprPtr(make_param(param.index, type_with_collation(catalog, {type.oid, -1, kInvalidOid}), param.location));
}

Status Analysis::finish_parameters(AnalyzedStatement& out) const {
  if (variables != nullptr) {
    out.parameter_types = resolved_;
    return {};
  }
  for (size_t i = 0; i < types_.size(); i++) {
    if (types_[i] == oid::kUnknown || types_[i] == kInvalidOid) {
      return Error(sqlstate::kIndeterminateDatatype,
                   "could not determine data type of parameter $" + std::to_string(i + 1));
    }
    out.parameter_types.push_back(type_with_collation(catalog, {types_[i], -1, kInvalidOid}));
  }
  out.lifted_types = lifted_types_;
  out.lifted_used = lifted_used_;
  return {};
}

void Analysis::declare_lifted(std::span<const LiftedLiteral> lifted) {
  lifted_ = lifted;
  lifted_types_.resize(lifted.size());
  lifted_used_.assign(lifted.size(), false);
  static constexpr Oid kTypes[] = {oid::kInt4, oid::kInt8, oid::kNumeric, oid::kUnknown, oid::kBit};
  for (size_t i = 0; i < lifted.size(); i++) {
    lifted_types_[i] = type_with_collation(catalog, {kTypes[static_cast<int>(lifted[i].kind)], -1, kInvalidOid});
  }
}

ExprPtr Analysis::lift(int location, bool& negative, Oid constant_type) {
  auto it = std::lower_bound(lifted_.begin(), lifted_.end(), location,
                             [](const LiftedLiteral& l, int at) { return l.location < at; });
  if (it == lifted_.end()) return nullptr;
  if (it->location == location) {
    negative = false;  // the literal has its sign
  } else if (negative) {
    for (int i = location + 1; i < it->location; i++) {
      if (text[i] != ' ') return nullptr;
    }
  } else {
    return nullptr;
  }
  const auto number = static_cast<size_t>(it - lifted_.begin());
  if (lifted_types_[number].oid != constant_type || lifted_used_[number]) return nullptr;
  lifted_used_[number] = true;
  return make_param(static_cast<int>(types_.size() + number), lifted_types_[number], location);
}

ExprPtr Analysis::widen_lifted(const ExprPtr& e, const TypeRef& type) {
  const auto* p = try_as<ParamExpr>(e);
  if (p == nullptr || !is_lifted(*p)) return nullptr;
  const Oid from = p->type.oid, to = type.oid;
  const bool widens = (from == oid::kInt4 && (to == oid::kInt8 || to == oid::kNumeric || to == oid::kFloat8)) ||
                      (from == oid::kInt8 && (to == oid::kNumeric || to == oid::kFloat8)) ||
                      (from == oid::kNumeric && to == oid::kFloat8);
  if (!widens) return nullptr;
  lifted_types_[p->index - types_.size()] = {to, -1, kInvalidOid};
  return make_param(p->index, {to, -1, kInvalidOid}, p->location);
}

}  // namespace indigo::sql
