import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@gw/testing';
import type { Workbench } from './workbench';

const START = { timeoutMs: 60_000 };

/** By the setting that names its port, and where it tells its health. */
const KINDS = {
  gateway: { port: 'GATEWAY_PORT', health: '/v1/health' },
  worker: { port: 'WORKER_PORT', health: '/health' },
} as const;

/** One more process of a running product, with a port and a data folder of its own, as on another machine. */
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

  /** Runs as the launcher runs its own; `over` replaces settings. Read from /proc, so on Linux alone. */
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

  /** Of a gateway; ends in `/v1`. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get serviceToken(): string {
    return this.environment['SERVICE_TOKEN'] ?? '';
  }

  /** Null while it does not run. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** Starts it, again after `kill`, with the journal that it has left. */
  async start(): Promise<void> {
    const [file = '', ...args] = this.command;
    const child = spawn(file, args, { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-8_192)));
    const health = `${this.origin}${KINDS[this.kind].health}`;
    await eventually(async () => (await fetch(health)).status > 0, START).catch(() => {
      throw new Error(`A ${this.kind} of the fleet did not start:\n${this.output}`);
    });
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child === null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }
}

/** Without what ties it to the launcher: its guard, and the channel that the guard reads. */
function commandOf(pid: number): readonly string[] {
  const words = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
    .split('\0')
    .slice(0, -1);
  const guard = words.indexOf('--require');
  return guard === -1 ? words : words.filter((_, at) => at !== guard && at !== guard + 1);
}

export function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${String(pid)}/environ`, 'utf8')
    .split('\0')
    .filter(Boolean);
  const environment = Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
  delete environment['NODE_CHANNEL_FD'];
  delete environment['NODE_CHANNEL_SERIALIZATION_MODE'];
  return environment;
}
