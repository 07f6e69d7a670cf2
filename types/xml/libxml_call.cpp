#include "types/xml/libxml_call.h"

#include <cxxabi.h>
#include <libxml/globals.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/threads.h>
#include <libxml/xmlmemory.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/fiber/stoppable_thread.h"
#include "base/memory/memory_reserve.h"
#include "base/memory/process_memory.h"
#include "base/once.h"
#include "base/sqlstate.h"

namespace indigo::types {

namespace {

constexpr size_t kBytesMost = (size_t{1} << 30) - 1;  // of one call
constexpr size_t kBytesBetweenLooks = size_t{16} << 20;
constexpr uint64_t kAllocationUnits = 50;  // of note_work

// Before what libxml2 is given. malloc's blocks begin at multiples of 16, ours do not: those of a program that has used libxml2
// before us are known by that.
struct Block {
  Block* previous;  // null: of no call
  Block* next;
  size_t bytes;
};
static_assert(sizeof(Block) % 16 == 8);

class Call;
thread_local Call* current = nullptr;

const OtherLibxml* other_copy = nullptr;  // set before a thread says that it uses it
thread_local bool uses_other = false;

class Call {
 public:
  // `apart`: used by a thread of its own, which its owner may stop.
  explicit Call(bool apart) : apart_(apart) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    while (blocks_.next != &blocks_) {
      Block* const block = blocks_.next;
      unlink(*block);
      std::free(block);
    }
  }

  // On the thread that uses it.
  void attach() { current = this; }
  static void detach() {
    std::memset(&xmlLastError, 0, sizeof xmlLastError);  // its texts are the call's
    if (uses_other) std::memset(other_copy->last_error(), 0, sizeof(xmlError));
    current = nullptr;
  }
  // Its thread is stopped: what that still gives back at its end may have been given back already.
  void abandon() { abandoned_.store(true, std::memory_order_release); }  // pairs with abandoned()
  bool apart() const { return apart_; }
  bool abandoned() const { return abandoned_.load(std::memory_order_acquire); }

  void link(Block& block) {
    block.previous = &blocks_;
    block.next = blocks_.next;
    blocks_.next->previous = &block;
    blocks_.next = &block;
    bytes_ += block.bytes;
  }
  void unlink(const Block& block) {
    block.previous->next = block.next;
    block.next->previous = block.previous;
    bytes_ -= block.bytes;
  }

  // Leaves the library when it is to stop before it gets so much more.
  void look(size_t bytes) {
    if (way_out_ == nullptr) return;
    if (bytes_ + bytes > kBytesMost) leave();
    if (bytes_ > looked_at_ + kBytesBetweenLooks) {
      looked_at_ = bytes_;
      if (process_memory_is_short()) leave();
    }
    if (!apart_ && must_stop(bytes)) leave();
  }

  [[noreturn]] void leave() { siglongjmp(*way_out_, 1); }
  [[noreturn]] void leave_with(const char* message) {
    limit_ = message;
    leave();
  }
  bool can_leave() const { return way_out_ != nullptr; }

  [[gnu::no_sanitize_address]] void enter(void (*function)(void*), void* argument) {
    sigjmp_buf here;
    if (sigsetjmp(here, 0) == 0) {
      way_out_ = &here;
      if (apart_) {
        StoppableThread::anywhere(function, argument);
      } else {
        function(argument);
      }
      way_out_ = nullptr;
      return;
    }
    way_out_ = nullptr;
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    if (limit_ != nullptr) throw Limit{limit_};
    throw std::bad_alloc();
  }

  struct Limit {
    const char* message;
  };

 private:
  bool must_stop(size_t bytes) {
    try {
      note_work(kAllocationUnits + bytes / 4);
      return false;
    } catch (...) {
      failed_ = std::current_exception();
      return true;
    }
  }

  const bool apart_;
  std::atomic<bool> abandoned_{false};
  Block blocks_{&blocks_, &blocks_, 0};
  size_t bytes_ = 0, looked_at_ = 0;
  sigjmp_buf* way_out_ = nullptr;
  std::exception_ptr failed_;
  const char* limit_ = nullptr;
};

// Returns if it should be tried again.
bool memory_missing() {
  if (MustNotFail::active()) {
    no_memory();
    return true;
  }
  if (return_free_memory()) return true;
  if (current != nullptr && current->can_leave()) current->leave();
  return false;
}

void* user_part(Block* block) { return block + 1; }
Block* block_of(void* user) { return static_cast<Block*>(user) - 1; }
bool is_ours(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 16 != 0; }

[[gnu::noinline, gnu::no_sanitize_address]] void* allocate(size_t bytes) {
  if (current != nullptr) current->look(bytes);
  do {
    if (bytes > PTRDIFF_MAX - sizeof(Block)) continue;
    auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
    if (block == nullptr) continue;
    *block = {nullptr, nullptr, bytes};
    if (current != nullptr) current->link(*block);
    return user_part(block);
  } while (memory_missing());
  return nullptr;
}

[[gnu::noinline, gnu::no_sanitize_address]] void give_back(void* memory) {
  Block* const block = block_of(memory);
  if (block->previous != nullptr) {
    if (current->abandoned()) return;
    current->unlink(*block);
  }
  std::free(block);
}

bool needs_shield() { return current != nullptr && current->apart(); }

extern "C" {

[[gnu::no_sanitize_address]] void* indigo_xml_malloc(size_t bytes) {
  const bool needed = needs_shield();
  const int before = raise_libxml_shield(needed);
  void* const memory = allocate(bytes);
  lower_libxml_shield(needed, before);
  return memory;
}

[[gnu::no_sanitize_address]] void indigo_xml_free(void* memory) {
  if (!is_ours(memory)) return std::free(memory);
  const bool needed = needs_shield();
  const int before = raise_libxml_shield(needed);
  give_back(memory);
  lower_libxml_shield(needed, before);
}

void* indigo_xml_realloc(void* memory, size_t bytes) {
  if (memory == nullptr) return indigo_xml_malloc(bytes);
  if (!is_ours(memory)) return std::realloc(memory, bytes);
  Block* const old = block_of(memory);
  void* const grown = indigo_xml_malloc(bytes);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, memory, std::min(old->bytes, bytes));
  indigo_xml_free(memory);
  return grown;
}

char* indigo_xml_strdup(const char* text) {
  const size_t bytes = std::strlen(text) + 1;
  void* const copy = indigo_xml_malloc(bytes);
  return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, text, bytes));
}

}  // extern "C"

xmlExternalEntityLoader loader_before = nullptr;

xmlParserInput* load_nothing(const char* url, const char* id, xmlParserCtxt* context) {
  if (current == nullptr) return loader_before(url, id, context);
  return xmlNewStringInputStream(context, reinterpret_cast<const xmlChar*>(""));
}

xmlExternalEntityLoader other_loader_before = nullptr;

xmlParserInput* load_nothing_there(const char* url, const char* id, xmlParserCtxt* context) {
  if (current == nullptr) return other_loader_before(url, id, context);
  return other_copy->string_input(context, reinterpret_cast<const xmlChar*>(""));
}

// What libxml2 keeps of this thread: where it does not get memory for that, it does not return.
void make_thread_state(decltype(&xmlGetGlobalState) state) {
  void* const probe = std::malloc(2 * sizeof(xmlGlobalState));
  if (probe == nullptr) throw std::bad_alloc();
  std::free(probe);
  const MustNotFail scope;
  state();
}

void start_library() {
  static constinit Once started;
  started.call([] {
    const MustNotFail scope;
    xmlGcMemSetup(indigo_xml_free, indigo_xml_malloc, indigo_xml_malloc, indigo_xml_realloc, indigo_xml_strdup);
    xmlInitParser();
    loader_before = xmlGetExternalEntityLoader();
    xmlSetExternalEntityLoader(load_nothing);
  });
  thread_local bool known = false;
  if (known) return;
  make_thread_state(xmlGetGlobalState);
  known = true;
}

// What becomes of a function that uses the library.
struct Outcome {
  Status status;
  std::exception_ptr failed;
};

void run(Call& call, const std::function<Status()>& f, Outcome& out) {
  call.attach();
  try {
    out.status = f();
  } catch (const Call::Limit& limit) {
    out.status = Error(sqlstate::kProgramLimitExceeded, limit.message);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    out.failed = std::current_exception();
  }
  Call::detach();
}

// In a thread of its own, which may be stopped within libxml() at any instruction: it takes no lock there, and what it has got
// of memory is the call's.
Outcome run_apart(const std::function<Status()>& f) {
  Call call(true);
  Outcome outcome;  // read after the thread has ended
  StoppableThread thread(
      "xml", kLargeStackBytes,
      [&] {
        try {
          start_library();
        } catch (const std::bad_alloc&) {
          outcome.failed = std::current_exception();
          return;
        }
        run(call, f, outcome);
      },
      [&] { call.abandon(); });
  thread.wait();
  return outcome;
}

}  // namespace

Status with_libxml(const std::function<Status()>& f, bool may_take_long) {
  if (current != nullptr) return f();
  start_library();
  Outcome outcome;
  if (may_take_long) {
    outcome = run_apart(f);
  } else {
    run_on_large_stack([&] {
      Call call(false);
      run(call, f, outcome);
    });
  }
  if (outcome.failed) std::rethrow_exception(outcome.failed);
  return std::move(outcome.status);
}

void adopt_libxml(const OtherLibxml& other) {
  const MustNotFail scope;
  other.set_memory(indigo_xml_free, indigo_xml_malloc, indigo_xml_malloc, indigo_xml_realloc, indigo_xml_strdup);
  other.start();
  other_loader_before = other.loader();
  other_copy = &other;
  other.set_loader(load_nothing_there);
}

void use_other_libxml() {
  if (uses_other) return;
  make_thread_state(other_copy->thread_state);
  uses_other = true;
}

int raise_libxml_shield(bool needed) {
  int before = PTHREAD_CANCEL_DEFERRED;
  if (needed) pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  return before;
}
void lower_libxml_shield(bool needed, int before) {
  if (needed) pthread_setcanceltype(before, nullptr);
}

void libxml_call::enter(void (*function)(void*), void* argument) { current->enter(function, argument); }

void leave_libxml(const char* message) { current->leave_with(message); }

}  // namespace indigo::types
