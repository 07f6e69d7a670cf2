#include "types/extension/pgcrypto/slow_crypt.h"

#include <pthread.h>

#include <cerrno>
#include <ctime>
#include <system_error>

#include "base/fiber/long_work.h"
#include "base/fiber/thread_start.h"

namespace indigo::types::pgcrypto {

namespace {

// Milliseconds of work, at most: DES, MD5, bcrypt of 2^5 rounds.
bool is_quick(const std::string& salt) {
  if (salt.starts_with("$2")) return salt.size() > 5 && salt[4] == '0' && salt[5] <= '5';
  return !salt.starts_with('_');
}

// A thread that computes, and may be stopped at any instruction: it only works on memory that its owner has given it, and takes
// no lock. The owner waits for its end in any case.
class Computation {
 public:
  Computation(const std::string& password, const std::string& salt, crypt_data& state)
      : password_(password.c_str()), salt_(salt.c_str()), state_(state) {
    const int failed = pthread_create(&thread_, nullptr, run, this);
    if (failed != 0) throw std::system_error(failed, std::generic_category(), "crypt");
  }
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  ~Computation() {
    if (ended_) return;
    pthread_cancel(thread_);
    pthread_join(thread_, nullptr);
  }

  const char* result() {
    constexpr long kBetweenLooksNs = 5'000'000;
    while (!ended_) {
      timespec until{};
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_nsec += kBetweenLooksNs;
      until.tv_sec += until.tv_nsec / 1'000'000'000;
      until.tv_nsec %= 1'000'000'000;
      ended_ = pthread_timedjoin_np(thread_, nullptr, &until) == 0;
      if (!ended_) note_work(long_work::kUnitsBetweenLooks + 1);
    }
    return out_;
  }

 private:
  static void* run(void* self) {
    auto& c = *static_cast<Computation*>(self);
    begin_thread("crypt");
    // No local has an address here: what is stopped at any instruction leaves its frame as the address sanitizer has marked it.
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    const char* out = crypt_rn(c.password_, c.salt_, &c.state_, sizeof c.state_);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
    c.out_ = out;
    return nullptr;
  }

  const char* const password_;
  const char* const salt_;
  crypt_data& state_;
  const char* out_ = nullptr;  // read after the thread has ended
  pthread_t thread_{};
  bool ended_ = false;
};

}  // namespace

const char* interruptible_crypt(const std::string& password, const std::string& salt, crypt_data& state) {
  if (is_quick(salt)) return crypt_rn(password.c_str(), salt.c_str(), &state, sizeof state);
  return Computation(password, salt, state).result();
}

}  // namespace indigo::types::pgcrypto
