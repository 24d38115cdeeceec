'use strict';

/** Fills a control plane with many rows, for the benchmark of its size. */
const { createHmac } = require('node:crypto');
const { Client } = require('pg');
const { apiKeyPepper } = require('../../libs/kernel/src/index.ts');

/** Ids and slugs of some rows. @typedef {{ bytes: number, keys: string[], workspaces: string[], configs: string[] }} Samples */
/**
 * Numbers of rows. `used`: keys whose secrets `secretOf` returns by number.
 * @typedef {{ keys: number, configs: number, used: number, workspaces: number, secretOf: (index: number) => string }} Size
 */

/**
 * Creates workspaces, and temporary tables with the numbers and ids of workspaces and keys.
 * @param {Client} client
 * @param {string} organisation
 * @param {Size} size
 */
async function fillWorkspaces(client, organisation, { keys, workspaces }) {
  await client.query('SET synchronous_commit = off');
  await client.query(
    `INSERT INTO workspaces (id, organisation_id, name, slug)
     SELECT uuidv7(), $1, 'Workspace ' || i, 'scale-' || i FROM generate_series(1, $2::int) i`,
    [organisation, workspaces],
  );
  await client.query(
    `CREATE TEMPORARY TABLE places AS
     SELECT (row_number() OVER (ORDER BY slug))::int - 1 AS place, id FROM workspaces WHERE slug LIKE 'scale-%'`,
  );
  await client.query(
    `CREATE TEMPORARY TABLE numbered AS
     SELECT i, uuidv7(interval '1 second' * (i - $1::int)) AS id FROM generate_series(1, $1::int) i`,
    [keys],
  );
}

/**
 * @param {Client} client
 * @param {{ organisation: string, home: string, master: Buffer }} owner
 * @param {Size} size
 */
async function fillKeys(client, { organisation, home, master }, { keys, used, workspaces, secretOf }) {
  await client.query(
    `INSERT INTO api_keys (id, type, organisation_id, workspace_id, name, scopes, status, created_at, last_updated_at)
     SELECT n.id, CASE WHEN n.i > $3 AND n.i % 20 = 0 THEN 'organisation-service' ELSE 'workspace-service' END, $1,
            CASE WHEN n.i <= $3 THEN $2::uuid WHEN n.i % 20 = 0 THEN NULL ELSE p.id END, 'key ' || n.i,
            ARRAY['completions.write'],
            CASE WHEN n.i <= $3 THEN 'active' WHEN n.i % 50 = 1 THEN 'expired' WHEN n.i % 100 = 2 THEN 'exhausted'
                 WHEN n.i % 20 = 3 THEN 'archived' ELSE 'active' END,
            now() - interval '1 second' * ($4::int - n.i), now()
     FROM numbered n JOIN places p ON p.place = n.i % ${String(workspaces)}`,
    [organisation, home, used, keys],
  );
  const pepper = apiKeyPepper(master);
  const hashes = Array.from({ length: used }, (_, index) =>
    createHmac('sha256', pepper)
      .update(secretOf(index + 1))
      .digest('hex'),
  );
  await client.query(
    `INSERT INTO api_key_secrets (secret_hash, api_key_id, masked, state)
     SELECT coalesce(u.hash, md5('a' || n.i) || md5('b' || n.i)), n.id, 'sc*****' || right('00' || n.i, 3), 'current'
     FROM numbered n LEFT JOIN unnest($1::text[]) WITH ORDINALITY u (hash, i) ON u.i = n.i`,
    [hashes],
  );
}

/**
 * @param {Client} client
 * @param {string} organisation
 * @param {Size} size
 */
async function fillConfigs(client, organisation, { configs, workspaces }) {
  await client.query(
    `CREATE TEMPORARY TABLE contents AS
     SELECT i, uuidv7() AS id, uuidv7() AS version FROM generate_series(1, $1::int) i`,
    [configs],
  );
  await client.query(
    `INSERT INTO configs (id, organisation_id, workspace_id, slug, name, current_version_id, created_at)
     SELECT c.id, $1, p.id, 'pc-scale-' || c.i, 'Config ' || c.i, c.version, now() - interval '1 second' * ($2::int - c.i)
     FROM contents c JOIN places p ON p.place = c.i % ${String(workspaces)}`,
    [organisation, configs],
  );
  await client.query(
    `INSERT INTO config_versions (id, config_id, number, content)
     SELECT version, id, 1, '{"strategy":{"mode":"fallback"},"targets":[{"provider":"@a"},{"provider":"@b"}]}' FROM contents`,
  );
}

/**
 * Creates the rows of one organisation, in the numbers of `size`: keys and configs spread over its workspaces, except that the keys
 * that will be used are in its default workspace. Returns the size of the database in bytes, and ids and slugs of some rows.
 * @param {Pick<import('../scale.cjs').Platform, 'postgres' | 'master' | 'credentials'>} platform
 * @param {Size} size
 * @param {(line: string) => void} note
 */
async function fill({ postgres, master, credentials }, size, note) {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { organisation_id: organisation, workspace_id: home } = credentials;
  await fillWorkspaces(client, organisation, size);
  note('API keys');
  await fillKeys(client, { organisation, home, master }, size);
  note('configs');
  await fillConfigs(client, organisation, size);
  // Autovacuum does this within a minute after such a load.
  for (const table of ['workspaces', 'api_keys', 'api_key_secrets', 'configs', 'config_versions'])
    await client.query(`VACUUM ANALYZE ${table}`);
  /** @type {{ rows: Samples[] }} */
  const { rows } = await client.query(
    `SELECT pg_database_size(current_database())::float8 AS bytes,
            (SELECT array_agg(id) FROM (SELECT id FROM numbered ORDER BY random() LIMIT 500) k) AS keys,
            (SELECT array_agg(slug) FROM (SELECT slug FROM workspaces WHERE slug LIKE 'scale-%' ORDER BY random() LIMIT 500) w) AS workspaces,
            (SELECT array_agg(slug) FROM (SELECT slug FROM configs ORDER BY random() LIMIT 500) c) AS configs`,
  );
  await client.end();
  return /** @type {Samples} */ (rows[0]);
}

module.exports = { fill };
