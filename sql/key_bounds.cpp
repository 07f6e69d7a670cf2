#include "sql/plan.h"

namespace indigo::sql {

void for_each_value(const KeyBounds& bounds, const std::function<void(const ExprPtr&)>& f) {
  for (const ExprPtr& e : bounds.equal) f(e);
  if (bounds.low) f(bounds.low);
  if (bounds.high) f(bounds.high);
  for (const KeyBounds& b : bounds.any_of) for_each_value(b, f);
}

KeyBounds map_values(const KeyBounds& bounds, const std::function<ExprPtr(const ExprPtr&)>& map) {
  KeyBounds out = bounds;
  for (ExprPtr& e : out.equal) e = map(e);
  if (out.low) out.low = map(out.low);
  if (out.high) out.high = map(out.high);
  for (KeyBounds& b : out.any_of) b = map_values(b, map);
  return out;
}

}  // namespace indigo::sql
