// The view that the running statement reads with. Functions that it calls read with it too unless they are volatile; those
// take snapshots of their own, and the statement's is then pinned, so that what it sees stays there.
// Thread safety: part of one session; lives on the stack of the statement's runner.
#pragma once

#include <memory>

#include "storage/transaction.h"

namespace indigo::sql {
struct PlannedStatement;
}

namespace indigo::engine {

class ActiveView {
 public:
  // `innermost` is the session's; this one takes its place until it goes.
  // `plan`: what the statement runs, if that is a plan.
  ActiveView(ActiveView*& innermost, const storage::ReadView& view, const sql::PlannedStatement* plan = nullptr);
  ~ActiveView() { innermost_ = outer_; }
  ActiveView(const ActiveView&) = delete;
  ActiveView& operator=(const ActiveView&) = delete;

  const storage::ReadView& view() const { return view_; }
  const sql::PlannedStatement* plan() const { return plan_; }
  const ActiveView* outer() const { return outer_; }
  // Before the transaction takes another snapshot.
  void pin(storage::Transaction& txn) {
    if (pin_ == nullptr) pin_ = txn.pin(view_);
  }
  // The transaction ends (COMMIT in a procedure): nothing reads with it any more.
  void forget() {
    for (ActiveView* v = this; v != nullptr; v = v->outer_) v->pin_ = nullptr;
  }

 private:
  ActiveView*& innermost_;
  ActiveView* const outer_;
  const storage::ReadView view_;
  const sql::PlannedStatement* const plan_;
  std::unique_ptr<storage::Transaction::PinnedView> pin_;
};

}  // namespace indigo::engine
