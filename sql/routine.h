// Functions of users' own: what they do besides answering nobody knows, whatever volatility they declare, so no call of one may be
// repeated or made for an estimate.
// Thread safety: as the catalog view's.
#pragma once

#include "catalog/descriptor/session_context.h"
#include "types/oids.h"
#include "types/type_info.h"

namespace indigo::sql {

// Functions that extensions bring are the server's own.
inline bool is_routine(catalog::CatalogView& catalog, Oid function) {
  if (function < oid::kFirstUserOid) return false;
  const auto info = catalog.function(function);
  return info == nullptr || (info->language != "internal" && info->language != "c");
}

}  // namespace indigo::sql
