#!/usr/bin/env python3
"""Writes engine/settings/generated/setting_data.inc: PostgreSQL 15's settings, read from pg_settings of a running server.

usage: extract_settings.py HOST PORT USER > engine/settings/generated/setting_data.inc
"""
import json
import subprocess
import sys

host, port, user = sys.argv[1:4]
QUERY = """select json_agg(x order by lower(name)) from (select name, boot_val, coalesce(unit, '') unit, context, vartype,
coalesce(min_val, '') min_val, coalesce(max_val, '') max_val, coalesce(array_to_string(enumvals, ','), '') enumvals,
category, short_desc, coalesce(extra_desc, '') extra_desc,
'NOT_IN_SAMPLE' = any(pg_settings_get_flags(name)) hidden, 'NO_RESET_ALL' = any(pg_settings_get_flags(name)) no_reset_all
from pg_settings ) x"""
out = subprocess.run(["psql", "-h", host, "-p", port, "-U", user, "-AtXc", QUERY], check=True, capture_output=True, text=True)
quote = lambda s: json.dumps(s or "", ensure_ascii=True)
context = {"internal": "kInternal", "postmaster": "kPostmaster", "sighup": "kSighup", "superuser": "kSuperuser", "user": "kUser",
           "backend": "kBackend", "superuser-backend": "kSuperuserBackend"}
kind = {"bool": "kBool", "integer": "kInteger", "real": "kReal", "string": "kString", "enum": "kEnum"}
print("// Made by tools/extract_settings.py from PostgreSQL 15's pg_settings: do not edit.")
for s in json.loads(out.stdout):
    print("{%s, SettingKind::%s, SettingContext::%s, %s, %s, %s, %s, %s, %s, %s, %s}," % (
        quote(s["name"]), kind[s["vartype"]], context[s["context"]],
        quote(s["boot_val"]), quote(s["unit"]), quote(s["min_val"]), quote(s["max_val"]), quote(s["enumvals"]), quote(s["category"]),
        quote(s["short_desc"]), "true" if s["no_reset_all"] else "false"))
