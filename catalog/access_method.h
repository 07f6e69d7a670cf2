// The index access methods that exist: one descriptor each, read by definitions, the planner, catalog functions and views.
// No other code knows a method by its name or OID.
// Thread safety: constants.
//
// A method is a row of pg_am (with PostgreSQL's OID, or one of ours: tools/own_catalog.py) and a structure of storage. Its
// operator classes are its own, or another method's.
#pragma once

#include <span>
#include <string_view>

#include "base/ids.h"
#include "storage/index/index_factory.h"

namespace indigo::catalog {

struct AccessMethod {
  Oid oid;      // pg_am
  Oid classes;  // whose operator classes it has
  std::string_view name;
  storage::IndexFactory make;  // its structure
  // Its entries have an order: ranges, prefixes of the key, ORDER BY; ASC, DESC and NULLS FIRST. Else a key is looked up whole.
  bool ordered;
  bool unique;       // UNIQUE
  bool multicolumn;  // more than one key column
  bool included;     // INCLUDE
  bool exclude;      // exclusion constraints
  bool clusterable;  // CLUSTER
  bool one_by_one;   // entries come in turn; else rows are marked first ("index_scan")
  bool backward;
  double descent = 1;  // what finding one key costs, of what it costs in a tree
  bool inverted =
      false;  // a row has any number of keys (types/inverted): conditions become queries of keys, not bounds

  // Of an inverted one: the support function of its classes that says what their strategies mean.
  int16_t meaning = 1;
  // It has an order: by the distance from a value, for the operator that is strategy 1 of its classes; and no conditions.
  bool nearest = false;
  // Of an extension's: its handler function. It exists where CREATE ACCESS METHOD has made its row.
  std::string_view handler = {};
  int32_t most_dimensions = 0;  // of a nearest one: of vectors in single precision

  // Plans may ask it by bounds of its keys. One that may not, and is not inverted, is a definition only: kept, shown and dumped.
  bool searchable() const;

  // pg_indexam_has_property and the like; not `known`: there is no such property.
  struct Property {
    bool known, value;
  };
  Property property(std::string_view name) const;
  Property index_property(std::string_view name) const;
};

std::span<const AccessMethod> access_methods();
const AccessMethod* access_method(Oid oid);                               // null: not built
const AccessMethod* access_method(std::string_view name);                 // empty: the default; null: not built
const AccessMethod* access_method_of_handler(std::string_view function);  // null: no extension's
// What tables' keys and constraints have, and CREATE INDEX without USING makes.
const AccessMethod& default_access_method();

}  // namespace indigo::catalog
