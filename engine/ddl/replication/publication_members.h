// What a publication publishes beside FOR ALL TABLES: rows of pg_publication_rel (tables, each with the columns and the rows that
// subscribers get) and of pg_publication_namespace (all tables of a schema).
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ddl/expression.h"

namespace indigo::engine::ddl {

struct Publication {
  Oid oid = kInvalidOid, owner = kInvalidOid;
  std::string name;
  bool all_tables = false;
  bool via_root = false;  // changes of partitions are published as those of the partitioned table above
};

struct PublishedTable {
  RelationPtr relation;
  std::optional<StoredExpression> filter;  // WHERE
  std::vector<int16_t> columns;            // ascending; empty: all
};

// The tables and schemas that a statement names.
struct PublishedObjects {
  std::vector<PublishedTable> tables;
  std::vector<Oid> schemas;
  bool empty() const { return tables.empty() && schemas.empty(); }
};

// Names resolved, tables locked, with those that inherit from them. `removed`: for ALTER ... DROP, which takes names alone.
Result<PublishedObjects> read_published(DdlContext& c, NodeList objects, bool removed);

Status add_published(DdlContext& c, const Publication& p, const PublishedObjects& objects);
Status remove_published(DdlContext& c, const PublishedObjects& objects, const Publication& p);
// Those alone from now on.
Status set_published(DdlContext& c, const Publication& p, const PublishedObjects& objects);

bool publishes_schemas(DdlContext& c, Oid publication);
// 22023 when a partitioned table has a filter or a list of columns, which need publish_via_partition_root.
Status check_publishes_partitions(DdlContext& c, const Publication& p);

// "publication of table t in publication p", "publication of schema s in publication p" (rows of the two tables above).
std::string published_text(DdlContext& c, const Address& member);

}  // namespace indigo::engine::ddl
