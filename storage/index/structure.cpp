#include "storage/index/structure.h"

#include "storage/index/btree_index.h"
#include "storage/index/empty_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"

namespace indigo::storage {

std::unique_ptr<Index> make_index(IndexStructure structure, EpochManager& epochs, const PauseHook& pauses,
                                  MemoryAccount& account, IndexService& service) {
  if (structure == IndexStructure::kGriffin) return create_griffin_index(epochs, pauses, account, service);
  if (structure == IndexStructure::kEmpty) return std::make_unique<EmptyIndex>();
  if (structure == IndexStructure::kHash) return create_hash_index(epochs, pauses, account);
  return create_btree_index(epochs, pauses, account);
}

}  // namespace indigo::storage
