export default {test: {globalSetup: ["indigo-server/vitest"]}};
