// What a setting's check and effect may ask of their session, and change in it.
#pragma once

namespace indigo::catalog {
class SessionCatalog;
class SessionContext;
}  // namespace indigo::catalog

namespace indigo::engine {

struct AppliedSettings;
struct SessionActivity;
class SessionRoles;
class TransactionBlock;

struct SettingSession {
  AppliedSettings& applied;
  TransactionBlock& block;
  SessionRoles& roles;
  SessionActivity& activity;
  catalog::SessionCatalog& catalog;
  catalog::SessionContext& context;
};

}  // namespace indigo::engine
