// Stands where RE2 calls its own functions for each byte (cmake/third_party.cmake), and goes on to them.
#include "types/text/regex_steps.h"

#include <utility>

#include "base/fiber/long_work.h"

namespace {

constexpr uint64_t kUnitsOfInstruction = 8;
thread_local uint64_t units_of_step = 0;  // 0: it is not ours that runs

}  // namespace

// As RE2's members are called: the object comes first. Its types are its own; all that is passed on is pointers and numbers.
extern "C" {
// The originals, under the names that they were given.
int indigo_re2_nfa_step(void* machine, void* run, void* next, int byte, const void* context, const char* at);
void* indigo_re2_dfa_state(void* machine, void* state, int byte);

int indigo_counted_nfa_step(
    void* machine, void* run, void* next, int byte, const void* context,
    const char* at) __asm__("_ZN3re23NFA4StepEPNS_11SparseArrayIPNS0_6ThreadEEES5_iRKNS_11StringPieceEPKc");
void* indigo_counted_dfa_state(void* machine, void* state,
                               int byte) __asm__("_ZN3re23DFA14RunStateOnByteEPNS0_5StateEi");
}

// A byte for a machine that follows all possibilities at once.
int indigo_counted_nfa_step(void* machine, void* run, void* next, int byte, const void* context, const char* at) {
  indigo::note_work(units_of_step);
  return indigo_re2_nfa_step(machine, run, next, byte, context, at);
}

// A set of possibilities that the other machine has not seen before, or has forgotten. Its locks are held.
void* indigo_counted_dfa_state(void* machine, void* state, int byte) {
  indigo::note_work(units_of_step);
  return indigo_re2_dfa_state(machine, state, byte);
}

namespace indigo::types {

RegexSteps::RegexSteps(int instructions)
    : before_(std::exchange(units_of_step, kUnitsOfInstruction * static_cast<uint64_t>(instructions))) {}
RegexSteps::~RegexSteps() { units_of_step = before_; }

}  // namespace indigo::types
