// Scans of inverted indexes (gin): conditions become queries of keys, these become records that may satisfy them, in the order of
// the primary key; the scan's filter has the conditions themselves.
// Thread safety: one session's.
#pragma once

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

Result<OperatorPtr> make_inverted_scan(Builder& b, const sql::IndexScanPlan& p);

}  // namespace indigo::engine::exec
