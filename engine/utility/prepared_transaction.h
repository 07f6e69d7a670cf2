// PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED (storage/prepared.h).
// Thread safety: as the session.
#pragma once

#include "base/error.h"
#include "engine/utility/utility.h"

namespace indigo::engine {

class SessionParts;

Status prepare_transaction(UtilityCall& call, const char* name);
// In no block, which the caller has made sure of.
Status commit_prepared(UtilityCall& call, const char* name);
Status roll_back_prepared(UtilityCall& call, const char* name);

// 55006 while transactions of the session's database are prepared.
Status check_nothing_prepared(SessionParts& session);

// What must be done before the session's transaction is prepared, and may refuse it.
Status before_prepare(SessionParts& session);

}  // namespace indigo::engine
