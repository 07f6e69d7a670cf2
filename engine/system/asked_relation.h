// A relation that a function of an extension's is asked about.
// Thread safety: one session.
#pragma once

#include <memory>
#include <string>

#include "catalog/descriptor/relation_info.h"
#include "engine/session/session_parts.h"

namespace indigo::engine {

struct AskedRelation {
  Oid oid = kInvalidOid;
  char kind = 'r';  // pg_class.relkind
  std::string name;
  Oid method = kInvalidOid;
  std::shared_ptr<const catalog::RelationInfo> table;  // of an index the one that has the rows

  bool is_index() const { return kind == 'i' || kind == 'I'; }
  bool has_rows() const { return kind == 'r' || kind == 'm' || kind == 't' || kind == 'S'; }
  // Null where nothing is stored.
  storage::Table* rows() const { return table == nullptr ? nullptr : table->table.get(); }
};
// XX000 and 42P01: there is none.
Result<AskedRelation> asked_relation(SessionParts& session, Oid oid);
Result<AskedRelation> asked_relation(SessionParts& session, Str name);

// "This operation is not supported for views."
std::string unsupported_kind(char kind);

}  // namespace indigo::engine
