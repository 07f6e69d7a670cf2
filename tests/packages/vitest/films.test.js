import pg from "pg";
import {afterEach, beforeEach, expect, test} from "vitest";
import {Server, SqlError, testDatabase} from "indigo-server";

let database, client;
beforeEach(async () => {
  database = await testDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

for (let number = 0; number < 10; number++) {
  test(`each has its own ${number}`, async () => {
    await client.query("insert into film (title) values ($1)", [`film ${number}`]);
    const {rows} = await client.query("select count(*)::int as films, max(id) as last from film");
    expect(rows).toEqual([{films: 3, last: 3}]);
    expect(await database.execute("select count(*) from migrated")).toEqual([["1"]]);
  });
}

test("errors have their state", async () => {
  await expect(database.execute("insert into film (title) values ('M')")).rejects.toMatchObject({sqlstate: "23505"});
  await expect(database.execute("select")).resolves.toEqual([[]]);
  expect(SqlError).toBeDefined();
});

test("a server of one's own", async () => {
  const server = await Server.start({work_mem: "7MB"});
  expect(await server.database("postgres").execute("show work_mem")).toEqual([["7MB"]]);
  await server.stop();
});
