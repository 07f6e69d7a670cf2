#include "engine/utility/transaction_modes.h"

#include <string_view>

#include "base/sqlstate.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

Result<TransactionModes> read_transaction_modes(std::span<PgQuery__Node* const> options) {
  TransactionModes modes;
  for (const PgQuery__Node* node : options) {
    if (node->node_case != PG_QUERY__NODE__NODE_DEF_ELEM) continue;
    const auto& option = *node->def_elem;
    std::string_view name = option.defname;
    if (option.arg == nullptr || option.arg->node_case != PG_QUERY__NODE__NODE_A_CONST) {
      return Error(sqlstate::kSyntaxError, "invalid transaction option");
    }
    const auto& value = *option.arg->a_const;
    if (name == "transaction_isolation" && value.val_case == PG_QUERY__A__CONST__VAL_SVAL) {
      std::string_view level = value.sval->sval;
      modes.isolation = level == "serializable"      ? storage::Isolation::kSerializable
                        : level == "repeatable read" ? storage::Isolation::kRepeatableRead
                                                     : storage::Isolation::kReadCommitted;
      modes.uncommitted = level == "read uncommitted";
    } else {
      bool on = value.val_case == PG_QUERY__A__CONST__VAL_IVAL && value.ival->ival != 0;
      if (name == "transaction_read_only") modes.read_only = on;
      if (name == "transaction_deferrable") modes.deferrable = on;
    }
  }
  return modes;
}

}  // namespace indigo::engine
