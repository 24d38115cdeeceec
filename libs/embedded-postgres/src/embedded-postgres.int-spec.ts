import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '@gw/testing';
import { Client } from 'pg';

import { EmbeddedPostgres } from './embedded-postgres';

let folder: string;
let server: EmbeddedPostgres | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
  chmodSync(folder, 0o711);
});

afterEach(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function create(password = 'a password with / and @'): EmbeddedPostgres {
  return new EmbeddedPostgres({
    home: join(folder, 'home'),
    password,
    logFile: join(folder, 'postgres.log'),
  });
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat() as unknown[];
  } finally {
    await client.end();
  }
}

/** Simulates a killed launcher: the server keeps running without a parent. */
async function startAbandonedServer(): Promise<{ pid: number; url: string }> {
  const other = create();
  await other.start();
  await query(other.url, 'CREATE TABLE kept AS SELECT 42 AS value');
  other.child.unref();
  return { pid: Number(other.child.pid), url: other.url };
}

describe('EmbeddedPostgres', () => {
  it('keeps its data across a restart, and its URL within one process', async () => {
    server = create();
    await server.start();
    const { url } = server;
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS value');
    await server.stop();
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, 'SELECT value FROM kept')).toEqual([42]);
  });

  it('uses durable settings, so that a power cut loses no committed row', async () => {
    server = create();
    await server.start();
    expect(
      await query(
        server.url,
        "SELECT setting FROM pg_settings WHERE name IN ('fsync','full_page_writes','synchronous_commit')",
      ),
    ).toEqual(['on', 'on', 'on']);
  });

  it('refuses connections without the password, and listens only on loopback', async () => {
    server = create();
    await server.start();
    const withoutPassword = server.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(query(withoutPassword, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect(await query(server.url, 'SHOW listen_addresses')).toEqual(['127.0.0.1']);
  });

  it('takes over the data of a server that outlived its launcher', async () => {
    const earlier = await startAbandonedServer();
    server = create();
    await server.start();
    expect(server.child.pid).not.toBe(earlier.pid);
    expect(await query(server.url, 'SELECT value FROM kept')).toEqual([42]);
    await expect(query(earlier.url, 'SELECT 1')).rejects.toThrow();
  });

  it('recovers after the server was killed and left its pid file', async () => {
    server = create();
    await server.start();
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS value');
    const exited = new Promise((resolve) => server?.child.once('exit', resolve));
    server.child.kill('SIGKILL');
    await exited;
    await server.start();
    expect(await query(server.url, 'SELECT value FROM kept')).toEqual([42]);
  });

  it('restarts immediately after a kill, even if a busy session still runs', async () => {
    server = create();
    await server.start();
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const busy = client
      .query('SELECT count(*) FROM (SELECT generate_series(1, 1e12::bigint)) AS streamed')
      .catch(() => 'cut');
    await eventually(async () => {
      const { url } = server as EmbeddedPostgres;
      const active = "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%AS streamed'";
      return (await query(url, `${active} AND pid <> pg_backend_pid()`))[0] === 1;
    });
    const exited = new Promise((resolve) => server?.child.once('exit', resolve));
    server.child.kill('SIGKILL');
    await exited;
    await server.start();
    expect(await busy).toBe('cut');
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
  });

  it('waits for its port during a restart, because other processes hold its URL', async () => {
    server = create();
    await server.start();
    const { url } = server;
    await server.stop();
    const intruder = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => intruder.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    const starting = server.start();
    await eventually(() => readFileSync(join(folder, 'postgres.log'), 'utf8').includes('could not bind'));
    await new Promise((resolve) => intruder.close(resolve));
    await starting;
    expect(server.url).toBe(url);
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  it('starts despite a stale pid file whose pid belongs to another process', async () => {
    server = create();
    await server.start();
    const pidFile = join(folder, 'home', 'data', 'postmaster.pid');
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await server.stop();
    writeFileSync(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'));
    await server.start();
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
  });

  it('runs as root below a folder that only root may enter', async () => {
    if (process.getuid?.() !== 0) return;
    chmodSync(folder, 0o700);
    server = create();
    await server.start();
    expect(await query(server.url, 'SELECT 1')).toEqual([1]);
    await server.stop();
    rmSync(readlinkSync(join(folder, 'home')), { recursive: true });
  });

  it('reports the folder when the password differs from the original one', async () => {
    server = create();
    await server.start();
    await server.stop();
    server = create('another');
    await expect(server.start()).rejects.toThrow(join(folder, 'home'));
  });
});
