import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, environmentOf, eventually, freePort } from '@gw/testing';
import type { Workbench } from './workbench';

/** As long as for the whole product: on a busy machine a gateway has taken more than a minute. */
const START = { timeoutMs: 200_000 };

/** Setting of the port and health path, by kind of process. */
const KINDS = {
  gateway: { port: 'GATEWAY_PORT', health: '/v1/health' },
  worker: { port: 'WORKER_PORT', health: '/health' },
  'admin-api': { port: 'ADMIN_PORT', health: '/v1/health' },
} as const;

/**
 * An additional process of a running product with its own port and data folder, as on another
 * machine.
 */
export class FleetProcess {
  private child: ChildProcess | null = null;
  private output = '';

  private constructor(
    private readonly kind: keyof typeof KINDS,
    readonly port: number,
    readonly dataDir: string,
    private readonly command: readonly string[],
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts a process with the environment of the launcher's process; `over` replaces settings.
   * Reads /proc, so it works only on Linux.
   */
  static async start(
    kind: keyof typeof KINDS,
    bench: Workbench,
    name: string,
    over: Readonly<Record<string, string>> = {},
  ): Promise<FleetProcess> {
    const pid = bench.product.pidOf(kind);
    if (pid === null) throw new Error(`The product runs no ${kind} to take the settings of.`);
    const environment = { ...environmentOf(pid), ...over };
    const port = await freePort();
    const dataDir = join(bench.product.dataDir, name);
    mkdirSync(dataDir, { recursive: true });
    const started = new FleetProcess(kind, port, dataDir, commandOf(pid), {
      ...environment,
      [KINDS[kind].port]: String(port),
      GATEWAY_WORKERS: '1',
      DATA_DIR: dataDir,
    });
    await started.start();
    return started;
  }

  /** `http://127.0.0.1:<port>` */
  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** Base URL of a gateway; ends in `/v1`. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get serviceToken(): string {
    return this.environment['SERVICE_TOKEN'] ?? '';
  }

  /**
   * Returns a figure of a part in `/health/parts`, such as `refused.limit`; NaN if the part has none
   * of that name.
   */
  async figure(part: string, name: string): Promise<number> {
    const response = await fetch(`${this.origin}/health/parts`, {
      headers: { authorization: `Bearer ${this.serviceToken}` },
    });
    const { parts } = (await response.json()) as {
      parts: readonly { name: string; figures?: unknown }[];
    };
    const figures = parts.find((one) => one.name === part)?.figures;
    const found = name.split('.').reduce<unknown>((at, each) => (at as Figures | undefined)?.[each], figures);
    return typeof found === 'number' ? found : NaN;
  }

  /** Process id; null while it does not run. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** Starts the process, or restarts it after `kill` with its journal. */
  async start(): Promise<void> {
    const [file = '', ...args] = this.command;
    const child = spawn(file, args, { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-8_192)));
    const health = `${this.origin}${KINDS[this.kind].health}`;
    await eventually(async () => (await fetch(health)).status > 0, START).catch(async () => {
      await this.kill();
      throw new Error(`A ${this.kind} of the fleet did not start:\n${this.output}`);
    });
  }

  /** Kills the process abruptly. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child !== null) await endProcess(child, signal);
  }
}

type Figures = Readonly<Record<string, unknown>>;

/** Removes the settings that tie the process to the launcher: its guard and the guard's channel. */
function commandOf(pid: number): readonly string[] {
  const words = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
    .split('\0')
    .slice(0, -1);
  const guard = words.indexOf('--require');
  return guard === -1 ? words : words.filter((_, at) => at !== guard && at !== guard + 1);
}
