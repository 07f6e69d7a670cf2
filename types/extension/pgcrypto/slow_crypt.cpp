#include "types/extension/pgcrypto/slow_crypt.h"

#include "base/fiber/stoppable_thread.h"

namespace indigo::types::pgcrypto {

namespace {

// Milliseconds of work, at most: DES, MD5, bcrypt of 2^5 rounds.
bool is_quick(const std::string& salt) {
  if (salt.starts_with("$2")) return salt.size() > 5 && salt[4] == '0' && salt[5] <= '5';
  return !salt.starts_with('_');
}

}  // namespace

const char* interruptible_crypt(const std::string& password, const std::string& salt, crypt_data& state) {
  if (is_quick(salt)) return crypt_rn(password.c_str(), salt.c_str(), &state, sizeof state);
  struct Call {
    const char *password, *salt;
    crypt_data* state;
    const char* out;
  } call{password.c_str(), salt.c_str(), &state, nullptr};
  StoppableThread thread("crypt", 0, [&call] {
    StoppableThread::anywhere(
        [](void* argument) {
          auto& c = *static_cast<Call*>(argument);
          c.out = crypt_rn(c.password, c.salt, c.state, sizeof *c.state);
        },
        &call);
  });
  thread.wait();
  return call.out;
}

}  // namespace indigo::types::pgcrypto
