// Vitest's `globalSetup: ["indigo-server/vitest"]`.
import {globalSetup} from "./index.js";

export default async function setup() {
  const server = await globalSetup();
  return () => server.stop();
}
