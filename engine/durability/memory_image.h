// A server that keeps nothing, and begins with what a data directory has: `indigo run --cache`. The directory is only read, by
// any number of servers at a time; afterwards nothing of it is used.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "storage/store.h"

namespace indigo::engine {

// As it is after a recovery, without secondary indexes (engine/durability/rebuild.h). Refused: a directory of another program's
// form, or with sort keys of another library of collations (0A000), a damaged one, one with prepared transactions (0A000), one
// that a server uses (55006).
Result<std::unique_ptr<catalog::Catalog>> load_image(const std::string& directory, storage::Store& store,
                                                     unsigned threads);

}  // namespace indigo::engine
