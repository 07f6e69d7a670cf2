// A server that keeps nothing, and begins with what a data directory has: `indigo run --cache`. The directory is only read, by
// any number of servers at a time; afterwards nothing of it is used.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "log/durable_id.h"
#include "storage/store.h"

namespace indigo::engine {

// What an image that is mapped is made of (engine/durability/mapped_image.h).
struct ImageSource {
  std::vector<std::pair<log::DurableId, std::shared_ptr<storage::Table>>> tables;
  std::unordered_map<log::DurableId, catalog::Sequence::State> sequences;
};

// As it is after a recovery, without secondary indexes (engine/durability/rebuild.h). Refused: a directory of another program's
// form, or with sort keys of another library of collations (0A000), a damaged one, one with prepared transactions (0A000), one
// that a server uses (55006). `source` gets what there is.
Result<std::unique_ptr<catalog::Catalog>> load_image(const std::string& directory, storage::Store& store,
                                                     unsigned threads, ImageSource* source = nullptr);

}  // namespace indigo::engine
