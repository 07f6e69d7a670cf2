// What becomes of a store into a mapped file, or a load from it, that the device cannot carry out: the kernel answers SIGBUS, which
// would end the process. For registered mappings the handler puts an empty page of memory in the place of the one that failed
// and notes it, so that the instruction goes on, and whoever asks the device next learns of it.
//
// Thread safety: all functions; contains() and note_fault() are called by the signal's handler, on any thread, and may only use
// atomics.
// Invariants: 1. After remove() no handler uses the mapping. 2. A SIGBUS elsewhere has the effect that it would have had before.
#pragma once

namespace indigo::log {

class MappedFile {
 public:
  virtual bool contains(const char* address) const = 0;
  virtual void note_fault() = 0;

 protected:
  ~MappedFile() = default;
};

// Beyond some thousands at a time none is watched.
void add_mapped_file(MappedFile& file);
void remove_mapped_file(MappedFile& file);

}  // namespace indigo::log
