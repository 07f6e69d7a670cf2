#include "engine/auth/saslprep.h"

#include <algorithm>
#include <new>
#include <vector>

#include <unicode/usprep.h>
#include <unicode/ustring.h>

#include "base/memory/memory_reserve.h"

namespace indigo::engine::auth {

std::string saslprep(std::string_view password) {
  std::string same(password);
  if (std::all_of(password.begin(), password.end(), [](char c) { return c > 0; })) return same;
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  UErrorCode status = U_ZERO_ERROR;
  UStringPrepProfile* profile = usprep_openByType(USPREP_RFC4013_SASLPREP, &status);
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(status)) return same;
  std::vector<UChar> wide(password.size() + 1), prepared(password.size() * 4 + 16);
  int32_t length = 0, prepared_length = 0, bytes = 0;
  std::string out(password.size() * 12 + 48, '\0');
  u_strFromUTF8(wide.data(), static_cast<int32_t>(wide.size()), &length, password.data(),
                static_cast<int32_t>(password.size()), &status);
  if (U_SUCCESS(status)) {
    prepared_length = usprep_prepare(profile, wide.data(), length, prepared.data(),
                                     static_cast<int32_t>(prepared.size()), USPREP_DEFAULT, nullptr, &status);
  }
  if (U_SUCCESS(status)) {
    u_strToUTF8(out.data(), static_cast<int32_t>(out.size()), &bytes, prepared.data(), prepared_length, &status);
  }
  usprep_close(profile);
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();  // another password would be taken for this one
  if (U_FAILURE(status)) return same;
  out.resize(static_cast<size_t>(bytes));
  return out;
}

}  // namespace indigo::engine::auth
