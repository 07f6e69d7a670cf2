#include "base/exception_error.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/fiber/stack_exhausted.h"
#include "base/memory/memory_reserve.h"
#include "base/raised_error.h"
#include "base/sqlstate.h"

namespace indigo {

Error exception_error() {
  const MustNotFail scope;
  try {
    throw;
  } catch (const InterruptedWork& stopped) {
    return interrupt_error(stopped.reason);
  } catch (const StackExhausted&) {
    return stack_depth_error();
  } catch (const RaisedError& raised) {
    return raised.error;
  } catch (const std::bad_alloc&) {
    return Error(sqlstate::kOutOfMemory, "out of memory");
  } catch (const std::length_error&) {  // more than an allocation can ever have
    return Error(sqlstate::kOutOfMemory, "out of memory");
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again) {  // what std::thread throws
      return Error(sqlstate::kInsufficientResources, std::string("could not start a thread: ") + e.what());
    }
    const bool memory = e.code() == std::errc::not_enough_memory;
    return Error(memory ? sqlstate::kOutOfMemory : sqlstate::kInsufficientResources, e.what());
  } catch (const std::exception& e) {
    return Error(sqlstate::kInternalError, std::string("unexpected exception: ") + e.what());
  } catch (...) {
    return Error(sqlstate::kInternalError, "unexpected exception");
  }
}

}  // namespace indigo
