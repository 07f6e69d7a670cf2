// pg_depend: who needs whom, and DROP ... RESTRICT / CASCADE along it.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

struct Address {
  Oid class_id = kInvalidOid;  // the system table
  Oid object = kInvalidOid;
  int32_t sub = 0;  // column, 0: the whole object
  friend auto operator<=>(const Address&, const Address&) = default;
};

// deptype: n normal, a auto, i internal, e member of an extension, x goes with one. What is referenced is held (engine/ddl/hold.h).
Status record_dependency(DdlContext& c, const Address& depender, const Address& referenced, char type);
// On every column of `relation` in `columns`.
Status record_column_dependencies(DdlContext& c, const Address& depender, Oid relation,
                                  std::span<const int16_t> columns, char type);
Status remove_dependencies_of(DdlContext& c, const Address& depender);
Status remove_dependency(DdlContext& c, const Address& depender, const Address& referenced);
// Moves "depender -> old" to "depender -> new" (SET SCHEMA).
Status change_dependency(DdlContext& c, const Address& depender, const Address& old_reference,
                         const Address& new_reference);
// Everything that depends directly on `referenced` (sub 0: or on one of its columns).
struct Dependent {
  Address address;
  char type;
};
std::vector<Dependent> dependents_of(DdlContext& c, const Address& referenced);
std::vector<Dependent> references_of(DdlContext& c, const Address& depender);

// Removes the objects and what depends on them. RESTRICT fails with 2BP01, detail and hint; CASCADE tells in a notice.
// `message_object` is what "cannot drop X because ..." names (several: "desired object(s)").
// `quiet` leaves the notice out (temporary objects at the end of a session). `told`: event triggers hear of them.
Status drop_objects(DdlContext& c, const std::vector<Address>& objects, bool cascade, bool quiet = false,
                    bool told = true);

// "table t", "column a of table t", "constraint c on table t", "view v" as in messages.
std::string describe(DdlContext& c, const Address& address);

}  // namespace indigo::engine::ddl
