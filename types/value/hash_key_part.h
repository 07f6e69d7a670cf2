// A column of a hash partition key: its type, and a hash function of users' own (kInvalidOid: the type's).
#pragma once

#include "base/ids.h"

namespace indigo::types {

struct HashKeyPart {
  Oid type = kInvalidOid;
  Oid function = kInvalidOid;
};

}  // namespace indigo::types
