// node-postgres: parameters, named statements, transactions, cursors and streams, pools, errors, types, cancel, notices, LISTEN's
// refusal; COPY where pg-copy-streams is installed. Run as: NODE_PATH=/usr/share/nodejs node node_pg_cases.js
'use strict';
const assert = require('assert');
const { Client, Pool, types } = require('pg');

function optional(name) {
  try {
    return require(name);
  } catch {
    return null;
  }
}
const Cursor = optional('pg-cursor');
const QueryStream = optional('pg-query-stream');
const copyStreams = optional('pg-copy-streams');

const address = { host: process.env.PGHOST, port: Number(process.env.PGPORT), user: 'postgres', database: 'postgres' };

async function failsWith(code, promise) {
  try {
    await promise;
  } catch (error) {
    assert.strictEqual(error.code, code, error.message);
    return error;
  }
  throw new assert.AssertionError({ message: `no error ${code}` });
}

const cases = {
  async values(client) {
    const when = new Date(Date.UTC(2024, 1, 29, 1, 2, 3, 456));
    const { rows } = await client.query(
      'select $1::int as i, $2::int8 as big, $3::float8 as f, $4::text as t, $5::bool as b, $6::timestamptz as at, $7::bytea as raw, ' +
        '$8::text as nothing, $9::int[] as list, $10::jsonb as object, $11::numeric as n, $12::date as d',
      [7, '1099511627776', 1.5, "it's \\ é", true, when, Buffer.from([0, 255]), null, [1, null, 3], { a: [1, 'x'] }, '1.50', '2020-01-02'],
    );
    const [row] = rows;
    assert.deepStrictEqual([row.i, row.big, row.f, row.t, row.b], [7, '1099511627776', 1.5, "it's \\ é", true]);
    assert.strictEqual(row.at.getTime(), when.getTime());
    assert.deepStrictEqual([...row.raw], [0, 255]);
    assert.strictEqual(row.nothing, null);
    assert.deepStrictEqual(row.list, [1, null, 3]);
    assert.deepStrictEqual(row.object, { a: [1, 'x'] });
    assert.strictEqual(row.n, '1.50');
    assert.strictEqual(new Date(row.d).getFullYear(), 2020);
    assert.strictEqual(types.builtins.INT4, 23);
  },

  async simple_queries_with_several_results(client) {
    const results = await client.query("create table t (a int); insert into t values (1), (2); select * from t; select 'x' as y");
    assert.deepStrictEqual(results.map((r) => [r.command, r.rowCount]), [['CREATE', null], ['INSERT', 2], ['SELECT', 2], ['SELECT', 1]]);
    const array = await client.query({ text: 'select 1 as a, 2 as a', rowMode: 'array' });
    assert.deepStrictEqual(array.rows, [[1, 2]]);
    assert.deepStrictEqual(array.fields.map((f) => [f.name, f.dataTypeID]), [['a', 23], ['a', 23]]);
    const empty = await client.query('');
    assert.strictEqual(empty.rows.length, 0);
  },

  async named_statements(client) {
    await client.query('create table t (id serial primary key, v text not null)');
    for (let n = 0; n < 20; n++) {
      const { rows } = await client.query({ name: 'add', text: 'insert into t (v) values ($1) returning id', values: [`v${n}`] });
      assert.strictEqual(rows[0].id, n + 1);
    }
    const { rows } = await client.query({ name: 'by_id', text: 'select id, v from t where id = $1', values: [3] });
    assert.strictEqual(rows[0].id, 3);
    const { rows: listed } = await client.query('select name from pg_prepared_statements order by name');
    assert.deepStrictEqual(listed.map((r) => r.name), ['add', 'by_id']);
    await client.query('deallocate add');
  },

  async transactions(client) {
    await client.query('create table t (a int primary key)');
    await client.query('begin');
    await client.query('insert into t values ($1)', [1]);
    await client.query('savepoint s');
    await failsWith('23505', client.query('insert into t values ($1)', [1]));
    await failsWith('25P02', client.query('select 1'));
    await client.query('rollback to s');
    await client.query('commit');
    await client.query('begin isolation level repeatable read read only');
    await failsWith('25006', client.query('delete from t'));
    await client.query('rollback');
    assert.deepStrictEqual((await client.query('select * from t')).rows, [{ a: 1 }]);
  },

  async cursors_and_streams(client) {
    if (Cursor) {
      const cursor = client.query(new Cursor('select i from generate_series(1, $1::int) i', [250]));
      assert.strictEqual((await cursor.read(100)).length, 100);
      assert.strictEqual((await cursor.read(200)).length, 150);
      assert.strictEqual((await cursor.read(10)).length, 0);
      await cursor.close();
      const left = client.query(new Cursor('select i from generate_series(1, 100000) i'));
      await left.read(10);
      await left.close();
    }
    if (QueryStream) {
      let sum = 0;
      for await (const row of client.query(new QueryStream('select i from generate_series(1, 5000) i', [], { batchSize: 300 }))) sum += row.i;
      assert.strictEqual(sum, 12502500);
    }
    assert.strictEqual((await client.query('select 1 as one')).rows[0].one, 1);
  },

  async copies(client) {
    if (!copyStreams) return;
    const { pipeline } = require('stream/promises');
    const { Readable } = require('stream');
    await client.query('create table t (a int, b text)');
    await pipeline(Readable.from(['1\tone\n2\t', 'two\n', '3\t\\N\n']), client.query(copyStreams.from('copy t from stdin')));
    let out = '';
    for await (const piece of client.query(copyStreams.to('copy t to stdout csv'))) out += piece;
    assert.strictEqual(out, '1,one\n2,two\n3,\n');
    await failsWith('22P02', pipeline(Readable.from(['x\ty\n']), client.query(copyStreams.from('copy t from stdin'))));
  },

  async error_fields(client) {
    await client.query('create table t (a int primary key, b int constraint positive check (b > 0))');
    await client.query('insert into t values (1, 1)');
    const twice = await failsWith('23505', client.query('insert into t values ($1, $2)', [1, 1]));
    assert.deepStrictEqual([twice.constraint, twice.table, twice.detail, twice.severity], ['t_pkey', 't', 'Key (a)=(1) already exists.', 'ERROR']);
    assert.strictEqual((await failsWith('23514', client.query('update t set b = -1'))).constraint, 'positive');
    assert.strictEqual((await failsWith('42703', client.query('select nothing'))).position, '8');
    await failsWith('22P02', client.query('select $1::int', ['word']));
    await failsWith('08P01', client.query('select $1::int', [])).catch((error) => assert.ok(error));
    assert.strictEqual((await client.query('select 1 as one')).rows[0].one, 1);
  },

  async pool() {
    const pool = new Pool({ ...address, max: 6 });
    await pool.query('drop table if exists public.node_pool');
    await pool.query('create table public.node_pool (a int primary key, n int)');
    await pool.query('insert into public.node_pool values (1, 0)');
    const work = async () => {
      for (let n = 0; n < 20; n++) {
        const client = await pool.connect();
        try {
          await client.query('begin');
          await client.query('update public.node_pool set n = n + $1 where a = $2', [1, 1]);
          await client.query('commit');
        } finally {
          client.release();
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, work));
    assert.strictEqual((await pool.query('select n from public.node_pool')).rows[0].n, 240);
    await pool.query('drop table public.node_pool');
    await pool.end();
  },

  async cancel(client) {
    const sleeping = failsWith('57014', client.query('select pg_sleep(60)'));
    const other = new Client(address);
    await other.connect();
    let ended = false;
    sleeping.finally(() => (ended = true));
    while (!ended) await other.query('select pg_cancel_backend($1)', [client.processID]);
    await sleeping;
    await other.end();
    const impatient = new Client({ ...address, statement_timeout: 30 });
    await impatient.connect();
    await failsWith('57014', impatient.query('select pg_sleep(60)'));
    await impatient.end();
  },

  async notices(client) {
    const heard = [];
    client.on('notice', (notice) => heard.push(notice.message));
    await client.query('drop table if exists there_is_none');
    assert.deepStrictEqual(heard, ['table "there_is_none" does not exist, skipping']);
    await failsWith('0A000', client.query('listen channel'));
    assert.strictEqual((await client.query('select 1 as one')).rows[0].one, 1);
  },
};

async function main() {
  let failed = 0;
  for (const [name, run] of Object.entries(cases)) {
    const client = new Client(address);
    await client.connect();
    try {
      await client.query(`drop schema if exists node_pg_${name} cascade; create schema node_pg_${name}; set search_path to node_pg_${name}`);
      await run(client);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}`, error);
    }
    await client.end();
  }
  console.log(`${Object.keys(cases).length - failed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main();
