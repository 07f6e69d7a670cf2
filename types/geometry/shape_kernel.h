// Makes a kernel of a function over shapes: shaped<f>, where f is R f(const Reals&, P...).
//
// Parameters: Point, Segment, Box, Line, Circle, Path, Polygon, or a number. Results: the same (NewPath and NewPolygon for
// the last two), bool, or a std::optional of one that may be null.
// Thread safety: pure templates.
#pragma once

#include <optional>
#include <type_traits>

#include "types/function/kernel.h"
#include "types/geometry/reals.h"
#include "types/geometry/shape.h"

namespace indigo::types {

namespace shape_detail {

// A shape's form in a vector is its image.
template <class T>
struct Form {
  using Stored = std::conditional_t<std::is_arithmetic_v<T>, T, Str>;
  static T get(Stored v) {
    if constexpr (std::is_arithmetic_v<T>) {
      return v;
    } else {
      return shape_of<T>(v);
    }
  }
  static Stored put([[maybe_unused]] FuncContext& context, const T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      return v;
    } else {
      return image_of(context, v);
    }
  }
};
template <class T>
struct Form<std::optional<T>> {
  using Stored = std::optional<typename Form<T>::Stored>;
  static Stored put(FuncContext& context, const std::optional<T>& v) {
    return v ? Stored(Form<T>::put(context, *v)) : Stored();
  }
};

template <auto F, class Function = decltype(F)>
struct Shaped;
template <auto F, class R, class... P>
struct Shaped<F, R (*)(const Reals&, P...)> {
  static typename Form<R>::Stored call(FuncContext& context, typename Form<P>::Stored... arguments) {
    return Form<R>::put(context, F(Reals(context), Form<P>::get(arguments)...));
  }
};

}  // namespace shape_detail

template <auto F>
inline constexpr ScalarKernel shaped = kernel<shape_detail::Shaped<F>::call>;

}  // namespace indigo::types
