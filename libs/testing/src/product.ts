import type { InstallationCredentials } from '@gw/contracts';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { eventually } from './eventually';
import { freePort } from './free-port';

const ROOT = resolve(__dirname, '..', '..', '..');
const START_SCRIPT = join(ROOT, 'tools', 'start.cjs');
/** Shorter than the time limit of hooks, on a machine that starts several products at once. */
const START_TIMEOUT_MS = 200_000;
const STOP_TIMEOUT_MS = 120_000;

export type ProductProcess = 'launcher' | 'postgres' | 'admin-api' | 'worker' | 'gateway';

export type ProductCredentials = InstallationCredentials;

export interface ProductOptions {
  /** Data folder to reuse; absent: a new one below the system's temporary folder. */
  readonly dataDir?: string;
  /** URL of a Redis; absent: the drivers for a single machine. */
  readonly redisUrl?: string;
  /** Whether to start the product with `npm start`, with npm and its shell in between. */
  readonly throughNpm?: boolean;
  /** Further settings, which override everything else. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs `tools/start.cjs` on free ports like a user: the built product with all its processes and an
 * embedded Postgres.
 */
export class Product {
  /** Base URL that ends in `/v1`. */
  readonly baseUrl: string;
  readonly adminUrl: string;

  private constructor(
    readonly dataDir: string,
    readonly credentials: ProductCredentials,
    private readonly starter: ChildProcess,
    private readonly output: () => string,
  ) {
    this.baseUrl = credentials.base_url;
    this.adminUrl = credentials.admin_url;
  }

  /** Resolves when the banner is printed. Throws with the output if the product exits before. */
  static async start(options: ProductOptions = {}): Promise<Product> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tollgate-product-'));
    const [gateway, admin, worker] = await Promise.all([freePort(), freePort(), freePort()]);
    const environment: Record<string, string | undefined> = {
      ...process.env,
      NODE_ENV: undefined,
      DATABASE_URL: undefined,
      REDIS_URL: options.redisUrl,
      GATEWAY_PORT: String(gateway),
      ADMIN_PORT: String(admin),
      WORKER_PORT: String(worker),
      DATA_DIR: dataDir,
      // Suites make more requests with one key than a person does.
      CONTROL_PLANE_RATE_LIMIT: '0',
      CONSOLE_RATE_LIMIT: '0',
      ...options.environment,
    };
    const [command, args] = options.throughNpm ? ['npm', ['start']] : [process.execPath, [START_SCRIPT]];
    const starter = spawn(command, args, {
      cwd: ROOT,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [starter.stdout, starter.stderr]) {
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
    }
    const isReady = (): boolean => output.includes('Tollgate is ready');
    try {
      await eventually(() => isReady() || hasExited(starter), { timeoutMs: START_TIMEOUT_MS });
    } catch {
      // Otherwise it would keep running during the following suites.
      starter.kill('SIGINT');
    }
    if (!isReady()) throw new Error(`The product did not start:\n${output}`);
    const credentials = JSON.parse(
      readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
    ) as ProductCredentials;
    return new Product(dataDir, credentials, starter, () => output);
  }

  /** The launcher's output, at most the last 20,000 characters. */
  get printed(): string {
    return this.output();
  }

  /** Process id; null while the process does not run. */
  pidOf(name: ProductProcess): number | null {
    const processes = JSON.parse(readFileSync(join(this.dataDir, 'processes.json'), 'utf8')) as Record<
      string,
      number | null
    >;
    return processes[name] ?? null;
  }

  /**
   * Kills a process abruptly and resolves when it is gone; the launcher restarts it. Returns the
   * old pid.
   */
  async kill(name: ProductProcess): Promise<number> {
    return this.end(name, 'SIGKILL');
  }

  /** Stops a process as an operator does; it stays stopped until `startStopped`. */
  async stopProcess(name: Exclude<ProductProcess, 'launcher'>): Promise<void> {
    // On SIGTERM Postgres would wait for its clients to disconnect.
    await this.end(name, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
    await eventually(() => this.pidOf(name) === null);
  }

  /**
   * Starts all processes that `stopProcess` stopped; resolves when they have started, possibly
   * before they are ready.
   */
  async startStopped(): Promise<void> {
    process.kill(this.requirePid('launcher'), 'SIGUSR2');
    const names = ['postgres', 'admin-api', 'worker', 'gateway'] as const;
    await eventually(() => names.every((name) => this.pidOf(name) !== null), { timeoutMs: START_TIMEOUT_MS });
  }

  /** Kills a process and resolves when its successor serves. */
  async restart(name: 'admin-api' | 'gateway'): Promise<void> {
    const before = await this.kill(name);
    await eventually(() => ![null, before].includes(this.pidOf(name)), { timeoutMs: START_TIMEOUT_MS });
    const health = name === 'gateway' ? `${this.baseUrl}/health` : `${this.adminUrl}/health`;
    await eventually(async () => (await fetch(health)).ok, { timeoutMs: START_TIMEOUT_MS });
  }

  /**
   * Stops the product with Ctrl-C and returns the exit code. Deletes the data unless `keepData` is
   * set.
   */
  async stop(options: { readonly keepData?: boolean } = {}): Promise<number | null> {
    this.starter.kill('SIGINT');
    await eventually(() => hasExited(this.starter), { timeoutMs: STOP_TIMEOUT_MS });
    if (options.keepData !== true) rmSync(this.dataDir, { recursive: true, force: true });
    return this.starter.exitCode;
  }

  /**
   * Stops the process that started the product, such as npm, and resolves when the launcher has
   * stopped too. Deletes the data.
   */
  async stopStarter(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const launcher = this.requirePid('launcher');
    this.starter.kill(signal);
    await eventually(() => !isAlive(launcher), { timeoutMs: STOP_TIMEOUT_MS });
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async end(name: ProductProcess, signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number> {
    const pid = this.requirePid(name);
    process.kill(pid, signal);
    await eventually(() => !isAlive(pid), { timeoutMs: STOP_TIMEOUT_MS });
    return pid;
  }

  private requirePid(name: ProductProcess): number {
    const pid = this.pidOf(name);
    if (pid === null) throw new Error(`${name} does not run.`);
    return pid;
  }
}

export const startProduct = (options?: ProductOptions): Promise<Product> => Product.start(options);

const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
