#include "types/extension/index_support.h"

#include "types/extension/index_entry.h"

namespace indigo::types {

const std::string& IndexSupport::function(const std::string& signature, std::string_view result, bool parallel_safe) {
  signatures_.push_back(signature);
  const std::string name = signature.substr(0, signature.find('('));
  if (!known_.insert(name).second) return signatures_.back();
  names_.push_back(name);
  script_.append("create function ").append(signature).append(" returns ").append(result);
  script_.append(" as 'MODULE_PATHNAME', '").append(name).append("' language c immutable strict");
  script_ += parallel_safe ? " parallel safe;\n" : ";\n";
  return signatures_.back();
}

std::vector<ScalarEntry> IndexSupport::entries() const {
  std::vector<ScalarEntry> out;
  for (const std::string& name : names_) out.push_back({name.c_str(), uncallable_kernel});
  return out;
}

}  // namespace indigo::types
