// Makes a ScalarKernel of a plain C++ function: kernel<f> writes the loop, the null handling and the error stop.
//
//   int32_t f(int32_t a, int32_t b)                              strict and infallible
//   Str f(FuncContext& context, Str a)                           may fail (context.fail), takes memory from context.arena()
//   Str f(FuncContext& context, const CallInfo& call, Datum a)   polymorphic
//
// Parameters: bool, int16_t, int32_t, int64_t, float, double, Interval, TimeTz, Uuid, Str, or Datum for any of them.
// A std::optional<T> parameter receives nulls; the others are strict: a null there makes the row null without a call.
// Results: the same types; std::string is copied into the arena; std::optional<T> may be null; so may a Datum.
// checked<op, fail> is for arithmetic: op returns true on overflow, fail reports it.
// Thread safety: pure templates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/fiber/long_work.h"
#include "types/function/context.h"
#include "types/function/registry.h"

namespace indigo::types {

// What the rows of one chunk may make together before somebody looks whether there is memory for more.
inline constexpr size_t kComputedBytesUnchecked = 64 << 20;
// True and 53200 when a chunk's values take too much, or the machine has no more (computed_memory.cpp).
bool computed_too_much(FuncContext& context);

namespace kernel_detail {

// Whether a function with this result may take memory that grows with each row.
template <class R>
inline constexpr bool kTakesMemory = !std::is_arithmetic_v<R>;

// A long argument takes its function long: whoever calls one for each row is looked after between rows.
template <class T>
void note_long([[maybe_unused]] const T& argument) {
  constexpr size_t kLongBytes = 4096;
  if constexpr (std::is_same_v<T, Str>) {
    if (argument.size() > kLongBytes) [[unlikely]]
      note_work(argument.size());
  } else if constexpr (std::is_same_v<T, Datum>) {
    if (!argument.null && argument.phys == Phys::kStr) note_long(argument.str);
  } else if constexpr (requires { argument.value(); }) {
    if (argument) note_long(*argument);
  }
}

inline bool out_of_memory(FuncContext& context) {
  return context.arena().allocated_bytes() > kComputedBytesUnchecked && computed_too_much(context);
}

template <class T>
class Param {
 public:
  static constexpr bool kFixed = true;
  explicit Param(const Vector& v)
      : data_(v.data<T>()), validity_(v.validity()), mask_(v.is_constant() ? 0 : ~uint32_t{0}) {}
  bool nullable() const { return validity_ != nullptr; }
  bool null(uint32_t r) const { return validity_ != nullptr && validity_[r & mask_] == 0; }
  const T& get(uint32_t r) const { return data_[r & mask_]; }

 private:
  const T* data_;
  const uint8_t* validity_;
  uint32_t mask_;
};

template <class T>
class Param<std::optional<T>> {
 public:
  static constexpr bool kFixed = false;
  explicit Param(const Vector& v) : param_(v) {}
  bool nullable() const { return false; }
  bool null(uint32_t) const { return false; }
  std::optional<T> get(uint32_t r) const {
    return param_.null(r) ? std::optional<T>() : std::optional<T>(param_.get(r));
  }

 private:
  Param<T> param_;
};

template <>
class Param<Datum> {
 public:
  static constexpr bool kFixed = false;
  explicit Param(const Vector& v) : vector_(v) {}
  bool nullable() const { return !vector_.all_valid(); }
  bool null(uint32_t r) const { return vector_.is_null(r); }
  Datum get(uint32_t r) const { return vector_.datum(r); }

 private:
  const Vector& vector_;
};

template <class R>
struct Store {
  static void put(FuncContext&, Vector& out, uint32_t r, const R& value) {
    out.set(r, value);
    out.set_valid(r);
  }
};
template <>
struct Store<std::string> {
  static void put(FuncContext& context, Vector& out, uint32_t r, const std::string& value) {
    Store<Str>::put(context, out, r, context.arena().copy(value));
  }
};
template <>
struct Store<Datum> {
  static void put(FuncContext&, Vector& out, uint32_t r, const Datum& value) { out.set_datum(r, value); }
};
template <class R>
struct Store<std::optional<R>> {
  static void put(FuncContext& context, Vector& out, uint32_t r, const std::optional<R>& value) {
    if (value) {
      Store<R>::put(context, out, r, *value);
    } else {
      out.set_datum(r, Datum::make_null(out.phys()));
    }
  }
};

template <auto F, class Function = decltype(F)>
struct Kernel;

// Infallible.
template <auto F, class R, class... P>
struct Kernel<F, R (*)(P...)> {
  template <size_t... I>
  static void run(FuncContext& context, const CallInfo&, [[maybe_unused]] std::span<const Vector* const> arguments,
                  Selection selection, Vector& out, std::index_sequence<I...>) {
    loop(context, selection, out, Param<P>(*arguments[I])...);
  }
  static constexpr size_t kArity = sizeof...(P);

 private:
  static void loop(FuncContext& context, Selection selection, Vector& out, Param<P>... p) {
    const bool nulls = (false || ... || p.nullable());
    if constexpr ((true && ... && Param<P>::kFixed) && std::is_arithmetic_v<R>) {
      if (!nulls && selection.rows == nullptr && out.all_valid()) {
        R* to = out.data<R>();
        for (uint32_t r = 0; r < selection.count; r++) to[r] = F(p.get(r)...);
        return;
      }
    }
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (nulls && (false || ... || p.null(r))) {
        out.set_datum(r, Datum::make_null(out.phys()));
      } else {
        (note_long(p.get(r)), ...);
        Store<R>::put(context, out, r, F(p.get(r)...));
        if constexpr (kTakesMemory<R>) {
          if (out_of_memory(context)) [[unlikely]]
            return;
        }
      }
    }
  }
};

// With a context, and perhaps the call.
template <auto F, bool kWithCall, class R, class... P>
struct ContextKernel {
  template <size_t... I>
  static void run(FuncContext& context, const CallInfo& call, [[maybe_unused]] std::span<const Vector* const> arguments,
                  Selection selection, Vector& out, std::index_sequence<I...>) {
    loop(context, call, selection, out, Param<P>(*arguments[I])...);
  }
  static constexpr size_t kArity = sizeof...(P);

 private:
  static void loop(FuncContext& context, const CallInfo& call, Selection selection, Vector& out, Param<P>... p) {
    const bool nulls = (false || ... || p.nullable());
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (nulls && (false || ... || p.null(r))) {
        out.set_datum(r, Datum::make_null(out.phys()));
        continue;
      }
      (note_long(p.get(r)), ...);
      if constexpr (kWithCall) {
        Store<R>::put(context, out, r, F(context, call, p.get(r)...));
      } else {
        Store<R>::put(context, out, r, F(context, p.get(r)...));
      }
      if (context.failed()) [[unlikely]]
        return;
      if constexpr (kTakesMemory<R>) {
        if (out_of_memory(context)) [[unlikely]]
          return;
      }
    }
  }
};
template <auto F, class R, class... P>
struct Kernel<F, R (*)(FuncContext&, P...)> : ContextKernel<F, false, R, P...> {};
template <auto F, class R, class... P>
struct Kernel<F, R (*)(FuncContext&, const CallInfo&, P...)> : ContextKernel<F, true, R, P...> {};

template <auto Op, auto Fail, class Function = decltype(Op)>
struct Checked;
template <auto Op, auto Fail, class A, class B, class R>
struct Checked<Op, Fail, bool (*)(A, B, R&)> {
  static void run(FuncContext& context, const CallInfo&, std::span<const Vector* const> arguments, Selection selection,
                  Vector& out) {
    const Param<A> a(*arguments[0]);
    const Param<B> b(*arguments[1]);
    const bool nulls = a.nullable() || b.nullable();
    R* to = out.data<R>();
    bool overflow = false;
    if (!nulls && selection.rows == nullptr && out.all_valid()) {
      for (uint32_t r = 0; r < selection.count; r++) overflow |= Op(a.get(r), b.get(r), to[r]);
    } else {
      for (uint32_t i = 0; i < selection.count; i++) {
        const uint32_t r = selection[i];
        if (nulls && (a.null(r) || b.null(r))) {
          out.set_datum(r, Datum::make_null(out.phys()));
        } else {
          overflow |= Op(a.get(r), b.get(r), to[r]);
          out.set_valid(r);
        }
      }
    }
    if (overflow) [[unlikely]]
      Fail(context);
  }
};

}  // namespace kernel_detail

template <auto F>
void kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, Selection selection,
            Vector& out) {
  using K = kernel_detail::Kernel<F>;
  K::run(context, call, arguments, selection, out, std::make_index_sequence<K::kArity>());
}

template <auto Op, auto Fail>
void checked(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, Selection selection,
             Vector& out) {
  kernel_detail::Checked<Op, Fail>::run(context, call, arguments, selection, out);
}

// A variadic "any" function: body(context, call, row's values) for each row; the values are nulls included.
template <auto F>
void any_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                Selection selection, Vector& out) {
  std::vector<Datum> values(arguments.size());
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    for (size_t a = 0; a < arguments.size(); a++) {
      values[a] = arguments[a]->datum(r);
      kernel_detail::note_long(values[a]);
    }
    kernel_detail::Store<decltype(F(context, call, std::span<const Datum>(values)))>::put(
        context, out, r, F(context, call, std::span<const Datum>(values)));
    if (context.failed() || kernel_detail::out_of_memory(context)) return;
  }
}

}  // namespace indigo::types
