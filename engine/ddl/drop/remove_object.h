// Removing one object's rows and its physical part. Who depends on it is drop_objects' business.
#pragma once

#include "catalog/database.h"
#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

// Idempotent: an object that is gone already is no error.
Status remove_object(DdlContext& c, const Address& address);
// The physical object goes when the transaction commits.
void release_physical(DdlContext& c, Oid filenode);
// Physical objects made by this transaction go when it (or its savepoint) rolls back.
void adopt_physical(DdlContext& c, Oid filenode, catalog::PhysicalRelation relation);
Status adopt_sequence(DdlContext& c, Oid filenode, catalog::Sequence::State state, char persistence);

// Comments on the object (sub 0: and its columns).
Status remove_comments(DdlContext& c, const Address& address);

}  // namespace indigo::engine::ddl
