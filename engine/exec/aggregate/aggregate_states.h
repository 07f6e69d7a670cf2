// The memory of groups' aggregate states: one zeroed, 16-aligned area for each group, all aggregates side by side.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/memory/arena.h"
#include "engine/exec/aggregate/aggregate_call.h"

namespace indigo::engine::exec {

class AggregateStates {
 public:
  // Lays the calls' states out.
  void init(std::vector<AggregateCall>& calls) {
    calls_ = &calls;
    stride_ = 0;
    in_turn_ = std::count_if(calls.begin(), calls.end(), [](const AggregateCall& c) { return c.is_volatile(); }) > 1;
    for (AggregateCall& c : calls) {
      c.set_offset(c.shared() ? calls[*c.shared()].offset() : stride_);
      stride_ += c.state_bytes();
    }
  }
  ~AggregateStates() { clear(); }

  uint32_t size() const { return static_cast<uint32_t>(states_.size()); }
  char* const* data() const { return states_.data(); }
  char* operator[](uint32_t group) const { return states_[group]; }
  uint64_t bytes() const { return memory_.allocated_bytes() + states_.size() * sizeof(char*); }

  void add() {
    char* state;
    if (!free_.empty()) {
      state = free_.back();
      free_.pop_back();
    } else {
      state = static_cast<char*>(memory_.allocate(stride_ == 0 ? 16 : stride_, 16));
    }
    std::memset(state, 0, stride_);
    states_.push_back(state);
  }
  // Row selection[i] belongs to group groups[i]. Each call takes all rows, unless several could tell in which order they take them.
  Status accumulate(QueryState& state, const Frame& frame, Selection selection, const uint32_t* groups) {
    for (uint32_t i = 0; in_turn_ && i < selection.count; i++) {
      const auto row = static_cast<uint16_t>(selection[i]);
      for (AggregateCall& c : *calls_) INDIGO_TRY(c.accumulate(state, frame, {&row, 1}, groups + i, states_.data()));
    }
    if (in_turn_) return {};
    for (AggregateCall& c : *calls_) INDIGO_TRY(c.accumulate(state, frame, selection, groups, states_.data()));
    return {};
  }
  // Destroys the first n groups; the others move up.
  void drop_first(uint32_t n) {
    for (uint32_t g = 0; g < n; g++) {
      for (AggregateCall& c : *calls_) c.destroy(states_[g]);
      free_.push_back(states_[g]);
    }
    states_.erase(states_.begin(), states_.begin() + n);
  }
  // The results of groups [first, first + n), to a column for each call.
  Status finalize(QueryState& state, uint32_t first, uint32_t n, Vector* columns) const {
    for (size_t a = 0; a < calls_->size(); a++) {
      AggregateCall& call = (*calls_)[a];
      columns[a].init(call.result_phys(), n);
      for (uint32_t i = 0; i < n; i++) INDIGO_TRY(call.finalize(state, states_[first + i], columns[a], i));
    }
    return {};
  }
  void clear() {
    if (calls_ == nullptr) return;
    for (char* state : states_) {
      for (AggregateCall& c : *calls_) c.destroy(state);
    }
    states_.clear();
    free_.clear();
    memory_.reset();
    for (AggregateCall& c : *calls_) c.reset();
  }

 private:
  std::vector<AggregateCall>* calls_ = nullptr;
  uint32_t stride_ = 0;
  bool in_turn_ = false;
  Arena memory_;
  std::vector<char*> states_, free_;
};

}  // namespace indigo::engine::exec
