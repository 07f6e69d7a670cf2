#include "base/static_process.h"

#include <elf.h>
#include <nss.h>
#include <sys/auxv.h>

#include <cstddef>

namespace indigo {

// A dynamic program names its loader in its headers.
bool is_static_process() {
  const auto* header = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  const size_t count = getauxval(AT_PHNUM);
  for (size_t i = 0; header != nullptr && i < count; i++) {
    if (header[i].p_type == PT_INTERP) return false;
  }
  return header != nullptr;
}

void prepare_static_process() {
  if (!is_static_process()) return;
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
  __nss_configure_lookup("hosts", "files dns");
}

}  // namespace indigo
