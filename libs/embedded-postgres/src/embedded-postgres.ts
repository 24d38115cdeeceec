import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { findBinaries } from './binaries';
import { lastLine, prepareCluster, SUPERUSER, toolEnvironment } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { prepareHome } from './home';
import { freeInnerPort } from './inner-port';
import { endEarlierServer, waitUntil } from './running-server';
import { postgresUser, type SystemUser } from './system-user';

export interface EmbeddedPostgresOptions {
  /** Folder of this server only; created if missing. */
  readonly home: string;
  /** Password of the superuser. It is set when the cluster is created and must not change. */
  readonly password: string;
  /** File to which the server's messages are appended. */
  readonly logFile: string;
  /** Additional `name = value` settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ports of processes that will start later, which the server must not use. */
  readonly reservedPorts?: readonly number[];
}

const DATABASE = 'tollgate';
/** Time limit in milliseconds for a server that does not respond. */
const READY_TIMEOUT_MS = 60_000;
/**
 * SQLSTATE of a server that is starting: crash recovery replays up to `max_wal_size`, which can
 * take long.
 */
const STARTING = '57P03';
const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 5_000;
const START_ATTEMPTS = 3;

const SETTINGS = {
  // Postgres accepts only TCP on loopback with a password: socket paths are limited in length, and
  // sockets do not check the owner under another user.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // Checkpoints are rare, because the first change of a page after a checkpoint writes the whole
  // page to the WAL, and ingest changes many pages.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  // The rollups of a busy hour should fit into memory.
  shared_buffers: '256MB',
  // With few cores, worker processes for I/O cost more than reading pages directly: log pages took
  // twice as long.
  io_method: 'sync',
  // Containers often have 64 MB of shared memory, which parallel queries would exhaust.
  max_parallel_workers_per_gather: '0',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  jit: 'off',
};

/**
 * A Postgres server as a child process, for one machine. `start` after `stop` (or after a crash) is
 * possible and keeps the port, so that the URL stays valid.
 */
export class EmbeddedPostgres {
  private server: ChildProcess | undefined;
  private port: number | undefined;

  constructor(private readonly options: EmbeddedPostgresOptions) {}

  /** URL of the product's database, including the password. Valid after the first `start`. */
  get url(): string {
    return this.urlOf(DATABASE);
  }

  get child(): ChildProcess {
    if (!this.server) throw new EmbeddedPostgresError('Postgres has not been started.');
    return this.server;
  }

  /** Resolves when the server answers queries. Throws `EmbeddedPostgresError`. */
  async start(): Promise<void> {
    const user = postgresUser();
    const home = prepareHome(this.options.home, user);
    const binaries = findBinaries(user, join(home, 'binaries'));
    const folder = prepareCluster(home, binaries, user, this.options.password);
    await endEarlierServer(folder);
    const hasPort = this.port !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      this.port ??= await this.choosePort();
      this.server = this.spawnServer(join(binaries.folder, 'postgres'), folder, user);
      if (await this.isReady(this.server)) break;
      if (attempt === START_ATTEMPTS) throw this.startError();
      // The memory of a killed server may not be free yet, or the port may be in use. Another port
      // is possible unless other processes know the URL.
      if (!hasPort) this.port = undefined;
      await delay(500);
    }
    await this.ensureDatabase();
  }

  /**
   * Stops the server and resolves when it has exited: sessions are cut, data is written. After 15 s
   * it is killed.
   */
  async stop(): Promise<void> {
    const server = this.server;
    if (!server || hasExited(server)) return;
    for (const [signal, patienceMs] of [
      ['SIGINT', FAST_STOP_MS],
      ['SIGQUIT', IMMEDIATE_STOP_MS],
      ['SIGKILL', IMMEDIATE_STOP_MS],
    ] as const) {
      server.kill(signal);
      await waitUntil(() => hasExited(server), patienceMs);
      if (hasExited(server)) return;
    }
  }

  /**
   * Keeps the port for later starts. If another process takes it before the server starts, the start
   * is repeated with another one.
   */
  private async choosePort(): Promise<number> {
    const port = await freeInnerPort(this.options.reservedPorts);
    if (port === null) throw new EmbeddedPostgresError('The embedded Postgres found no free port.');
    return port;
  }

  private spawnServer(executable: string, folder: string, user: SystemUser | null): ChildProcess {
    const settings = { ...SETTINGS, ...this.options.settings, port: String(this.port) };
    const log = openSync(this.options.logFile, 'a', 0o600);
    try {
      // The server gets its own session, so that Ctrl-C in the terminal reaches only the launcher,
      // which stops its children in order.
      const server = spawn(
        executable,
        ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
        { cwd: folder, env: toolEnvironment, detached: true, stdio: ['ignore', log, log], ...user },
      );
      server.on('error', () => undefined);
      return server;
    } finally {
      closeSync(log);
    }
  }

  private async isReady(server: ChildProcess): Promise<boolean> {
    let deadline = Date.now() + READY_TIMEOUT_MS;
    while (!hasExited(server) && Date.now() < deadline) {
      const client = new Client({ connectionString: this.urlOf('postgres'), connectionTimeoutMillis: 5_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return true;
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code === STARTING) deadline = Date.now() + READY_TIMEOUT_MS;
        if (code === '28P01') {
          server.kill('SIGINT');
          throw new EmbeddedPostgresError(
            `The password for ${this.options.home} differs from the one that its cluster was created with.`,
          );
        }
        await delay(20);
      } finally {
        await client.end();
      }
    }
    if (!hasExited(server)) await this.stop();
    return false;
  }

  private async ensureDatabase(): Promise<void> {
    const client = new Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    } finally {
      await client.end();
    }
  }

  private urlOf(database: string): string {
    const password = encodeURIComponent(this.options.password);
    return `postgres://${SUPERUSER}:${password}@127.0.0.1:${String(this.port)}/${database}`;
  }

  private startError(): EmbeddedPostgresError {
    const reason = lastLine(readFileSync(this.options.logFile, 'utf8')) ?? 'it exited without a message';
    return new EmbeddedPostgresError(
      `The embedded Postgres did not start: ${reason} (log: ${this.options.logFile})`,
    );
  }
}

const hasExited = (server: ChildProcess): boolean =>
  server.exitCode !== null || server.signalCode !== null || server.pid === undefined;
