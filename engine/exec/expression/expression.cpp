#include "engine/exec/expression/expression.h"

#include <algorithm>

namespace indigo::engine::exec {

uint32_t Node::filter(const Frame& frame, Selection selection, uint16_t* passed) {
  const Vector& value = evaluate(frame, selection);
  if (failed()) return 0;
  uint32_t n = 0;
  if (value.is_constant()) {
    if (value.is_null(0) || !value.get<bool>(0)) return 0;
    for (uint32_t i = 0; i < selection.count; i++) passed[i] = static_cast<uint16_t>(selection[i]);
    return selection.count;
  }
  const bool* data = value.data<bool>();
  if (const uint8_t* valid = value.validity()) {
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      passed[n] = static_cast<uint16_t>(r);
      n += valid[r] != 0 && data[r];
    }
  } else {
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      passed[n] = static_cast<uint16_t>(r);
      n += data[r];
    }
  }
  return n;
}

ExpressionSet::ExpressionSet(QueryState& state, std::vector<NodePtr> nodes)
    : state_(&state), nodes_(std::move(nodes)), results_(nodes_.size()) {
  for (const NodePtr& n : nodes_) {
    volatile_ |= n->is_volatile;
    careful_ |= n->calls_routine || n->runs_plan;
  }
}

uint32_t ExpressionSet::evaluate(const Frame& frame, Selection selection, std::unique_ptr<Error>& error) {
  if (volatile_ && (selection.count > 1 || nodes_.size() > 1)) return evaluate_rows(frame, selection, error);
  if (careful_ && selection.count > 1 &&
      !std::all_of(nodes_.begin(), nodes_.end(), [](const NodePtr& n) { return n->is_repeatable(); })) {
    return evaluate_mixed(frame, selection, error);
  }
  types::FuncContext& functions = state_->functions();
  for (size_t i = 0; i < nodes_.size(); i++) {
    results_[i] = &nodes_[i]->evaluate(frame, selection);
    if (functions.failed()) break;
  }
  if (!functions.failed()) return selection.count;
  error = functions.take_error();
  if (selection.count == 1) return 0;
  // Find the first row that fails; the rows before it are evaluated once more, together.
  uint32_t good = 0;
  for (; good < selection.count; good++) {
    auto row = static_cast<uint16_t>(selection[good]);
    for (NodePtr& n : nodes_) {
      n->evaluate(frame, {&row, 1});
      if (functions.failed()) break;
    }
    if (functions.failed()) {
      error = functions.take_error();
      break;
    }
  }
  if (good > 0) {
    for (size_t i = 0; i < nodes_.size(); i++) results_[i] = &nodes_[i]->evaluate(frame, {selection.rows, good});
    if (functions.failed()) functions.take_error();
  }
  if (good == selection.count) error = nullptr;
  return good;
}

uint32_t ExpressionSet::evaluate_rows(const Frame& frame, Selection selection, std::unique_ptr<Error>& error) {
  types::FuncContext& functions = state_->functions();
  copies_.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); i++) {
    copies_[i].init(nodes_[i]->phys, frame.extent);
    results_[i] = &copies_[i];
  }
  for (uint32_t k = 0; k < selection.count; k++) {
    auto row = static_cast<uint16_t>(selection[k]);
    for (size_t i = 0; i < nodes_.size(); i++) {
      const Vector& value = nodes_[i]->evaluate(frame, {&row, 1});
      if (functions.failed()) {
        error = functions.take_error();
        return k;
      }
      copies_[i].copy_row(row, value, row);
    }
  }
  return selection.count;
}

uint32_t ExpressionSet::evaluate_mixed(const Frame& frame, Selection selection, std::unique_ptr<Error>& error) {
  types::FuncContext& functions = state_->functions();
  for (size_t i = 0; i < nodes_.size(); i++) {
    if (nodes_[i]->is_repeatable()) results_[i] = &nodes_[i]->evaluate(frame, selection);
    if (!functions.failed()) continue;
    functions.take_error();  // of which row, and is it the first?
    return evaluate_rows(frame, selection, error);
  }
  copies_.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); i++) {
    if (nodes_[i]->is_repeatable()) continue;
    copies_[i].init(nodes_[i]->phys, frame.extent);
    results_[i] = &copies_[i];
  }
  for (uint32_t k = 0; k < selection.count; k++) {
    auto row = static_cast<uint16_t>(selection[k]);
    for (size_t i = 0; i < nodes_.size(); i++) {
      if (results_[i] != &copies_[i]) continue;
      const Vector& value = nodes_[i]->evaluate(frame, {&row, 1});
      if (functions.failed()) {
        error = functions.take_error();
        return k;
      }
      copies_[i].copy_row(row, value, row);
    }
  }
  return selection.count;
}

Status ExpressionSet::evaluate_constant() {
  static constexpr uint32_t kOne = 1;
  Frame frame;
  std::unique_ptr<Error> error;
  if (evaluate(frame, {nullptr, kOne}, error) == 0 && error != nullptr) return error;
  return {};
}

Selection Condition::filter(const Frame& frame, Selection selection, std::unique_ptr<Error>& error) {
  uint16_t* passed = passed_.reserve(selection.count);
  if (selection.count == 1 || (!node_->is_volatile && node_->is_repeatable())) {
    uint32_t n = node_->filter(frame, selection, passed);
    types::FuncContext& functions = state_->functions();
    if (!functions.failed()) return {passed, n};
    error = functions.take_error();
    if (selection.count == 1) return {passed, 0};
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < selection.count; i++) {
    auto row = static_cast<uint16_t>(selection[i]);
    n += node_->filter(frame, {&row, 1}, passed + n);
    if (state_->functions().failed()) {
      error = state_->functions().take_error();
      return {passed, n};
    }
  }
  error = nullptr;
  return {passed, n};
}

}  // namespace indigo::engine::exec
