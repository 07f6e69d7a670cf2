// lo_*, loread and lowrite: large objects by descriptor, whole, and from and to files of the server.
#include "base/sqlstate.h"
#include "engine/copy/server_file.h"
#include "engine/large_object/large_object.h"
#include "engine/large_object/large_object_descriptors.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

constexpr int32_t kInvWrite = 0x20000, kInvRead = 0x40000;
constexpr int64_t kMaxValueBytes = 0x3fffffff - 4;  // of a bytea
constexpr size_t kPieceBytes = size_t{1} << 18;     // to a file at once

using Arguments = std::span<const Datum>;

LargeObjects objects_of(SessionParts& session) { return {session.session_catalog(), session.transaction()}; }

LargeObjectDescriptors& descriptors(SessionParts& session) { return session.block().large_objects(); }

bool without_privileges(SessionParts& session) {
  static const uint32_t index = *find_setting("lo_compat_privileges");
  return session.settings().boolean(index);
}

storage::ReadView view_of(SessionParts& session, const OpenLargeObject& opened) {
  return opened.writes ? session.transaction().newest_view() : opened.view;
}

// Not registered anywhere yet.
Result<OpenLargeObject> open_object(SessionParts& session, Oid object, int32_t mode) {
  OpenLargeObject out;
  out.object = object;
  out.writes = (mode & kInvWrite) != 0;
  if ((mode & (kInvWrite | kInvRead)) == 0) {
    return Error(sqlstate::kInvalidParameterValue, "invalid flags for opening a large object: " + std::to_string(mode));
  }
  if (!out.writes) out.view = session.scope().current_view();
  const catalog::ObjectAcl access = objects_of(session).access(view_of(session, out), object);
  if (!access.found) return no_large_object(object);
  if (!without_privileges(session)) {
    const uint32_t held = catalog::held_privileges(session.session_catalog(), access, session.user());
    const uint32_t needed = types::kPrivilegeSelect | (out.writes ? types::kPrivilegeUpdate : 0u);
    if ((held & needed) != needed) return large_object_denied(object);
  }
  return out;
}

Result<int64_t> seek_target(int64_t target) {
  if (target >= 0 && target <= kLargeObjectMaxBytes) return target;
  return Error(sqlstate::kInvalidParameterValue, "invalid large object seek target: " + std::to_string(target));
}

Status write_at(SessionParts& session, Oid object, int64_t offset, std::string_view bytes) {
  if (offset + static_cast<int64_t>(bytes.size()) > kLargeObjectMaxBytes) {
    return Error(sqlstate::kInvalidParameterValue,
                 "invalid large object write request size: " + std::to_string(bytes.size()));
  }
  return objects_of(session).pages(object).write(offset, bytes);
}

Error not_opened_for_writing(int32_t number) {
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "large object descriptor " + std::to_string(number) + " was not opened for writing");
}

OwnedDatum number(int32_t v) { return OwnedDatum(Datum::of(v)); }
OwnedDatum oid_value(Oid v) { return OwnedDatum(Datum::of_oid(v)); }
OwnedDatum nothing() { return OwnedDatum(text_datum("")); }

// ---- by descriptor

Result<OwnedDatum> lo_open(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(OpenLargeObject opened, open_object(session, a[0].oid(), a[1].i32));
  if (!opened.writes) opened.pinned = session.transaction().pin(opened.view);
  opened.depth = session.block().depth();
  return number(descriptors(session).add(std::move(opened)));
}

Result<OwnedDatum> lo_close(SessionParts& session, Arguments a) {
  INDIGO_TRY(descriptors(session).close(a[0].i32));
  return number(0);
}

Result<OwnedDatum> loread(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(OpenLargeObject * opened, descriptors(session).find(a[0].i32));
  std::string bytes;
  const auto count = static_cast<size_t>(std::max(0, a[1].i32));
  INDIGO_TRY(objects_of(session).pages(opened->object).read(view_of(session, *opened), opened->position, count, bytes));
  opened->position += static_cast<int64_t>(bytes.size());
  return text_value(bytes);
}

Result<OwnedDatum> lowrite(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(OpenLargeObject * opened, descriptors(session).find(a[0].i32));
  if (!opened->writes) return not_opened_for_writing(a[0].i32);
  const std::string_view bytes = a[1].str;
  INDIGO_TRY(write_at(session, opened->object, opened->position, bytes));
  opened->position += static_cast<int64_t>(bytes.size());
  return number(static_cast<int32_t>(bytes.size()));
}

enum Whence : int32_t { kSet = 0, kCurrent = 1, kEnd = 2 };

Result<int64_t> seek(SessionParts& session, int32_t descriptor, int64_t offset, int32_t whence) {
  INDIGO_ASSIGN(OpenLargeObject * opened, descriptors(session).find(descriptor));
  int64_t base = 0;
  switch (whence) {
    case kSet: break;
    case kCurrent: base = opened->position; break;
    case kEnd: {
      INDIGO_ASSIGN(base, objects_of(session).pages(opened->object).size(view_of(session, *opened)));
      break;
    }
    default: return Error(sqlstate::kInvalidParameterValue, "invalid whence setting: " + std::to_string(whence));
  }
  int64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target)) target = -1;
  INDIGO_ASSIGN(opened->position, seek_target(target));
  return opened->position;
}

Result<OwnedDatum> narrow(int64_t position, const char* function, int32_t descriptor) {
  if (position == static_cast<int32_t>(position)) return number(static_cast<int32_t>(position));
  return Error(
      sqlstate::kNumericValueOutOfRange,
      std::string(function) + " result out of range for large-object descriptor " + std::to_string(descriptor));
}

Result<OwnedDatum> lo_lseek(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const int64_t position, seek(session, a[0].i32, a[1].i32, a[2].i32));
  return narrow(position, "lo_lseek", a[0].i32);
}

Result<OwnedDatum> lo_lseek64(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const int64_t position, seek(session, a[0].i32, a[1].i64, a[2].i32));
  return value_of(position);
}

Result<OwnedDatum> lo_tell(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const OpenLargeObject* opened, descriptors(session).find(a[0].i32));
  return narrow(opened->position, "lo_tell", a[0].i32);
}

Result<OwnedDatum> lo_tell64(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const OpenLargeObject* opened, descriptors(session).find(a[0].i32));
  return value_of(opened->position);
}

Result<OwnedDatum> truncate(SessionParts& session, int32_t descriptor, int64_t length) {
  INDIGO_ASSIGN(const OpenLargeObject* opened, descriptors(session).find(descriptor));
  if (!opened->writes) return not_opened_for_writing(descriptor);
  if (length < 0 || length > kLargeObjectMaxBytes) {
    return Error(sqlstate::kInvalidParameterValue, "invalid large object truncation target: " + std::to_string(length));
  }
  INDIGO_TRY(objects_of(session).pages(opened->object).truncate(length));
  return number(0);
}

Result<OwnedDatum> lo_truncate(SessionParts& session, Arguments a) { return truncate(session, a[0].i32, a[1].i32); }
Result<OwnedDatum> lo_truncate64(SessionParts& session, Arguments a) { return truncate(session, a[0].i32, a[1].i64); }

// ---- whole objects

Result<OwnedDatum> lo_creat(SessionParts& session, Arguments) {
  INDIGO_ASSIGN(const Oid object, objects_of(session).create(kInvalidOid));
  return oid_value(object);
}

Result<OwnedDatum> lo_create(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const Oid object, objects_of(session).create(a[0].oid()));
  return oid_value(object);
}

Result<OwnedDatum> lo_unlink(SessionParts& session, Arguments a) {
  const Oid object = a[0].oid();
  LargeObjects objects = objects_of(session);
  if (!without_privileges(session)) INDIGO_TRY(objects.check_owner(object));
  descriptors(session).close_object(object);
  INDIGO_TRY(objects.remove(object));
  return number(1);
}

Result<OwnedDatum> lo_from_bytea(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const Oid object, objects_of(session).create(a[0].oid()));
  INDIGO_TRY(write_at(session, object, 0, a[1].str));
  return oid_value(object);
}

// `count` < 0: to the end.
Result<OwnedDatum> fragment(SessionParts& session, Oid object, int64_t offset, int64_t count) {
  INDIGO_ASSIGN(const OpenLargeObject opened, open_object(session, object, kInvRead));
  const LargeObjectPages pages = objects_of(session).pages(object);
  INDIGO_ASSIGN(const int64_t size, pages.size(opened.view));
  int64_t length = offset > size ? 0 : size - offset;
  if (count >= 0) length = std::min(length, count);
  if (length > kMaxValueBytes) return Error(sqlstate::kProgramLimitExceeded, "large object read request is too large");
  INDIGO_TRY(seek_target(offset));
  std::string bytes;
  INDIGO_TRY(pages.read(opened.view, offset, static_cast<size_t>(length), bytes));
  return text_value(bytes);
}

Result<OwnedDatum> lo_get(SessionParts& session, Arguments a) { return fragment(session, a[0].oid(), 0, -1); }

Result<OwnedDatum> lo_get_fragment(SessionParts& session, Arguments a) {
  if (a[2].i32 < 0) return Error(sqlstate::kInvalidParameterValue, "requested length cannot be negative");
  return fragment(session, a[0].oid(), a[1].i64, a[2].i32);
}

Result<OwnedDatum> lo_put(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const OpenLargeObject opened, open_object(session, a[0].oid(), kInvWrite));
  INDIGO_ASSIGN(const int64_t offset, seek_target(a[1].i64));
  INDIGO_TRY(write_at(session, opened.object, offset, a[2].str));
  return nothing();
}

// ---- files of the server

Result<OwnedDatum> import_file(SessionParts& session, std::string_view name, Oid wanted) {
  const std::string path(name);
  INDIGO_ASSIGN(const auto file, open_server_file(path, ServerFileUse::kRead, "could not open server file"));
  INDIGO_ASSIGN(const Oid object, objects_of(session).create(wanted));
  std::string piece;
  for (int64_t at = 0;;) {
    piece.clear();
    INDIGO_ASSIGN(const bool more, file->read(piece));
    if (!more) break;
    INDIGO_TRY(write_at(session, object, at, piece));
    at += static_cast<int64_t>(piece.size());
  }
  if (file->failure() != 0) return file_error(file->failure(), "could not read server file \"" + path + "\"");
  return oid_value(object);
}

Result<OwnedDatum> lo_import(SessionParts& session, Arguments a) { return import_file(session, a[0].str, kInvalidOid); }
Result<OwnedDatum> lo_import_with_oid(SessionParts& session, Arguments a) {
  return import_file(session, a[0].str, a[1].oid());
}

Result<OwnedDatum> lo_export(SessionParts& session, Arguments a) {
  INDIGO_ASSIGN(const OpenLargeObject opened, open_object(session, a[0].oid(), kInvRead));
  const std::string path(a[1].str);
  INDIGO_ASSIGN(const auto file, open_server_file(path, ServerFileUse::kWrite, "could not create server file"));
  const LargeObjectPages pages = objects_of(session).pages(opened.object);
  std::string piece;
  for (int64_t at = 0;; at += static_cast<int64_t>(piece.size())) {
    piece.clear();
    INDIGO_TRY(pages.read(opened.view, at, kPieceBytes, piece));
    if (piece.empty()) break;
    INDIGO_TRY(file->write(piece));
  }
  INDIGO_TRY(file->finish());
  if (file->failure() != 0) return file_error(file->failure(), "could not write server file \"" + path + "\"");
  return number(1);
}

constexpr SystemValue kLargeObjectValues[] = {
    {"be_lo_open", lo_open},
    {"be_lo_close", lo_close},
    {"be_loread", loread},
    {"be_lowrite", lowrite},
    {"be_lo_lseek", lo_lseek},
    {"be_lo_lseek64", lo_lseek64},
    {"be_lo_tell", lo_tell},
    {"be_lo_tell64", lo_tell64},
    {"be_lo_truncate", lo_truncate},
    {"be_lo_truncate64", lo_truncate64},
    {"be_lo_creat", lo_creat},
    {"be_lo_create", lo_create},
    {"be_lo_unlink", lo_unlink},
    {"be_lo_from_bytea", lo_from_bytea},
    {"be_lo_get", lo_get},
    {"be_lo_get_fragment", lo_get_fragment},
    {"be_lo_put", lo_put},
    {"be_lo_import", lo_import},
    {"be_lo_import_with_oid", lo_import_with_oid},
    {"be_lo_export", lo_export},
};

}  // namespace

std::span<const SystemValue> large_object_values() { return kLargeObjectValues; }

}  // namespace indigo::engine
