// The image of `indigo run --cache`: one file, with which a server that keeps nothing begins in a time that does not depend on
// the rows of tables that can be mapped (storage/image/table_image.h). System tables, sequences and the other tables are read. The
// file is only read, by any number of servers at a time; it may be removed while they run.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "engine/durability/memory_image.h"
#include "storage/store.h"

namespace indigo::engine {

// Of what load_image() has read, after rebuild_after_recovery() and before any session. On an error nothing is there.
Status write_image(const std::string& path, storage::Store& store, catalog::Catalog& catalog,
                   const ImageSource& source);

// As load_image(); the indexes of mapped tables come without a look at rows. A block that is damaged is found when it is first read
// (XX001, of that statement); what is read at once, here, as is a file that was cut off.
Result<std::unique_ptr<catalog::Catalog>> map_image(const std::string& path, storage::Store& store, unsigned threads);

}  // namespace indigo::engine
