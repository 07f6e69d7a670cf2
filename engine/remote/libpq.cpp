#include "engine/remote/libpq.h"

#include <dlfcn.h>

#include <type_traits>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "base/static_process.h"

namespace indigo::engine {

namespace {

bool load(Libpq& pq) {
  if (is_static_process()) return false;
  const MustNotFail scope;  // what the loader and OpenSSL set up once
  void* handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  bool all = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    all = all && function != nullptr;
  };
  find("PQconnectdb", pq.connect);
  find("PQconnectStartParams", pq.begin_connect);
  find("PQconnectPoll", pq.poll);
  find("PQputCopyData", pq.put_copy);
  find("PQgetCopyData", pq.get_copy);
  find("PQstatus", pq.status);
  find("PQerrorMessage", pq.error);
  find("PQsocket", pq.socket);
  find("PQconnectionUsedPassword", pq.used_password);
  find("PQsetnonblocking", pq.set_nonblocking);
  find("PQsetClientEncoding", pq.set_encoding);
  find("PQtransactionStatus", pq.transaction);
  find("PQparameterStatus", pq.parameter);
  find("PQserverVersion", pq.server_version);
  find("PQbackendPID", pq.backend_pid);
  find("PQsendQuery", pq.send);
  find("PQsetSingleRowMode", pq.one_row_at_a_time);
  find("PQflush", pq.flush);
  find("PQconsumeInput", pq.consume);
  find("PQisBusy", pq.busy);
  find("PQgetResult", pq.answer);
  find("PQnotifies", pq.notification);
  find("PQresultStatus", pq.answer_status);
  find("PQntuples", pq.row_count);
  find("PQnfields", pq.column_count);
  find("PQgetisnull", pq.is_null);
  find("PQgetlength", pq.length);
  find("PQgetvalue", pq.value);
  find("PQcmdStatus", pq.tag);
  find("PQcmdTuples", pq.affected);
  find("PQresultErrorField", pq.field);
  find("PQclear", pq.clear);
  find("PQgetCancel", pq.get_cancel);
  find("PQcancel", pq.cancel);
  find("PQfreeCancel", pq.free_cancel);
  find("PQfinish", pq.finish);
  find("PQsetNoticeProcessor", pq.ignore_notices);
  find("PQconninfoParse", pq.parse);
  find("PQconninfoFree", pq.free_options);
  find("PQfreemem", pq.free_memory);
  return all;
}

}  // namespace

Result<const Libpq*> libpq() {
  static const struct Loaded {
    Libpq pq;
    bool all = load(pq);
  } loaded;
  if (loaded.all) return &loaded.pq;
  return Error(sqlstate::kFeatureNotSupported, "connections to other servers are not supported without libpq.so.5");
}

}  // namespace indigo::engine
