// The options of BEGIN, START TRANSACTION and SET TRANSACTION.
#pragma once

#include <span>

#include "engine/session/transaction_block.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

Result<TransactionModes> read_transaction_modes(std::span<PgQuery__Node* const> options);

}  // namespace indigo::engine
