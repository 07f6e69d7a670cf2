#include "catalog/tables/sequence.h"

#include "base/memory/memory_reserve.h"
#include "log/file_error.h"
#include "log/record_stream.h"

namespace indigo::catalog {

Status Sequence::step(State& state, const SequenceOptions& o, const std::string& name) {
  if (!state.is_called) {
    state.is_called = true;
    return {};
  }
  int64_t value = 0;
  const bool overflow = __builtin_add_overflow(state.last_value, o.increment, &value);
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
  state.last_value = value;
  return {};
}

Status Sequence::reserve(log::Reservation& place) const {
  if (log_ == nullptr) return {};
  switch (log_->reserve(log::kSequenceBytes, place)) {
    case log::Log::Outcome::kOk: break;
    case log::Log::Outcome::kFull:
      return Error(sqlstate::kDiskFull, "could not extend the log: no space left on device");
    case log::Log::Outcome::kFailed: return Error(sqlstate::kIoError, "the log cannot be written any more");
  }
  return {};
}

void Sequence::note(log::Reservation& place, State state) {
  logged_ = state;
  if (log_ == nullptr) return;
  const MustNotFail scope;  // a place that is never filled would hold up all that follows it in the log
  std::string operation;
  log::encode_sequence(id_, state.last_value, state.is_called, operation);
  lsn_ = log_->append(place, log::RecordKind::kNotes, {}, {}, operation);
}

void Sequence::attach(log::Log& log, log::DurableId id) {
  if (!log.records()) return;
  log_ = &log;
  id_ = id;
}

Status Sequence::note_state() {
  if (log_ == nullptr) return {};
  log::Reservation place;
  INDIGO_TRY(reserve(place));
  std::lock_guard guard(mutex_);
  note(place, state_);
  return {};
}

Result<int64_t> Sequence::next(const SequenceOptions& o, const std::string& name, Lsn& needed) {
  log::Reservation place;
  bool reserved = false;
  for (;;) {
    {
      std::lock_guard guard(mutex_);
      State after = state_;
      Status status = step(after, o, name);
      if (status.ok() && log_ != nullptr && ahead_ == 0 && reserved) {
        State last = after;
        int count = 1;
        while (count < kAhead && step(last, o, name).ok()) count++;
        note(place, last);
        reserved = false;
        ahead_ = count;
      }
      if (!status.ok() || log_ == nullptr || ahead_ > 0) {
        if (reserved) log_->release(place);
        if (!status.ok()) return status.take_error();
        state_ = after;
        if (log_ != nullptr) ahead_--;
        needed = lsn_;
        return after.last_value;
      }
    }
    INDIGO_TRY(reserve(place));
    reserved = true;
  }
}

Status Sequence::set(int64_t value, bool is_called, const SequenceOptions& o, const std::string& name, Lsn& needed) {
  if (value < o.minimum || value > o.maximum) {
    return Error(sqlstate::kNumericValueOutOfRange,
                 "setval: value " + std::to_string(value) + " is out of bounds for sequence \"" + name + "\" (" +
                     std::to_string(o.minimum) + ".." + std::to_string(o.maximum) + ")");
  }
  log::Reservation place;
  INDIGO_TRY(reserve(place));
  std::lock_guard guard(mutex_);
  state_ = {value, is_called};
  ahead_ = 0;
  note(place, state_);
  needed = lsn_;
  return {};
}

Sequence::State Sequence::state(Lsn* needed) const {
  std::lock_guard guard(mutex_);
  if (needed != nullptr) *needed = lsn_;
  return state_;
}

Sequence::State Sequence::logged_state() const {
  std::lock_guard guard(mutex_);
  return logged_;
}

}  // namespace indigo::catalog
