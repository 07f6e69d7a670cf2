// Jest's `globalTeardown`.
export default async function teardown() {
  await globalThis.indigoServer?.stop();
}
