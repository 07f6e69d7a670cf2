// CREATE, ALTER and DROP SUBSCRIPTION: rows of pg_subscription, definitions alone. Nothing connects to a publisher: what would have
// to (a subscription without connect = false, ENABLE, DROP of one with a replication slot) is refused (0A000).
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/ddl/drop/dependency.h"

struct PgQuery__AlterSubscriptionStmt;
struct PgQuery__CreateSubscriptionStmt;
struct PgQuery__DropSubscriptionStmt;

namespace indigo::engine::ddl {

Status execute_create_subscription(DdlContext& c, const PgQuery__CreateSubscriptionStmt& s);
Status execute_alter_subscription(DdlContext& c, const PgQuery__AlterSubscriptionStmt& s);
Status execute_drop_subscription(DdlContext& c, const PgQuery__DropSubscriptionStmt& s);

// Of this database, for its owner: 42704 when there is none.
Result<Address> find_own_subscription(DdlContext& c, std::string_view name);
Status rename_subscription(DdlContext& c, std::string_view name, std::string_view to);
Status change_subscription_owner(DdlContext& c, std::string_view name, Oid owner);
// Of any database (REASSIGN OWNED).
Status change_subscription_owner(DdlContext& c, Oid subscription, Oid owner);
std::string subscription_name(DdlContext& c, Oid oid);
// 55006 when the database has some: nobody could drop them later.
Status check_no_subscriptions(DdlContext& c, Oid database, std::string_view name);

}  // namespace indigo::engine::ddl
