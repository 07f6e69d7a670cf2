// What a row of a relation, or a value of its composite type, consists of.
// Thread safety: immutable once published; shared by pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "types/type_info.h"
#include "types/value/row_codec.h"

namespace indigo::types {

struct ColumnInfo {
  std::string name;
  int16_t number = 0;  // attnum, from 1; dropped columns keep their number
  TypeRef type;
  bool not_null = false;
  bool dropped = false;
  char identity = 0;   // 0, 'a' always, 'd' by default; default_expr is then nextval('sequence'::regclass)
  char generated = 0;  // 0, 's' stored
  std::optional<std::string>
      default_expr;  // SQL text, deparsed with qualified names (generated columns: the expression)
};

struct RowShape {
  Oid oid = kInvalidOid;  // pg_class
  std::string name;
  Oid schema = kInvalidOid;
  Oid row_type = kInvalidOid;
  std::vector<ColumnInfo> columns;  // all, dropped ones included: columns[attnum - 1]
  RowLayout layout;                 // one physical column per entry of `columns`
};

}  // namespace indigo::types
