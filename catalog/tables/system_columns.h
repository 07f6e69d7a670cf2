// The columns that every table has beside its own, under PostgreSQL's numbers (pg_attribute.attnum).
// Thread safety: constants.
#pragma once

#include <string_view>

#include "types/oids.h"

namespace indigo::catalog {

struct SystemColumn {
  std::string_view name;
  int16_t number;
  Oid type;
};
inline constexpr SystemColumn kSystemColumns[] = {{"ctid", -1, oid::kTid}, {"xmin", -2, oid::kXid},
                                                  {"cmin", -3, oid::kCid}, {"xmax", -4, oid::kXid},
                                                  {"cmax", -5, oid::kCid}, {"tableoid", -6, oid::kOid}};

// Null when there is none.
constexpr const SystemColumn* find_system_column(std::string_view name) {
  for (const SystemColumn& column : kSystemColumns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}
constexpr const SystemColumn* find_system_column(int number) {
  for (const SystemColumn& column : kSystemColumns) {
    if (column.number == number) return &column;
  }
  return nullptr;
}

}  // namespace indigo::catalog
