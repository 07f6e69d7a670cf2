// Scans of indexes that find the nearest: by a graph of neighbours (storage/nearest_rows.h), or ring by ring (ring_rows.h).
// Thread safety: one session's.
#pragma once

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

Result<OperatorPtr> make_nearest_scan(Builder& b, const sql::IndexScanPlan& p);

}  // namespace indigo::engine::exec
