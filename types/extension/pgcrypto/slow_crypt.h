// libcrypt's crypt(), which computes for as long as the salt says, hours if it likes, and looks at nothing meanwhile.
// Thread safety: all functions.
#pragma once

#include <crypt.h>

#include <string>

namespace indigo::types::pgcrypto {

// As crypt_rn. What may take long is computed by a thread of its own, while the caller looks at interrupts (note_work): it throws
// InterruptedWork, and std::system_error when there is no thread.
const char* interruptible_crypt(const std::string& password, const std::string& salt, crypt_data& state);

}  // namespace indigo::types::pgcrypto
