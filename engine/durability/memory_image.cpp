#include "engine/durability/memory_image.h"

#include "base/sqlstate.h"
#include "catalog/tables/static_tables.h"
#include "engine/durability/restorer.h"
#include "log/data_format.h"
#include "log/file_directory.h"
#include "log/file_error.h"
#include "log/recovery.h"
#include "storage/durability.h"
#include "types/value/collator.h"

namespace indigo::engine {

Result<std::unique_ptr<catalog::Catalog>> load_image(const std::string& path, storage::Store& store, unsigned threads,
                                                     ImageSource* source) {
  INDIGO_ASSIGN(const auto directory, log::open_file_directory(path, log::DirectoryUse::kRead));
  INDIGO_ASSIGN(const auto found, log::read_data_format(*directory));
  if (!found || found->catalog_layout != catalog::catalog_layout() || found->collations != types::Collator::library()) {
    return Error(sqlstate::kFeatureNotSupported, "\"" + path + "\" was not made by this program");
  }
  std::string lost;
  log::RecoverOptions options;
  options.lost = [&lost](std::string_view what) { lost = what; };
  Restorer restorer(store, threads);
  INDIGO_ASSIGN(const log::Recovered recovered, log::recover(*directory, restorer, options));
  if (!lost.empty()) return Error(sqlstate::kDataCorrupted, lost);
  if (!recovered.prepared.empty()) {
    return Error(sqlstate::kFeatureNotSupported, "\"" + path + "\" has prepared transactions")
        .with_hint("Start a server on it, and commit or roll back what pg_prepared_xacts shows.");
  }
  storage::start_clock(store, CommitStamp(recovered.stamp + 1));
  INDIGO_ASSIGN(auto restored, restorer.finish());
  if (source != nullptr) {
    source->tables.assign(restored.tables.begin(), restored.tables.end());
    source->sequences = restored.sequences;
  }
  return catalog::Catalog::restore(store, restored);
}

}  // namespace indigo::engine
