// Calls of libxml2 that end where memory is refused, where the statement is to stop, and where a document asks for too much.
//
//   Status status = with_libxml([&]() -> Status {
//     xmlDoc* document = libxml([&] { return xmlCtxtReadDoc(...); });
//     ...
//   });
//
// with_libxml() makes a call on the thread's large stack, where nothing may suspend: libxml2's handlers and last error
// are the thread's. What libxml2 allocates within belongs to the call and is freed at its end, whatever became of it:
// nothing is freed by hand, and nothing may be kept. libxml() goes into the library; what it is given has no local with
// a destructor, for it is left by siglongjmp. No external entity is ever loaded: within a call each is empty.
// Thread safety: all functions.
#pragma once

#include <libxml/globals.h>
#include <libxml/parser.h>

#include <functional>
#include <memory>
#include <type_traits>

#include "base/error.h"

namespace indigo::types {

// What f answers, or the error of leave_libxml(). Throws what f throws, std::bad_alloc and InterruptedWork among it.
// `may_take_long`: f runs in a thread of its own, that can be stopped where it loops within libxml(): interrupts are
// looked at when the library asks for memory, but it compares sets of nodes, each with each, without that. f must use
// nothing of the session then.
// Throws std::system_error when there is no thread.
Status with_libxml(const std::function<Status()>& f, bool may_take_long = false);

namespace libxml_call {
void enter(void (*function)(void*), void* argument);
}

// Throws std::bad_alloc and InterruptedWork. The address sanitizer would leave its marks on a frame that is left by force.
template <class Function>
[[gnu::no_sanitize_address]] auto libxml(Function&& function) -> std::invoke_result_t<Function&> {
  using Value = std::invoke_result_t<Function&>;
  using Plain = std::remove_reference_t<Function>;
  if constexpr (std::is_void_v<Value>) {
    libxml_call::enter([](void* f) { (*static_cast<Plain*>(f))(); },
                       const_cast<void*>(static_cast<const void*>(&function)));
  } else {
    static_assert(std::is_trivially_destructible_v<Value>);
    struct Call {
      Plain* function;
      Value value;
    } call{std::addressof(function), {}};
    libxml_call::enter([](void* c) { static_cast<Call*>(c)->value = (*static_cast<Call*>(c)->function)(); }, &call);
    return call.value;
  }
}

// A second copy of libxml2, which a shared library has brought into the process.
struct OtherLibxml {
  decltype(&xmlGcMemSetup) set_memory = nullptr;
  decltype(&xmlInitParser) start = nullptr;
  decltype(&xmlSetExternalEntityLoader) set_loader = nullptr;
  decltype(&xmlGetExternalEntityLoader) loader = nullptr;
  xmlParserInput* (*string_input)(xmlParserCtxt*, const xmlChar*) = nullptr;
  decltype(&xmlGetGlobalState) thread_state = nullptr;
  decltype(&__xmlLastError) last_error = nullptr;
};
// From now on what it allocates within a call belongs to the call, too, and it loads nothing there. Once, and for one copy; it is
// not unloaded. `other` lives as long as the process.
void adopt_libxml(const OtherLibxml& other);
// Before a thread's call that uses the copy.
void use_other_libxml();

// In a handler that libxml2 calls: the thread is not stopped between the two. What calls them has nothing to clean up (no local
// with a destructor, no try), and what it calls between them is not inlined: see StoppableThread, 3.
int raise_libxml_shield(bool needed);
void lower_libxml_shield(bool needed, int before);  // the thread may end here

// From a handler that libxml2 calls: the call ends with 54000 and this message, a constant.
[[noreturn]] void leave_libxml(const char* message);

}  // namespace indigo::types
