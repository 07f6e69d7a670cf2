// Keys of values that functions of users' own make: the support functions of operator classes of theirs, which storage knows
// nothing of. A btree class's (types/value/defined_order.h) order, a hash class's (types/value/defined_hash.h) only tell apart.
// Thread safety: any thread. The functions are called under no lock, as they may wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "types/type_info.h"
#include "types/value/datum.h"

namespace indigo::types {

// Calls the support functions, in the running session or in one of its own. One for the instance.
class ClassCalls {
 public:
  virtual ~ClassCalls() = default;
  // function(a, b), an integer, in this database.
  virtual Result<int32_t> compare(Oid database, Oid function, const TypeRef& type, const Datum& a, const Datum& b) = 0;
  // function(value), an integer.
  virtual Result<int32_t> hash(Oid database, Oid function, const TypeRef& type, const Datum& value) = 0;
  // Why the key of an index could not be made, for the message of the running session's statement.
  virtual void note_failure(const Error& error) = 0;
};

// Where a class's support function 1 stands: pg_amproc's row of the class.
struct ClassFunction {
  Oid database = kInvalidOid;
  Oid function = kInvalidOid;
  TypeRef type;       // of its arguments, with the collation that the function works under
  bool hash = false;  // of a hash class
};

class DefinedKeys {
 public:
  explicit DefinedKeys(ClassCalls& calls) : calls_(calls) {}
  virtual ~DefinedKeys() = default;
  DefinedKeys(const DefinedKeys&) = delete;
  DefinedKeys& operator=(const DefinedKeys&) = delete;

  // Of what the class has, in the form that its method asks for.
  static std::unique_ptr<DefinedKeys> make(ClassCalls& calls, const ClassFunction& function);

  // Keys compare as values do, and values with one key are equal. Else values that are equal have one key, and others may.
  virtual bool ordered() const = 0;
  // Negative, zero, positive. Throws RaisedError (base/raised_error.h) when the function fails.
  virtual int compare(const Datum& a, const Datum& b) const = 0;
  // kLook: a value that has no label is told where it would lie, and not kept. Of two of them between the same neighbours
  // nothing is known.
  enum class Labels : uint8_t { kKeep, kLook };
  // Appends the value's key; throws as compare() does.
  virtual void append_key(const Datum& value, Labels labels, std::string& out) const = 0;
  // The same, with no labels yet.
  virtual std::unique_ptr<DefinedKeys> renewed() const = 0;

  void note_failure(const Error& error) const { calls_.note_failure(error); }

 protected:
  ClassCalls& calls() const { return calls_; }

 private:
  ClassCalls& calls_;
};

}  // namespace indigo::types
