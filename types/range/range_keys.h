// The order of ranges and multiranges whose bounds compare otherwise than their type does by itself: under an operator class
// of users' own, a collation, or the order of a type that only the catalog knows. Their keys are made of the bounds' keys.
// Also where a range type's canonical function is found (CatalogContext::defined_order).
// Thread safety: as DefinedKeys.
#pragma once

#include <memory>

#include "types/range/range.h"
#include "types/value/defined_key.h"
#include "types/value/key_codec.h"

namespace indigo::types {

class RangeKeys final : public DefinedKeys {
 public:
  // `element` has the bounds' type, form, and collator.
  RangeKeys(ClassCalls& calls, bool multirange, ElementOrder order, const KeyColumn& element, Oid canonical)
      : DefinedKeys(calls),
        multirange_(multirange),
        order_(order),
        element_(element),
        layout_({element}),
        canonical_(canonical) {}

  const ElementOrder& order() const { return order_; }
  const KeyColumn& element() const { return element_; }
  Oid canonical() const { return canonical_; }  // kInvalidOid: none

  bool ordered() const override { return true; }
  int compare(const Datum& a, const Datum& b) const override;
  void append_key(const Datum& value, Labels labels, std::string& out) const override;
  std::unique_ptr<DefinedKeys> renewed() const override;

 private:
  void append_range(const RangeValue& range, Labels labels, std::string& out) const;
  void append_bound(const RangeBound& bound, Labels labels, std::string& out) const;

  const bool multirange_;
  const ElementOrder order_;
  const KeyColumn element_;
  const KeyLayout layout_;
  const Oid canonical_;
};

}  // namespace indigo::types
