// WITH (...), SET (...) and SKIP (...) of subscriptions.
// Thread safety: as the DdlContext.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// Absent: not written.
struct SubscriptionOptions {
  std::optional<bool> connect, enabled, create_slot, copy_data, refresh, binary, streaming, two_phase, disable_on_error;
  struct SlotName {
    std::optional<std::string> name;  // absent: NONE
  };
  std::optional<SlotName> slot;
  std::optional<std::string> synchronous_commit;
  std::optional<int64_t> skip_lsn;  // 0: NONE
};

// 42601 for one that is not among `known`, or that is written twice; 22023 and 42602 for its value.
Result<SubscriptionOptions> read_subscription_options(DdlContext& c, NodeList list,
                                                      std::initializer_list<std::string_view> known);
// What connect = false and slot_name = NONE go with in CREATE SUBSCRIPTION: 42601.
Status check_subscription_options(const SubscriptionOptions& o);

}  // namespace indigo::engine::ddl
