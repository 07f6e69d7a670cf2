// Storage's answers and interrupts as SQLSTATE and message; storage_error is declared in executor.h.
#pragma once

#include "base/error.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "catalog/descriptor/relation_info.h"
#include "storage/table.h"

namespace indigo::engine {

// 55P03 for a lock that NOWAIT did not get.
Error lock_not_available(const catalog::RelationInfo& relation);

// storage_error of a claim, insert, update or delete.
Error change_error(storage::StorageStatus status, const catalog::RelationInfo& relation);
// storage_error of Transaction::check_open, after a statement that has changed rows or has only read.
Error between_statements_error(storage::StorageStatus status, bool changes);

}  // namespace indigo::engine
