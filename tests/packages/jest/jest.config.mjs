export default {
  globalSetup: "indigo-server/jest",
  globalTeardown: "indigo-server/jest-teardown",
  testMatch: ["**/*.test.mjs"],
  transform: {},
};
