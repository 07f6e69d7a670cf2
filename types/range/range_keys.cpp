#include "types/range/range_keys.h"

#include "types/value/collator.h"

namespace indigo::types {

int RangeKeys::compare(const Datum& a, const Datum& b) const {
  if (multirange_) return compare_multiranges(read_multirange(a.str, order_), read_multirange(b.str, order_));
  return compare_ranges(read_range(a.str, order_), read_range(b.str, order_));
}

// As the keys of other ranges (types/value/key_codec.cpp).
void RangeKeys::append_bound(const RangeBound& bound, Labels labels, std::string& out) const {
  if (bound.infinite) {
    out.push_back(bound.lower ? 0 : 2);
    return;
  }
  out.push_back(1);
  const DefinedKeys* defined = element_.collator == nullptr ? nullptr : element_.collator->values();
  if (defined != nullptr) {
    defined->append_key(bound.value, labels, out);
  } else {
    layout_.append_column(0, bound.value, out);
  }
  out.push_back(bound.inclusive ? 1 : bound.lower ? 2 : 0);
}

void RangeKeys::append_range(const RangeValue& range, Labels labels, std::string& out) const {
  out.push_back(range.empty ? 1 : 2);
  if (range.empty) return;
  append_bound(range.lower, labels, out);
  append_bound(range.upper, labels, out);
}

void RangeKeys::append_key(const Datum& value, Labels labels, std::string& out) const {
  if (!multirange_) return append_range(read_range(value.str, order_), labels, out);
  for (const RangeValue& range : read_multirange(value.str, order_).ranges) append_range(range, labels, out);
  out.push_back(0);
}

std::unique_ptr<DefinedKeys> RangeKeys::renewed() const {
  KeyColumn element = element_;
  if (element.collator != nullptr && element.collator->values() != nullptr) element.keep(element.collator->renewed());
  return std::make_unique<RangeKeys>(calls(), multirange_, order_, element, canonical_);
}

}  // namespace indigo::types
