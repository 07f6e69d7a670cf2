// What expressions of indexes see instead of a session: storage computes keys on any thread and for any version of a row, so
// nothing that a session could change has a part in it. Settings have their defaults, time and user do not exist, and of the
// catalog there are the built-in objects, and the user's types and text search configurations that were given at the start.
// Functions of users' own are called through IndexRoutines.
// Thread safety: none; one for each evaluator.
#pragma once

#include <map>
#include <memory>

#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"
#include "engine/exec/scan/index_routines.h"
#include "types/builtin/builtins.h"
#include "types/textsearch/session.h"

namespace indigo::engine::exec {

// The types that an index's expressions come across, and what their values compare under within others.
struct KeptTypes {
  std::map<Oid, std::shared_ptr<const types::TypeInfo>> by_oid;
  // By collation, and by type with an order of users' own; like member_orders they live as long as the instance.
  std::map<Oid, const types::Collator*> collators, orders;
  std::map<Oid, const types::Letters*> letters;  // by collation
  const types::Collator* member_orders = nullptr;
  const types::Collator* case_insensitive = &types::Collator::case_insensitive();
};
// The text search configurations that an index's expressions name, as they were when it was opened.
using ConfigurationsByOid = std::map<Oid, types::ConfigurationPtr>;

// `routines` may be null: calls are refused.
std::unique_ptr<catalog::SessionContext> make_index_session(std::shared_ptr<const KeptTypes> types,
                                                            ConfigurationsByOid configurations,
                                                            std::shared_ptr<IndexRoutines> routines);

}  // namespace indigo::engine::exec
