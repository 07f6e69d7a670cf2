// Jest's `globalSetup: "indigo-server/jest"`; `globalTeardown: "indigo-server/jest-teardown"`.
import {globalSetup} from "./index.js";

export default async function setup() {
  globalThis.indigoServer = await globalSetup();
}
