// What a thread allocates and frees without the flow that runs on it: what other threads have allocated, and the flow has only
// read, is freed so (base/memory/memory_account.h).
// Thread safety: a scope of one thread. The flow stays on it meanwhile.
#pragma once

namespace indigo {

class MemoryAccount;

class OutsideAccount {
 public:
  OutsideAccount();
  ~OutsideAccount();
  OutsideAccount(const OutsideAccount&) = delete;
  OutsideAccount& operator=(const OutsideAccount&) = delete;

 private:
  MemoryAccount* const account_;  // null: no flow runs
};

}  // namespace indigo
