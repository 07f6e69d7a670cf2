// Makes an AggregateFunction of a small struct:
//
//   struct Sum {
//     struct State { int64_t sum; bool any; };                        starts as zero bytes; no destructor runs unless destroy
//     static void add(FuncContext&, State&, int32_t v);               for each row without nulls
//     static void finish(FuncContext&, const CallInfo&, State&, Vector& out, uint32_t row);   leaves the state as it was
//     static void destroy(State&);                                    optional
//     static void remove(FuncContext&, State&, int32_t v);            optional: the inverse of add, for moving frames
//   };
//
// add may take a CallInfo after the context. Its value parameters are those of kernel.h: std::optional<T> receives nulls,
// Datum is any type.
// Thread safety: pure templates.
#pragma once

#include <type_traits>

#include "types/function/family.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace aggregate_detail {

template <class F>
struct Adder;
template <class S, class... P>
struct Adder<void (*)(FuncContext&, S&, P...)> {
  static constexpr size_t kArity = sizeof...(P);
  template <auto F, size_t... I>
  static void run(FuncContext& context, const CallInfo&, [[maybe_unused]] std::span<const Vector* const> arguments,
                  Selection selection, void* const* states, std::index_sequence<I...>) {
    loop<F>(context, selection, states, kernel_detail::Param<P>(*arguments[I])...);
  }

 private:
  template <auto F>
  static void loop(FuncContext& context, Selection selection, void* const* states, kernel_detail::Param<P>... p) {
    const bool nulls = (false || ... || p.nullable());
    for (uint32_t i = 0; i < selection.count; i++) {
      [[maybe_unused]] const uint32_t r = selection[i];
      if (nulls && (false || ... || p.null(r))) continue;
      (kernel_detail::note_long(p.get(r)), ...);
      F(context, *static_cast<S*>(states[i]), p.get(r)...);
      if (context.failed()) [[unlikely]]
        return;
    }
  }
};
template <class S, class... P>
struct Adder<void (*)(FuncContext&, const CallInfo&, S&, P...)> {
  static constexpr size_t kArity = sizeof...(P);
  template <auto F, size_t... I>
  static void run(FuncContext& context, const CallInfo& call, [[maybe_unused]] std::span<const Vector* const> arguments,
                  Selection selection, void* const* states, std::index_sequence<I...>) {
    loop<F>(context, call, selection, states, kernel_detail::Param<P>(*arguments[I])...);
  }

 private:
  template <auto F>
  static void loop(FuncContext& context, const CallInfo& call, Selection selection, void* const* states,
                   kernel_detail::Param<P>... p) {
    const bool nulls = (false || ... || p.nullable());
    for (uint32_t i = 0; i < selection.count; i++) {
      [[maybe_unused]] const uint32_t r = selection[i];
      if (nulls && (false || ... || p.null(r))) continue;
      (kernel_detail::note_long(p.get(r)), ...);
      F(context, call, *static_cast<S*>(states[i]), p.get(r)...);
      if (context.failed()) [[unlikely]]
        return;
    }
  }
};

// Of aggregates that have one `add`, one function: who compares these knows that they could share their state.
template <auto F>
void update(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, Selection selection,
            void* const* states) {
  using Add = Adder<decltype(F)>;
  Add::template run<F>(context, call, arguments, selection, states, std::make_index_sequence<Add::kArity>());
}
template <class A>
bool retract(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, uint32_t row,
             void* state) {
  using Remove = Adder<decltype(&A::remove)>;
  const auto selected = static_cast<uint16_t>(row);
  Remove::template run<&A::remove>(context, call, arguments, Selection{&selected, 1}, &state,
                                   std::make_index_sequence<Remove::kArity>());
  return true;
}
template <class A>
void finalize(FuncContext& context, const CallInfo& call, void* state, Vector& out, uint32_t row) {
  A::finish(context, call, *static_cast<typename A::State*>(state), out, row);
}
template <class A>
void destroy(void* state) {
  A::destroy(*static_cast<typename A::State*>(state));
}

}  // namespace aggregate_detail

template <class A>
constexpr AggregateFunction aggregate() {
  AggregateFunction f{};
  f.state_bytes = sizeof(typename A::State);
  f.update = aggregate_detail::update<&A::add>;
  f.finalize = aggregate_detail::finalize<A>;
  if constexpr (requires(typename A::State & s) { A::destroy(s); }) f.destroy = aggregate_detail::destroy<A>;
  if constexpr (requires { &A::remove; }) f.retract = aggregate_detail::retract<A>;
  return f;
}

// ---- results
template <class T>
void put(Vector& out, uint32_t row, const T& value) {
  out.set(row, value);
  out.set_valid(row);
}
inline void put_null(Vector& out, uint32_t row) { out.set_datum(row, Datum::make_null(out.phys())); }

}  // namespace indigo::types
