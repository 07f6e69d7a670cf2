// nextval, currval, lastval and setval: the sequences' values that this session has had.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "catalog/tables/sequence.h"

namespace indigo::catalog {
class SessionCatalog;
}

namespace indigo::storage {
class Store;
}

namespace indigo::engine {

class TransactionBlock;

class SequenceValues {
 public:
  SequenceValues(catalog::SessionCatalog& catalog, TransactionBlock& block, storage::Store& store)
      : catalog_(catalog), block_(block), store_(store) {}

  Result<int64_t> nextval(Oid sequence);
  // nextval of an identity column's sequence, which asks for no privilege on it.
  Result<int64_t> next_identity(Oid sequence);
  Result<int64_t> currval(Oid sequence);
  Result<int64_t> lastval();
  Status setval(Oid sequence, int64_t value, bool is_called);
  // DISCARD SEQUENCES.
  void forget();

 private:
  struct Found {
    std::string name;
    std::shared_ptr<catalog::Sequence> sequence;
    catalog::SequenceOptions options;
  };
  // 42501 unless the user has any of the privileges.
  Result<Found> find(Oid sequence, uint32_t any_of);
  Result<Found> find(Oid sequence);  // without asking
  Result<int64_t> next(Oid sequence, const Found& found);
  Status check_writable(Oid sequence, const char* function);
  // ALTER SEQUENCE waits for who has drawn from it, and who draws waits for the end of ALTER SEQUENCE. Kept to the end of the
  // transaction.
  Status lock(Oid sequence);

  catalog::SessionCatalog& catalog_;
  TransactionBlock& block_;
  storage::Store& store_;
  std::map<Oid, int64_t> values_;
  Oid last_ = kInvalidOid;
  uint64_t locked_in_ = 0;  // the transaction that has locked `locked_`
  std::vector<Oid> locked_;
};

}  // namespace indigo::engine
