// nextval, currval, lastval and setval: the sequences' values that this session has had.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "catalog/tables/sequence.h"

namespace indigo::catalog {
class SessionCatalog;
}

namespace indigo::engine {

class TransactionBlock;

class SequenceValues {
 public:
  SequenceValues(catalog::SessionCatalog& catalog, TransactionBlock& block) : catalog_(catalog), block_(block) {}

  Result<int64_t> nextval(Oid sequence);
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
  Status check_writable(Oid sequence, const char* function);

  catalog::SessionCatalog& catalog_;
  TransactionBlock& block_;
  std::map<Oid, int64_t> values_;
  Oid last_ = kInvalidOid;
};

}  // namespace indigo::engine
