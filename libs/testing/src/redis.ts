import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { endProcess } from './end-process';
import { freePort } from './free-port';

const START_TIMEOUT_MS = 60_000;

export interface TestRedis {
  /** `redis://127.0.0.1:<port>`; unchanged after `start`. */
  readonly url: string;
  /** Kills the server abruptly and cuts its connections. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`, empty, on the same port. */
  start(): Promise<void>;
}

/**
 * Starts a private `redis-server` for the suite. Call it at the top level of a `describe` or a
 * file, and read it only in tests and hooks.
 */
export function withRedis(): TestRedis {
  let redis: (TestRedis & { stop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
  });
  const current = (): TestRedis => {
    if (!redis) throw new Error('The Redis server exists from beforeAll on; read it in a test or a hook.');
    return redis;
  };
  return {
    get url() {
      return current().url;
    },
    kill: () => current().kill(),
    start: () => current().start(),
  };
}

/** Starts a Redis without hooks; the caller stops it. */
export async function startRedis(): Promise<TestRedis & { stop(): Promise<void> }> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-redis-'));
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = await spawnServer(port, folder);
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = undefined;
    if (running) await endProcess(running, 'SIGKILL');
  };
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  await start().catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  const killAtExit = (): void => void server?.kill('SIGKILL');
  process.once('exit', killAtExit);
  const stop = async (): Promise<void> => {
    process.off('exit', killAtExit);
    await kill();
    removeFolder();
  };
  return { url: `redis://127.0.0.1:${String(port)}`, start, kill, stop };
}

function spawnServer(port: number, folder: string): Promise<ChildProcess> {
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string): void => {
      clearTimeout(timer);
      server.kill('SIGKILL');
      reject(new Error(reason));
    };
    const timer = setTimeout(() => {
      fail(`redis-server was not ready in time: ${output}`);
    }, START_TIMEOUT_MS);
    server.once('error', (error) => {
      fail(`redis-server could not be run (Debian: apt-get install redis-server): ${error.message}`);
    });
    server.once('exit', () => {
      fail(`redis-server ended: ${output}`);
    });
    server.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-2_000);
      if (!output.includes('Ready to accept connections')) return;
      clearTimeout(timer);
      server.removeAllListeners('exit');
      resolve(server);
    });
  });
}
