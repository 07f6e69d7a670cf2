// RE2 counts its work while a RegexSteps lives: it looks at interrupts, and throws what note_work throws. What RE2 holds then
// is given back, and the pattern may be used again.
// Thread safety: a RegexSteps belongs to the thread that runs RE2 within its life.
#pragma once

#include <cstdint>

namespace indigo::types {

class RegexSteps {
 public:
  // `instructions` of the pattern's program: what a step may have to look at.
  explicit RegexSteps(int instructions);
  ~RegexSteps();
  RegexSteps(const RegexSteps&) = delete;
  RegexSteps& operator=(const RegexSteps&) = delete;

 private:
  const uint64_t before_;
};

}  // namespace indigo::types
