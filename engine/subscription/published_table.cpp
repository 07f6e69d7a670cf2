#include "engine/subscription/published_table.h"

#include <algorithm>
#include <utility>

#include "base/sqlstate.h"
#include "engine/ddl/object_lookup.h"
#include "engine/subscription/target_table.h"

namespace indigo::engine::subscription {

namespace {

constexpr int kColumnListsSince = 150000;  // server_version_num; row filters, too

// What the publisher or its connection says has this in front, and not what its answer looks like.
Error without_prefix(Error error, const std::string& what) {
  if (error.state != sqlstate::kConnectionFailure && !error.message.starts_with("ERROR:")) return error;
  error.message = what + ": " + (error.message.starts_with("ERROR:  ") ? error.message.substr(8) : error.message);
  return error;
}

}  // namespace

std::string literal_list(std::span<const std::string> names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + ddl::literal(name);
  return out;
}

Result<std::vector<std::string>> missing_publications(Publisher& publisher, const std::vector<std::string>& names) {
  auto rows = publisher.ask(
      "SELECT t.pubname FROM pg_catalog.pg_publication t WHERE t.pubname IN (" + literal_list(names) + ")", 1);
  if (!rows.ok()) return without_prefix(rows.error(), "could not receive list of publications from the publisher");
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const bool there = std::any_of(rows->begin(), rows->end(), [&](const auto& row) { return row[0] == name; });
    if (!there) out.push_back(name);
  }
  return out;
}

Result<std::vector<PublishedName>> published_names(Publisher& publisher, const std::vector<std::string>& publications) {
  const bool lists = publisher.server_version() >= kColumnListsSince;
  auto rows = publisher.ask("SELECT DISTINCT t.schemaname, t.tablename" + std::string(lists ? ", t.attnames" : "") +
                                " FROM pg_catalog.pg_publication_tables t WHERE t.pubname IN (" +
                                literal_list(publications) + ") ORDER BY 1, 2",
                            lists ? 3 : 2);
  if (!rows.ok()) return without_prefix(rows.error(), "could not receive list of replicated tables from the publisher");
  std::vector<PublishedName> out;
  for (const auto& row : *rows) {
    PublishedName name{row[0].value_or(""), row[1].value_or("")};
    if (!out.empty() && out.back() == name) {
      return Error(sqlstate::kFeatureNotSupported, "cannot use different column lists for table \"" + name.schema +
                                                       "." + name.name + "\" in different publications");
    }
    out.push_back(std::move(name));
  }
  return out;
}

Result<PublishedTable> published_table(Publisher& publisher, const PublishedName& name,
                                       const std::vector<std::string>& publications) {
  const std::string shown = name.schema + "." + name.name;
  const std::string failed = "could not fetch table info for table \"" + shown + "\" from publisher";
  const bool lists = publisher.server_version() >= kColumnListsSince;
  const std::string is_it = "n.nspname = " + ddl::literal(name.schema) + " AND c.relname = " + ddl::literal(name.name);
  const std::string published = "t.schemaname = " + ddl::literal(name.schema) +
                                " AND t.tablename = " + ddl::literal(name.name) + " AND t.pubname IN (" +
                                literal_list(publications) + ")";
  std::string columns =
      "SELECT a.attname, c.relkind FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
      "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE " +
      is_it + " AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''";
  if (lists) {
    columns += " AND EXISTS (SELECT FROM pg_catalog.pg_publication_tables t WHERE " + published +
               " AND a.attname = ANY (t.attnames))";
  }
  auto rows = publisher.ask(columns + " ORDER BY a.attnum", 2);
  if (!rows.ok()) return without_prefix(rows.error(), failed);
  if (rows->empty()) return Error(sqlstate::kConnectionFailure, "table \"" + shown + "\" not found on publisher");
  PublishedTable out;
  std::string list;
  for (const auto& row : *rows) {
    out.columns.push_back(row[0].value_or(""));
    const std::string column = ddl::identifier(out.columns.back());
    list += (list.empty() ? "" : ", ") + column;
  }
  const bool plain = (*rows)[0][1] == "r";
  std::string filter;
  if (lists) {
    auto filters =
        publisher.ask("SELECT DISTINCT t.rowfilter FROM pg_catalog.pg_publication_tables t WHERE " + published, 1);
    if (!filters.ok()) return without_prefix(filters.error(), failed);
    // A publication without one sends every row.
    const bool all = std::any_of(filters->begin(), filters->end(), [](const auto& row) { return !row[0]; });
    for (const auto& row : *filters) {
      if (!all) filter += (filter.empty() ? "" : " OR ") + *row[0];
    }
  }
  const std::string table = quoted_name(name.schema, name.name);
  if (plain && filter.empty()) {
    out.copy = "COPY " + table + " (" + list + ") TO STDOUT";
  } else {
    out.copy = "COPY (SELECT " + list + " FROM " + (plain ? "ONLY " : "") + table +
               (filter.empty() ? "" : " WHERE " + filter) + ") TO STDOUT";
  }
  return out;
}

}  // namespace indigo::engine::subscription
