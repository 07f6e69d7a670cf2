// The allocators of ICU and OpenSSL, which are C and answer null where operator new throws: in a MustNotFail scope
// (base/memory/memory_reserve.h) they get the reserve, elsewhere the call of the library fails, and its caller throws bad_alloc.
#pragma once

namespace indigo::types {

// Once for the process, best before its first call of either library; without effect where a host program has set its own.
void install_library_memory();

}  // namespace indigo::types
