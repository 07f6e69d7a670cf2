#include "base/fiber/interrupt_error.h"

#include "base/sqlstate.h"

namespace indigo {

Error interrupt_error(InterruptReason reason) {
  switch (reason) {
    case InterruptReason::kStatementTimeout:
      return Error(sqlstate::kQueryCanceled, "canceling statement due to statement timeout");
    case InterruptReason::kTerminate:
    case InterruptReason::kShutdown:
      return Error(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
    case InterruptReason::kIdleTimeout:
      return Error(sqlstate::kIdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout");
    case InterruptReason::kDisconnect: return Error(sqlstate::kConnectionFailure, "connection to client lost");
    case InterruptReason::kNone:
    case InterruptReason::kCancel: break;
  }
  return Error(sqlstate::kQueryCanceled, "canceling statement due to user request");
}

}  // namespace indigo
