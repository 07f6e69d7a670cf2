import {afterEach, beforeEach, expect, test} from "@jest/globals";
import {testDatabase} from "indigo-server";
import pg from "pg";

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

test.each([1, 2, 3, 4, 5])("each has its own %i", async (number) => {
  await client.query("insert into film (title) values ($1)", [`film ${number}`]);
  const {rows} = await client.query("select count(*)::int as films from film");
  expect(rows).toEqual([{films: 3}]);
});
