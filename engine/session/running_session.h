// Which session works on this thread just now: for what storage asks of the engine without naming a session (keys of indexes
// that call functions of users' own).
// A session has a Waiter of its own; one that is made while another works on the same Waiter stands in for it until it ends.
// Thread safety: all of it, from any thread.
#pragma once

namespace indigo {
class Waiter;
}  // namespace indigo

namespace indigo::engine {

class SessionParts;

void enter_running_sessions(Waiter& waiter, SessionParts& session);
void leave_running_sessions(Waiter& waiter, SessionParts& session);
// The newest session of Waiter::current(); null where none is known, as in work that a statement has left behind
// (storage/undisturbed.h).
SessionParts* running_session();

}  // namespace indigo::engine
