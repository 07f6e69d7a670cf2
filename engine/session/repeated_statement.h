// A statement of a SERIALIZABLE transaction that has failed because of what others have just committed begins again, if nobody
// can tell (docs/theory.md, R9).
// Thread safety: as the session.
#pragma once

namespace indigo {
struct Error;
}

namespace indigo::engine {

class SessionParts;
struct Portal;

// Has the portal's statement failed with this in a way that lets it begin again? Then it is as it was before it was opened, and
// the transaction's snapshot is a newer one. Not one that has triggers, calls volatile functions by name, or was rewritten by
// rules.
bool begins_again(SessionParts& session, Portal& portal, const Error& error);

}  // namespace indigo::engine
