#include "engine/system/definitions/opclass_text.h"

#include <algorithm>

#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "engine/system/catalog_rows.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

namespace pg_attribute = catalog::pg_attribute;
namespace pg_opclass = catalog::pg_opclass;
using catalog::RowReader;

// Is it a class of this type, or of what stands for the type?
bool is_class_of(SessionParts& session, const RowReader& opclass, Oid type) {
  const Oid input = opclass.oid(pg_opclass::c_opcintype);
  for (int depth = 0; depth < 64 && type != kInvalidOid; depth++) {
    const auto info = session.session_catalog().type(type);
    if (input == type || (type == oid::kVarchar && input == oid::kText)) return true;
    if (info == nullptr) return false;
    if (info->is_array()) return input == oid::kAnyArray;
    if (info->kind == 'e') return input == oid::kAnyEnum;
    if (info->kind == 'r') return input == oid::kAnyRange;
    if (info->kind == 'm') return input == oid::kAnyMultirange;
    type = info->base;
  }
  return false;
}

}  // namespace

namespace {

std::string class_text(SessionParts& session, Oid opclass, Oid type, bool always) {
  catalog::SessionCatalog& view = session.session_catalog();
  std::string out;
  CatalogRows(session).find(pg_opclass::kOid, opclass, [&](RowReader row) {
    const bool is_default = view.default_opclass(type) == opclass ||
                            (row.flag(pg_opclass::c_opcdefault) && is_class_of(session, row, type));
    if (is_default && !always) return;
    const Oid schema = row.oid(pg_opclass::c_opcnamespace);
    const std::vector<Oid> path = view.search_path();
    out = " ";
    if (std::find(path.begin(), path.end(), schema) == path.end())
      out += types::quote_identifier(view.schema_name(schema)) + ".";
    out += types::quote_identifier(row.str(pg_opclass::c_opcname));
  });
  return out;
}

}  // namespace

std::string option_list(const std::vector<std::string>& options) {
  std::string out;
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    const std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    out.append(out.empty() ? "" : ", ").append(types::quote_identifier(option.substr(0, equals))).append("=");
    out += types::quote_identifier(value) == value ? value : types::quote_literal(value);
  }
  return out;
}

std::string opclass_suffix(SessionParts& session, Oid opclass, Oid type) {
  return class_text(session, opclass, type, false);
}

std::string opclass_suffix(SessionParts& session, Oid index, int16_t column, Oid opclass, Oid type) {
  std::vector<std::string> options;
  CatalogRows(session).find(pg_attribute::kOid, {Datum::of_oid(index), Datum::of(column)}, [&](RowReader row) {
    if (!row.is_null(pg_attribute::c_attoptions)) options = read_texts(row.str(pg_attribute::c_attoptions));
  });
  if (options.empty()) return opclass_suffix(session, opclass, type);
  return class_text(session, opclass, type, true) + " (" + option_list(options) + ")";
}

}  // namespace indigo::engine
