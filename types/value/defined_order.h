// The order of values that a function defines: support function 1 of a btree operator class of users' own. Storage orders keys
// by their bytes and calls nobody, so a value's key is a label (types/value/order_labels.h): the values that have one are kept
// in order, a new one is looked for among them by calling the function, and gets the label of the one it is equal to, or a new
// label between its neighbours. A label stays what it is as long as the order lives, and with it the key.
//
// Invariants: labels ascend as the values do; values that the function calls equal have one label; a value that was labelled
// once is not compared again. A function that contradicts itself gives an order that is no better than it, and breaks nothing
// else.
//
// What was labelled is never forgotten before the order is: an index's order holds each distinct value that it ever held or
// was asked for, until it is dropped or built anew.
// Thread safety: any thread. The function is called under no lock, as it may wait.
#pragma once

#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "types/value/defined_key.h"
#include "types/value/order_labels.h"

namespace indigo::types {

class DefinedOrder final : public DefinedKeys {
 public:
  DefinedOrder(ClassCalls& calls, ClassFunction comparison) : DefinedKeys(calls), comparison_(comparison) {}

  bool ordered() const override { return true; }
  int compare(const Datum& a, const Datum& b) const override;
  // Throws, too, with 54000 when no label is short enough.
  void append_key(const Datum& value, Labels labels, std::string& out) const override;
  std::unique_ptr<DefinedKeys> renewed() const override { return std::make_unique<DefinedOrder>(calls(), comparison_); }

 private:
  // A treap: heap-ordered by `priority`, so that its height is logarithmic whatever order values come in.
  struct Node {
    OwnedDatum value;
    OrderLabel label;
    uint32_t priority;
    Node *less = nullptr, *greater = nullptr;
  };

  // Where a value is, or would be: the node with its equal, or its neighbours.
  struct Place {
    const Node *equal = nullptr, *below = nullptr, *above = nullptr;
  };
  Place place_of(const Datum& value) const;
  const Node* between(const Node* below, const Node* above) const;
  NextLabel next_expected(const Node* below, const Node* above) const;
  static Node* insert(Node* root, Node* added);

  const ClassFunction comparison_;
  mutable std::mutex mutex_;  // guards what follows; nodes' values and labels do not change and may be read without it
  mutable std::vector<std::unique_ptr<Node>> nodes_;
  mutable Node* root_ = nullptr;
  mutable const Node *newest_ = nullptr, *second_newest_ = nullptr;
  mutable std::unordered_map<std::string, const Node*> by_image_;
  mutable std::minstd_rand priorities_;
};

}  // namespace indigo::types
