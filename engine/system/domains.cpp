// What types/io/domain_check.h asks: a domain's constraints over one value.
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/value_cast.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "types/io/domain_check.h"

namespace indigo::engine {

namespace {

// (domain, a value of its base type): true, or the constraint's error.
Result<OwnedDatum> domain_check(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(session.begin_statement());  // parameters are read before their statement begins
  const Oid domain = arguments[0].oid();
  const types::TypeRef base = types::without_domain(session.session_catalog(), {domain, -1, kInvalidOid});
  INDIGO_ASSIGN(auto cast, programs::ValueCast::make(session, base, {domain, -1, kInvalidOid}, false));
  INDIGO_TRY(cast.apply(session, arguments[1]));
  return value_of(true);
}

constexpr SystemValue kDomainValues[] = {{"domain_check", domain_check}};

}  // namespace

std::span<const SystemValue> domain_values() { return kDomainValues; }

}  // namespace indigo::engine
