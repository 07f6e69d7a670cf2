// Whether this process was linked statically. glibc's static programs must not load shared objects of the machine they run on:
// those belong to another C library. Thread safety: safe from any thread, prepare_static_process before there are others.
#pragma once

namespace indigo {

bool is_static_process();

// Users, groups and hosts are then looked up by what glibc has built in: /etc/passwd, /etc/group, /etc/hosts and DNS.
void prepare_static_process();

}  // namespace indigo
