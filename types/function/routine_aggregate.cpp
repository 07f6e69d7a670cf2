// Aggregates that users have made: pg_aggregate's transition, inverse and final functions, called row by row.
//
// 1. A state is made when its group's first row comes, or when it is finished: by the initial value, else null.
// 2. A strict transition function is not called with nulls; a null state takes the first arguments as its value.
// 3. Moving frames run the second set of functions; where an inverse answers null, the frame is recomputed.
#include <algorithm>
#include <memory>

#include "base/sqlstate.h"
#include "types/function/registry.h"
#include "types/function/routine_call.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

struct GroupState {
  Datum value;
  std::string* bytes;  // of the value
  std::vector<OwnedDatum>* direct;
  int64_t rows;  // that went in, for moving frames
  bool started;
  bool no_value;  // strict, without an initial value, and no row yet
};

// One of the aggregate's functions, with the types of this call.
class Step {
 public:
  bool prepare(FuncContext& context, Oid function, std::vector<TypeRef> arguments, const TypeRef& result,
               Oid collation) {
    if (function == kInvalidOid) return true;
    CatalogContext& catalog = context.session().catalog();
    const auto info = catalog.function(function);
    if (info == nullptr) {
      context.fail(sqlstate::kUndefinedFunction, "function with OID " + std::to_string(function) + " does not exist");
      return false;
    }
    const ScalarFunction* found = find_scalar(function);
    if (found == nullptr) {
      context.fail(sqlstate::kFeatureNotSupported, "function " + info->name + " is not supported");
      return false;
    }
    kernel_ = found->kernel;
    strict_ = info->strict;
    call_.function = function;
    call_.arguments = std::move(arguments);
    call_.result = result;
    call_.collation = collation;
    const auto type = catalog.type(result.oid);
    phys_ = type == nullptr ? Phys::kStr : type->phys;
    values_.resize(call_.arguments.size());
    pointers_.clear();
    for (const Vector& v : values_) pointers_.push_back(&v);
    return true;
  }
  explicit operator bool() const { return kernel_ != nullptr; }
  bool strict() const { return strict_; }
  Phys phys() const { return phys_; }
  size_t arguments() const { return values_.size(); }

  // The result's bytes lie in the context's arena.
  Datum run(FuncContext& context, std::span<const Datum> arguments) {
    for (size_t i = 0; i < values_.size(); i++) values_[i].set_constant(arguments[i]);
    out_.init(phys_, 1);
    kernel_(context, call_, pointers_, Selection{nullptr, 1}, out_);
    return context.failed() ? Datum::make_null(phys_) : out_.datum(0);
  }

 private:
  ScalarKernel kernel_ = nullptr;
  bool strict_ = false;
  CallInfo call_;
  Phys phys_ = Phys::kStr;
  std::vector<Vector> values_;
  std::vector<const Vector*> pointers_;
  Vector out_;
};

// What a polymorphic type of the declaration is in this call.
Oid actual_type(CatalogContext& catalog, Oid declared, std::span<const Oid> parameters,
                std::span<const TypeRef> given) {
  const auto is_array = [](Oid t) { return t == oid::kAnyArray || t == oid::kAnyCompatibleArray; };
  const auto is_element = [](Oid t) {
    return t == oid::kAnyElement || t == oid::kAnyNonArray || t == oid::kAnyEnum || t == oid::kAnyCompatible ||
           t == oid::kAnyCompatibleNonArray;
  };
  if (!is_array(declared) && !is_element(declared)) return declared;
  for (size_t i = 0; i < parameters.size() && i < given.size(); i++) {
    if (!is_array(parameters[i]) && !is_element(parameters[i])) continue;
    if (is_array(parameters[i]) == is_array(declared)) return given[i].oid;
    const auto type = catalog.type(given[i].oid);
    if (type != nullptr) return is_array(declared) ? type->array : type->element;
  }
  return declared;
}

// One aggregate as one query calls it.
struct Program {
  CallInfo call;
  bool moving = false;
  TypeRef state;
  std::optional<std::string> initial;
  size_t direct = 0, aggregated = 0;
  bool final_extra = false;
  Step transition, inverse, final;
  std::vector<Datum> scratch;

  bool prepare(FuncContext& context, const CallInfo& wanted, bool for_moving) {
    call = wanted;
    moving = for_moving;
    CatalogContext& catalog = context.session().catalog();
    const AggregateInfo* found = catalog.aggregate(call.function);
    const auto function = catalog.function(call.function);
    if (found == nullptr || function == nullptr) {
      context.fail(sqlstate::kUndefinedFunction, "aggregate " + std::to_string(call.function) + " does not exist");
      return false;
    }
    const AggregateInfo info = *found;
    const AggregateInfo::Program& p = moving ? info.moving : info.plain;
    const size_t all = call.arguments.size();
    direct = info.kind == 'n'   ? 0
             : info.kind == 'h' ? all / 2
                                : std::min<size_t>(all, static_cast<size_t>(std::max<int>(info.direct_arguments, 0)));
    aggregated = all - direct;
    initial = p.initial;
    final_extra = p.final_extra;
    // The declaration names direct arguments first; a call has them last.
    std::vector<TypeRef> declared_order(call.arguments.begin() + static_cast<ptrdiff_t>(aggregated),
                                        call.arguments.end());
    declared_order.insert(declared_order.end(), call.arguments.begin(),
                          call.arguments.begin() + static_cast<ptrdiff_t>(aggregated));
    state = {actual_type(catalog, p.state, function->arguments, declared_order), -1, call.collation};
    std::vector<TypeRef> types{state};
    types.insert(types.end(), call.arguments.begin(), call.arguments.begin() + static_cast<ptrdiff_t>(aggregated));
    if (!transition.prepare(context, p.transition, types, state, call.collation)) return false;
    if (moving && !inverse.prepare(context, p.inverse, types, state, call.collation)) return false;
    types.resize(1);
    types.insert(types.end(), call.arguments.begin() + static_cast<ptrdiff_t>(aggregated), call.arguments.end());
    if (final_extra)
      types.insert(types.end(), call.arguments.begin(), call.arguments.begin() + static_cast<ptrdiff_t>(aggregated));
    return final.prepare(context, p.final, std::move(types), call.result, call.collation);
  }

  void keep(GroupState& s, const Datum& value) const {
    s.value = value;
    if (value.null || value.phys != Phys::kStr) return;
    if (s.bytes == nullptr) s.bytes = new std::string();
    s.bytes->assign(value.str);
    s.value.str = *s.bytes;
  }

  void start(FuncContext& context, GroupState& s) {
    if (s.started) return;
    s.started = true;
    s.rows = 0;
    s.value = Datum::make_null(transition.phys());
    s.no_value = false;
    if (initial) {
      keep(s, type_input(context, state, *initial));
    } else {
      s.no_value = transition.strict();
    }
  }

  // False: a strict function is not called with a null.
  bool gather(std::span<const Vector* const> arguments, uint32_t row, bool strict) {
    scratch.resize(1 + aggregated);
    for (size_t i = 0; i < aggregated; i++) {
      scratch[i + 1] = arguments[i]->datum(row);
      if (strict && scratch[i + 1].null) return false;
    }
    return true;
  }

  void add(FuncContext& context, GroupState& s, std::span<const Vector* const> arguments, uint32_t row) {
    start(context, s);
    if (context.failed()) return;
    if (direct > 0 && s.direct == nullptr) {
      s.direct = new std::vector<OwnedDatum>();
      for (size_t i = 0; i < direct; i++) s.direct->emplace_back(arguments[aggregated + i]->datum(row));
    }
    if (!gather(arguments, row, transition.strict())) return;
    if (transition.strict() && s.value.null) {
      if (!s.no_value || aggregated == 0) return;
      s.no_value = false;
      s.rows++;
      return keep(s, scratch[1]);
    }
    scratch[0] = s.value;
    const Datum next = transition.run(context, scratch);
    if (context.failed()) return;
    if (moving && next.null)
      return context.fail(sqlstate::kNullValueNotAllowed, "moving-aggregate transition function must not return null");
    s.rows++;
    keep(s, next);
  }

  bool take_out(FuncContext& context, GroupState& s, std::span<const Vector* const> arguments, uint32_t row) {
    if (!gather(arguments, row, inverse.strict())) return true;
    if (s.no_value || s.value.null || s.rows == 0) return false;
    if (s.rows == 1) {
      s.started = false;
      start(context, s);
      return true;
    }
    scratch[0] = s.value;
    const Datum next = inverse.run(context, scratch);
    if (context.failed()) return true;
    if (next.null) return false;
    s.rows--;
    keep(s, next);
    return true;
  }

  void finish(FuncContext& context, GroupState& s, Vector& out, uint32_t row) {
    start(context, s);
    if (context.failed()) return;
    if (!final) {
      Datum value = s.value;
      if (!value.null && value.phys == Phys::kStr) value.str = context.arena().copy(value.str);
      return out.set_datum(row, value.null ? Datum::make_null(out.phys()) : value);
    }
    scratch.assign(final.arguments(), Datum::make_null(Phys::kStr));
    scratch[0] = s.value;
    for (size_t i = 0; i < direct; i++) {
      scratch[1 + i] =
          s.direct != nullptr ? (*s.direct)[i].get() : null_of(context, call.arguments[aggregated + i].oid);
    }
    for (size_t i = 1 + direct; i < scratch.size(); i++)
      scratch[i] = null_of(context, call.arguments[i - 1 - direct].oid);
    const bool null = std::any_of(scratch.begin(), scratch.end(), [](const Datum& d) { return d.null; });
    if (null && final.strict()) return out.set_datum(row, Datum::make_null(out.phys()));
    const Datum value = final.run(context, scratch);
    out.set_datum(row, value.null ? Datum::make_null(out.phys()) : value);
  }

  static Datum null_of(FuncContext& context, Oid type) {
    const auto info = context.session().catalog().type(type);
    return Datum::make_null(info == nullptr ? Phys::kStr : info->phys);
  }
};

struct Programs {
  std::vector<std::unique_ptr<Program>> all;

  // Null: the context has the error.
  Program* of(FuncContext& context, const CallInfo& call, bool moving) {
    for (const auto& p : all) {
      if (p->call.function == call.function && p->moving == moving && p->call.arguments == call.arguments &&
          p->call.collation == call.collation)
        return p.get();
    }
    auto made = std::make_unique<Program>();
    if (!made->prepare(context, call, moving)) return nullptr;
    return all.emplace_back(std::move(made)).get();
  }
};

template <bool kMoving>
void update(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, Selection selection,
            void* const* states) {
  Program* program = context.cached<Programs>().of(context, call, kMoving);
  for (uint32_t i = 0; program != nullptr && i < selection.count && !context.failed(); i++)
    program->add(context, *static_cast<GroupState*>(states[i]), arguments, selection[i]);
}

template <bool kMoving>
void finalize(FuncContext& context, const CallInfo& call, void* state, Vector& out, uint32_t row) {
  if (Program* program = context.cached<Programs>().of(context, call, kMoving); program != nullptr)
    program->finish(context, *static_cast<GroupState*>(state), out, row);
}

bool retract(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, uint32_t row,
             void* state) {
  Program* program = context.cached<Programs>().of(context, call, true);
  return program == nullptr || program->take_out(context, *static_cast<GroupState*>(state), arguments, row);
}

void destroy(void* state) {
  auto* s = static_cast<GroupState*>(state);
  delete s->bytes;
  delete s->direct;
}

constexpr AggregateFunction kPlain{kInvalidOid, sizeof(GroupState), update<false>, finalize<false>, destroy, nullptr};
constexpr AggregateFunction kMovingFrames{kInvalidOid, sizeof(GroupState), update<true>, finalize<true>, destroy,
                                          retract};

}  // namespace

const AggregateFunction& routine_aggregate() { return kPlain; }
const AggregateFunction& moving_routine_aggregate() { return kMovingFrames; }

}  // namespace indigo::types
