#include "catalog/sequence.h"

#include "base/sqlstate.h"

namespace indigo::catalog {

Result<int64_t> Sequence::next(const SequenceOptions& o, const std::string& name) {
  std::lock_guard guard(mutex_);
  if (!is_called_) {
    is_called_ = true;
    return last_value_;
  }
  int64_t value = 0;
  const bool overflow = __builtin_add_overflow(last_value_, o.increment, &value);
  if (o.increment > 0 && (overflow || value > o.maximum)) {
    if (!o.cycle) {
      return Error(sqlstate::kSequenceGeneratorLimitExceeded,
                   "nextval: reached maximum value of sequence \"" + name + "\" (" + std::to_string(o.maximum) + ")");
    }
    value = o.minimum;
  } else if (o.increment < 0 && (overflow || value < o.minimum)) {
    if (!o.cycle) {
      return Error(sqlstate::kSequenceGeneratorLimitExceeded,
                   "nextval: reached minimum value of sequence \"" + name + "\" (" + std::to_string(o.minimum) + ")");
    }
    value = o.maximum;
  }
  last_value_ = value;
  return value;
}

Status Sequence::set(int64_t value, bool is_called, const SequenceOptions& o, const std::string& name) {
  if (value < o.minimum || value > o.maximum) {
    return Error(sqlstate::kNumericValueOutOfRange,
                 "setval: value " + std::to_string(value) + " is out of bounds for sequence \"" + name + "\" (" +
                     std::to_string(o.minimum) + ".." + std::to_string(o.maximum) + ")");
  }
  std::lock_guard guard(mutex_);
  last_value_ = value;
  is_called_ = is_called;
  return {};
}

Sequence::State Sequence::state() const {
  std::lock_guard guard(mutex_);
  return {last_value_, is_called_};
}

}  // namespace indigo::catalog
