// pg_read_file, pg_stat_file, pg_ls_dir and their kin: the server's files, relative to the data directory. Who may call them says
// their EXECUTE; who does not act for pg_read_server_files reads nothing outside of the data directory.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "engine/copy/server_file.h"
#include "engine/instance_impl.h"
#include "engine/settings/settings.h"
#include "engine/system/catalog_rows.h"
#include "types/datetime/calendar.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

constexpr int64_t kFileBytesMax = (int64_t{1} << 30) - 5;  // PostgreSQL's longest value
constexpr size_t kPieceBytes = 64 << 10;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return file_; }

 private:
  const int file_;
};

// What a file is called in messages, and where it is; `path` empty: there is no data directory that it could be in.
struct NamedFile {
  std::string name, path;
};

NamedFile in_data_directory(SessionParts& session, std::string name) {
  const std::string& directory = session.instance().options().data_directory;
  if (!name.empty() && name[0] == '/') return {name, name};
  if (directory.empty()) return {std::move(name), {}};
  std::string path = name.empty() ? std::string() : directory + "/" + name;
  return {std::move(name), std::move(path)};
}

Result<NamedFile> named_file(SessionParts& session, Str given) {
  std::filesystem::path path = std::filesystem::path(std::string(given)).lexically_normal();
  std::string name = path.string();
  if (name.size() > 1 && name.back() == '/') name.pop_back();
  NamedFile file = in_data_directory(session, std::move(name));
  catalog::SessionCatalog& catalog = session.session_catalog();
  if (catalog.has_privileges_of(catalog.user(), oid::kReadServerFilesRole)) return file;
  if (path.is_absolute()) {
    const std::string& directory = session.instance().options().data_directory;
    if (!directory.empty() && (file.name == directory || file.name.starts_with(directory + "/"))) return file;
    return Error(sqlstate::kInsufficientPrivilege, "absolute path not allowed");
  }
  if (!path.empty() && *path.begin() == "..")
    return Error(sqlstate::kInsufficientPrivilege, "path must be in or below the current directory");
  return file;
}

// From `offset`, from the end if that is negative; at most `most` bytes, or all. Nothing: there is none, and that is allowed.
Result<std::optional<std::string>> read_file(const NamedFile& named, int64_t offset, std::optional<int64_t> most,
                                             bool missing_ok) {
  if (most && *most < 0) return Error(sqlstate::kInvalidParameterValue, "requested length cannot be negative");
  if (most && *most > kFileBytesMax) return Error(sqlstate::kInvalidParameterValue, "requested length too large");
  const OpenFile file(named.path);
  if (file.get() < 0) {
    const int error = errno;
    if (missing_ok && error == ENOENT) return std::optional<std::string>();
    return file_error(error, "could not open file \"" + named.name + "\" for reading");
  }
  if (::lseek(file.get(), offset, offset >= 0 ? SEEK_SET : SEEK_END) < 0 && (offset != 0 || errno != ESPIPE))
    return file_error(errno, "could not seek in file \"" + named.name + "\"");
  std::string out;
  const auto end = static_cast<size_t>(most.value_or(kFileBytesMax + 1));
  while (out.size() < end) {
    Waiter::current().yield_if_due();
    const InterruptReason reason = Waiter::current().interrupted();
    if (reason != InterruptReason::kNone) return interrupt_error(reason);
    const size_t had = out.size(), wanted = std::min(kPieceBytes, end - had);
    out.resize(had + wanted);
    const ssize_t got = ::read(file.get(), out.data() + had, wanted);
    const int error = errno;
    out.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && error == EINTR) continue;
    if (got < 0 && error != EAGAIN) return file_error(error, "could not read file \"" + named.name + "\"");
    if (got <= 0) break;
  }
  if (!most && out.size() > static_cast<size_t>(kFileBytesMax))
    return Error(sqlstate::kProgramLimitExceeded, "file length too large");
  return std::optional<std::string>(std::move(out));
}

enum class Form : uint8_t { kText, kBytes };

Result<OwnedDatum> read_as(Form form, const NamedFile& file, int64_t offset, std::optional<int64_t> most,
                           bool missing_ok) {
  INDIGO_ASSIGN(const auto content, read_file(file, offset, most, missing_ok));
  if (!content) return text_null();
  if (form == Form::kText) INDIGO_TRY(check_client_text(*content));
  return text_value(*content);
}

// (name)
template <Form kForm>
Result<OwnedDatum> read_all(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const NamedFile file, named_file(session, arguments[0].str));
  return read_as(kForm, file, 0, std::nullopt, false);
}

// (name, offset, length [, missing_ok])
template <Form kForm>
Result<OwnedDatum> read_part(SessionParts& session, std::span<const Datum> arguments) {
  if (arguments[2].i64 < 0) return Error(sqlstate::kInvalidParameterValue, "requested length cannot be negative");
  INDIGO_ASSIGN(const NamedFile file, named_file(session, arguments[0].str));
  return read_as(kForm, file, arguments[1].i64, arguments[2].i64, arguments.size() > 3 && arguments[3].b);
}

// adminpack's, of old.
Result<OwnedDatum> read_file_old(SessionParts& session, std::span<const Datum> arguments) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  if (!catalog.is_superuser(catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to read files with adminpack 1.0")
        .with_hint("Consider using pg_read_file(), which is part of core, instead.");
  }
  return read_part<Form::kText>(session, arguments);
}

Result<OwnedDatum> no_rotation(SessionParts& session) {
  session.notice(Severity::kWarning,
                 Error(sqlstate::kWarning, "rotation not possible because log collection not active"));
  return value_of(false);
}
Result<OwnedDatum> rotate_log(SessionParts& session, std::span<const Datum>) { return no_rotation(session); }
Result<OwnedDatum> rotate_log_old(SessionParts& session, std::span<const Datum>) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  if (!catalog.is_superuser(catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to rotate log files with adminpack 1.0")
        .with_hint("Consider using pg_logfile_rotate(), which is part of core, instead.");
  }
  return no_rotation(session);
}

int64_t timestamp_of(const timespec& t) {
  return (t.tv_sec - types::kUnixEpochSeconds) * 1000000;  // whole seconds, as PostgreSQL has them
}

// (name [, missing_ok]): size, access, modification, change, creation, isdir
Result<OwnedDatum> stat_file(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const NamedFile file, named_file(session, arguments[0].str));
  struct stat found {};
  if (::stat(file.path.c_str(), &found) < 0) {
    const int error = errno;
    if (error == ENOENT && arguments.size() > 1 && arguments[1].b) return text_null();
    return file_error(error, "could not stat file \"" + file.name + "\"");
  }
  const types::TypeRef when{oid::kTimestampTz, -1, kInvalidOid};
  const types::TypeRef fields[] = {{oid::kInt8, -1, kInvalidOid}, when, when, when, when,
                                   {oid::kBool, -1, kInvalidOid}};
  const Datum values[] = {Datum::of(static_cast<int64_t>(found.st_size)),
                          Datum::of(timestamp_of(found.st_atim)),
                          Datum::of(timestamp_of(found.st_mtim)),
                          Datum::of(timestamp_of(found.st_ctim)),
                          Datum::make_null(Phys::kI64),
                          Datum::of(S_ISDIR(found.st_mode))};
  return text_value(types::make_record(oid::kRecord, fields, values));
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// Null: there is none, and that is allowed.
Result<Directory> open_directory(const NamedFile& named, bool missing_ok) {
  if (named.path.empty() && named.name == ".") return Directory();  // all is in memory
  errno = ENOENT;
  Directory directory(named.path.empty() ? nullptr : ::opendir(named.path.c_str()));
  if (directory != nullptr || (missing_ok && errno == ENOENT)) return directory;
  return file_error(errno, "could not open directory \"" + named.name + "\"");
}

// (name [, missing_ok, include_dot_dirs])
Status list_directory(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  INDIGO_ASSIGN(const NamedFile named, named_file(session, arguments[0].str));
  const bool missing_ok = arguments.size() > 1 && arguments[1].b, dots = arguments.size() > 2 && arguments[2].b;
  INDIGO_ASSIGN(const Directory directory, open_directory(named, missing_ok));
  if (directory == nullptr) return {};
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (!dots && (name == "." || name == "..")) continue;
    if (find_invalid_text(name) != kAllValid) continue;  // no text
    const Datum row = text_datum(name);
    sink({&row, 1});
  }
  return {};
}

// The files of a directory, those that begin with a dot aside: name, size, modification.
Status list_files(const NamedFile& named, bool missing_ok, std::string_view prefix, const SystemRowSink& sink) {
  INDIGO_ASSIGN(const Directory directory, open_directory(named, missing_ok));
  if (directory == nullptr) return {};
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.') || !name.starts_with(prefix) || find_invalid_text(name) != kAllValid) continue;
    struct stat found {};
    if (::fstatat(::dirfd(directory.get()), entry->d_name, &found, 0) < 0 || !S_ISREG(found.st_mode)) continue;
    const Datum row[] = {text_datum(name), Datum::of(static_cast<int64_t>(found.st_size)),
                         Datum::of(timestamp_of(found.st_mtim))};
    sink(row);
  }
  return {};
}

Status list_log(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  return list_files(in_data_directory(session, "log"), false, {}, sink);
}
// The write-ahead log lies in the data directory itself.
Status list_wal(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  return list_files({"pg_wal", session.instance().options().data_directory}, true, "log-", sink);
}
Status list_nothing(SessionParts&, std::span<const Datum>, const SystemRowSink&) { return {}; }

Status list_temporary(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  if (!arguments.empty() &&
      !CatalogRows(session).find(catalog::pg_tablespace::kOid, arguments[0].oid(), [](RowReader) {})) {
    return Error(sqlstate::kUndefinedObject,
                 "tablespace with OID " + std::to_string(arguments[0].oid()) + " does not exist");
  }
  std::string directory;
  (void)session.settings().lookup("temp_directory", directory);
  return list_files({directory, directory}, true, {}, sink);
}

Status list_slot(SessionParts&, std::span<const Datum> arguments, const SystemRowSink&) {
  return Error(sqlstate::kUndefinedObject, "replication slot \"" + std::string(arguments[0].str) + "\" does not exist");
}

constexpr SystemValue kValues[] = {
    {"pg_read_file_all", read_all<Form::kText>},
    {"pg_read_file_off_len", read_part<Form::kText>},
    {"pg_read_file_v2", read_part<Form::kText>},
    {"pg_read_file", read_file_old},
    {"pg_read_binary_file_all", read_all<Form::kBytes>},
    {"pg_read_binary_file_off_len", read_part<Form::kBytes>},
    {"pg_read_binary_file", read_part<Form::kBytes>},
    {"pg_stat_file_1arg", stat_file},
    {"pg_stat_file", stat_file},
    {"pg_rotate_logfile_v2", rotate_log},
    {"pg_rotate_logfile", rotate_log_old},
};

constexpr SystemRows kRows[] = {
    {"pg_ls_dir_1arg", list_directory},
    {"pg_ls_dir", list_directory},
    {"pg_ls_logdir", list_log},
    {"pg_ls_waldir", list_wal},
    {"pg_ls_archive_statusdir", list_nothing},
    {"pg_ls_tmpdir_noargs", list_temporary},
    {"pg_ls_tmpdir_1arg", list_temporary},
    {"pg_ls_logicalsnapdir", list_nothing},
    {"pg_ls_logicalmapdir", list_nothing},
    {"pg_ls_replslotdir", list_slot},
};

}  // namespace

std::span<const SystemValue> server_file_values() { return kValues; }
std::span<const SystemRows> server_file_rows() { return kRows; }

}  // namespace indigo::engine
