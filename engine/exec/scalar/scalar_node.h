// Expressions for one row: trees of nodes that compute one datum from parameters. Programs evaluate an expression for a
// single row millions of times; vectors of one row would cost them several times what the computation does.
//
// Invariants:
//  1. A node answers exactly what the vectorized node of the same expression answers: value, null, SQLSTATE and message.
//  2. evaluate() answers false when FuncContext has failed(); `out` is garbage then.
//  3. CASE, COALESCE, AND and OR evaluate only the arguments that PostgreSQL would evaluate, in its order.
//  4. Strings of a result live until the expression's next evaluation: they borrow from parameters, constants, the arena of
//     FuncContext or a node.
//  5. Parameters do not change while the expression is evaluated. A null parameter may have any physical kind.
// Thread safety: none; belongs to one session. A tree with calls of users' functions is not entered again while it runs.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/exec/execution.h"
#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::engine::exec {

struct ScalarRun {
  const Datum* parameters;
  types::FuncContext& functions;
  // Only for nodes that the vectorized evaluation does (ScalarCompiler::needs_context).
  const ExecutionContext* context = nullptr;
};

// Copies a value by its own width: a wide load would have to wait until the narrow stores before it have reached the cache.
// What does not belong to the value stays as it is.
inline void copy_scalar(Datum& to, const Datum& from) {
  static_assert(offsetof(Datum, b) == 0 && offsetof(Datum, i64) == 0);
  switch (from.phys) {
    case Phys::kBool: std::memcpy(static_cast<void*>(&to), &from, 1); break;
    case Phys::kI16: std::memcpy(static_cast<void*>(&to), &from, 2); break;
    case Phys::kI32:
    case Phys::kF32: std::memcpy(static_cast<void*>(&to), &from, 4); break;
    case Phys::kI64:
    case Phys::kF64: std::memcpy(static_cast<void*>(&to), &from, 8); break;
    case Phys::kB16:
    case Phys::kStr: to = from; return;
  }
  to.phys = from.phys;
  to.null = from.null;
}

// Room for a node's value, which nobody has to clear before.
struct ScalarScratch {
  ScalarScratch() {}  // NOLINT(modernize-use-equals-default): leaves `datum` as it is
  union {
    Datum datum;
  };
};

class ScalarNode {
 public:
  ScalarNode() = default;
  virtual ~ScalarNode() = default;
  ScalarNode(const ScalarNode&) = delete;
  ScalarNode& operator=(const ScalarNode&) = delete;
  virtual bool evaluate(ScalarRun& run, Datum& out) = 0;
};
using ScalarPtr = std::unique_ptr<ScalarNode>;

// A node's argument. Parameters and constants are read where they are.
class ScalarOperand {
 public:
  static ScalarOperand parameter(int index) {
    ScalarOperand o;
    o.kind_ = Kind::kParameter;
    o.index_ = static_cast<size_t>(index);
    return o;
  }
  // Strings stay borrowed.
  static ScalarOperand constant(const Datum& value) {
    ScalarOperand o;
    o.constant_ = value;
    return o;
  }
  static ScalarOperand computed(ScalarPtr node) {
    ScalarOperand o;
    o.kind_ = Kind::kComputed;
    o.node_ = std::move(node);
    return o;
  }
  bool is_constant() const { return kind_ == Kind::kConstant; }

  // Null when it failed. `scratch` is room for a computed value.
  [[gnu::always_inline]] const Datum* get(ScalarRun& run, Datum& scratch) const {
    switch (kind_) {
      case Kind::kParameter: return &run.parameters[index_];
      case Kind::kConstant: return &constant_;
      case Kind::kComputed: break;
    }
    return node_->evaluate(run, scratch) ? &scratch : nullptr;
  }

 private:
  enum class Kind : uint8_t { kParameter, kConstant, kComputed };
  Kind kind_ = Kind::kConstant;
  size_t index_ = 0;
  Datum constant_;
  ScalarPtr node_;
};

inline void set_null(Datum& out, Phys phys) {
  out.phys = phys;
  out.null = true;
}

// The value of a datum that holds a T, and the other way round.
template <class T>
T scalar_value(const Datum& d);
template <>
inline bool scalar_value<bool>(const Datum& d) {
  return d.b;
}
template <>
inline int16_t scalar_value<int16_t>(const Datum& d) {
  return d.i16;
}
template <>
inline int32_t scalar_value<int32_t>(const Datum& d) {
  return d.i32;
}
template <>
inline uint32_t scalar_value<uint32_t>(const Datum& d) {
  return static_cast<uint32_t>(d.i32);
}
template <>
inline int64_t scalar_value<int64_t>(const Datum& d) {
  return d.i64;
}
template <>
inline float scalar_value<float>(const Datum& d) {
  return d.f32;
}
template <>
inline double scalar_value<double>(const Datum& d) {
  return d.f64;
}
template <>
inline Str scalar_value<Str>(const Datum& d) {
  return d.str;
}
template <>
inline Interval scalar_value<Interval>(const Datum& d) {
  return d.interval;
}

inline void set_value(Datum& out, bool v) {
  out.b = v;
  out.phys = Phys::kBool;
  out.null = false;
}
inline void set_value(Datum& out, int16_t v) {
  out.i16 = v;
  out.phys = Phys::kI16;
  out.null = false;
}
inline void set_value(Datum& out, int32_t v) {
  out.i32 = v;
  out.phys = Phys::kI32;
  out.null = false;
}
inline void set_value(Datum& out, int64_t v) {
  out.i64 = v;
  out.phys = Phys::kI64;
  out.null = false;
}
inline void set_value(Datum& out, float v) {
  out.f32 = v;
  out.phys = Phys::kF32;
  out.null = false;
}
inline void set_value(Datum& out, double v) {
  out.f64 = v;
  out.phys = Phys::kF64;
  out.null = false;
}
inline void set_value(Datum& out, Interval v) {
  out.interval = v;
  out.phys = Phys::kB16;
  out.null = false;
}
inline void set_value(Datum& out, Str v) {
  out.str = v;
  out.phys = Phys::kStr;
  out.null = false;
}
template <class T>
inline constexpr Phys kScalarPhys = std::is_same_v<T, bool>       ? Phys::kBool
                                    : std::is_same_v<T, int16_t>  ? Phys::kI16
                                    : std::is_same_v<T, int32_t>  ? Phys::kI32
                                    : std::is_same_v<T, int64_t>  ? Phys::kI64
                                    : std::is_same_v<T, float>    ? Phys::kF32
                                    : std::is_same_v<T, double>   ? Phys::kF64
                                    : std::is_same_v<T, Interval> ? Phys::kB16
                                                                  : Phys::kStr;

}  // namespace indigo::engine::exec
