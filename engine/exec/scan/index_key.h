// Keys of indexes with expressions or a predicate: what storage asks for each version of a row (storage::KeyExtractor), and
// the messages when computing a key fails or meets another row.
//
// The expressions are immutable by definition (42P17 refuses others), so a key depends on the row alone.
// Thread safety: an extractor is used by any number of threads at once; each call takes an evaluator of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"
#include "storage/store.h"

namespace indigo::storage {
class KeyExtractor;
class Store;
}  // namespace indigo::storage

namespace indigo::engine::exec {

// Has the index parts that need an evaluator? Those of an inverted one do.
bool has_computed_key(const catalog::IndexInfo& index);

// `key` is the layout to encode with. The session serves the analysis only; it is not kept.
Result<std::shared_ptr<const storage::KeyExtractor>> make_index_key_extractor(
    catalog::SessionContext& session, storage::Store& store,
    const std::shared_ptr<const catalog::RelationInfo>& relation, const catalog::IndexInfo& index,
    const types::KeyLayout& key);

// What a function of users' own said when a key could not be computed, once; nothing where none was called.
std::optional<Error> noted_key_error(catalog::SessionContext& session);
// Why some index's key of this row cannot be computed (after storage::StorageStatus::kKeyError).
Error index_key_error(catalog::SessionContext& session, storage::Store& store,
                      const std::shared_ptr<const catalog::RelationInfo>& relation, Bytes row);

// "(a, lower(b))=(1, x)": the key of a row as messages show it; nothing when it cannot be computed.
std::optional<std::string> index_key_text(catalog::SessionContext& session, storage::Store& store,
                                          const std::shared_ptr<const catalog::RelationInfo>& relation,
                                          const catalog::IndexInfo& index, Bytes row);

}  // namespace indigo::engine::exec
