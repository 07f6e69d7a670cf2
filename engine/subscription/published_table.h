// What a publisher says of its publications: which tables they have, and of one table which columns and rows.
// Thread safety: as the Publisher.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/subscription/publisher.h"

namespace indigo::engine::subscription {

// 'a', 'b'
std::string literal_list(std::span<const std::string> names);

// Those that the publisher does not have.
Result<std::vector<std::string>> missing_publications(Publisher& publisher, const std::vector<std::string>& names);

struct PublishedName {
  std::string schema, name;
  friend bool operator==(const PublishedName&, const PublishedName&) = default;
};
// In order of names. 0A000 for a table with several column lists.
Result<std::vector<PublishedName>> published_names(Publisher& publisher, const std::vector<std::string>& publications);

struct PublishedTable {
  std::vector<std::string> columns;
  std::string copy;  // the command that sends its rows
};
Result<PublishedTable> published_table(Publisher& publisher, const PublishedName& name,
                                       const std::vector<std::string>& publications);

}  // namespace indigo::engine::subscription
