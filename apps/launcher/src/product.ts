import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { EmbeddedPostgres, EmbeddedPostgresError } from '@gw/embedded-postgres';

import { adminUrl, banner } from './banner';
import { Child, endingOf, type ChildSpec } from './child';
import { consoleLink } from './console-link';
import { prepareDataFolder, type DataFolder } from './data-folder';
import { environmentsOf, type Environments } from './environments';
import { lockDataFolder } from './instance-lock';
import { LogFile } from './log-file';
import { NODE_FLAGS, type AppName } from './node-flags';
import { choosePorts, WORKER_HOST, type Ports } from './ports';
import { waitUntilHealthy } from './readiness';
import { loadSecrets, type Secrets } from './secrets';
import { checkSettings } from './settings-check';
import { reachableHost, type Environment, type LauncherSettings } from './settings';
import { StartError } from './start-error';
import { SupervisedProcess, type Running } from './supervised-process';
import { yieldToOthers } from './yield-to-others';

/** The folder `dist/`, relative to this file in a build. */
const DIST = resolve(__dirname, '..', '..', '..', '..');
const LOG_CHECK_MS = 10_000;
/**
 * Milliseconds that a process has for its last steps after its grace period, before it is killed.
 */
const LAST_STEPS_MS = 10_000;

/**
 * On a busy machine the gateway runs first: callers do not wait for the worker, and requests do not
 * wait for the database.
 */
const NICENESS = { worker: 10, postgres: 5 } as const;

/**
 * The whole product on one machine: Postgres (unless one is given), admin API, worker, gateway.
 */
export class Product {
  /** Processes in start order; they are stopped in reverse order. */
  private readonly processes: SupervisedProcess[] = [];
  private readonly logs: LogFile[] = [];
  private readonly startedAt = Date.now();
  private stopping = false;
  private unlock: (() => void) | undefined;
  private logTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: LauncherSettings,
    private readonly inherited: Environment,
    private readonly print: (line: string) => void,
  ) {}

  /**
   * Resolves when every process serves. Rejects with `SettingsError` for invalid settings, and with
   * an error that `isExpected` accepts when the cause is known.
   */
  async start(): Promise<void> {
    const folder = prepareDataFolder(this.settings.dataDir);
    this.unlock = lockDataFolder(folder.root);
    const ports = await choosePorts(this.settings);
    const secrets = loadSecrets(folder.secrets);
    const databaseUrl = this.settings.databaseUrl ?? (await this.startPostgres(folder, secrets, ports));
    const environments = environmentsOf(this.inherited, this.settings, secrets, folder, databaseUrl, ports);
    await this.startOrExplain(environments, () => this.startApps(folder, environments, ports));
    this.logTimer = setInterval(() => {
      for (const log of this.logs) {
        const failure = log.rotateWhenFull();
        if (failure !== null) this.print(`The log ${log.path} was not kept: ${failure}`);
      }
    }, LOG_CHECK_MS).unref();
    const link = await consoleLink(adminUrl(this.settings), environments.admin);
    const seconds = (Date.now() - this.startedAt) / 1_000;
    this.print(banner(this.settings, folder, { seconds, console: link }));
  }

  /** Starts the processes again that were stopped from outside. Rejects when one does not start. */
  async startStopped(): Promise<void> {
    for (const supervised of this.processes) await supervised.start();
  }

  /**
   * Stops the processes one after another in reverse order of their start. An app is killed
   * `LAST_STEPS_MS` after its grace period.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const supervised of [...this.processes].reverse()) await supervised.stop();
    clearInterval(this.logTimer);
    this.unlock?.();
  }

  private async startPostgres(folder: DataFolder, secrets: Secrets, ports: Ports): Promise<string> {
    const log = this.openLog(folder, 'postgres');
    const server = new EmbeddedPostgres({
      home: folder.postgres,
      password: secrets.postgresPassword,
      logFile: log.path,
      reservedPorts: ports.reserved,
    });
    await this.supervise(folder, log, 'postgres', {
      launch: async () => {
        await server.start();
        const { child } = server;
        yieldToOthers(child.pid, NICENESS.postgres);
        return { pid: child.pid, ended: endingOf(child), stop: () => server.stop() };
      },
      ready: () => Promise.resolve(),
    });
    return server.url;
  }

  /**
   * Reports all invalid settings when a start fails: after the first process with an invalid
   * setting, the settings of all processes are read.
   */
  private async startOrExplain(environments: Environments, start: () => Promise<void>): Promise<void> {
    try {
      await start();
    } catch (error) {
      if (!this.stopping) await checkSettings(DIST, environments);
      throw error;
    }
  }

  /**
   * Starts all apps at once, because loading their modules takes most of the time. The admin API
   * sets up the database, the worker waits for that, and the gateway reconnects until the admin API
   * serves.
   */
  private async startApps(folder: DataFolder, environments: Environments, ports: Ports): Promise<void> {
    const publicHost = reachableHost(this.settings.host);
    const addresses: Readonly<Record<AppName, readonly [Environment, string]>> = {
      'admin-api': [environments.admin, `http://${publicHost}:${String(ports.admin)}/health/ready`],
      worker: [environments.worker, `http://${WORKER_HOST}:${String(ports.worker)}/health/ready`],
      gateway: [environments.gateway, `http://${publicHost}:${String(ports.gateway)}/v1/health/ready`],
    };
    await Promise.all(
      Object.entries(addresses).map(([name, [environment, health]]) =>
        this.startApp(folder, name as AppName, environment, health),
      ),
    );
  }

  private startApp(
    folder: DataFolder,
    name: AppName,
    environment: Environment,
    health: string,
  ): Promise<void> {
    const log = this.openLog(folder, name);
    const spec: ChildSpec = {
      name,
      entry: join(DIST, name, 'apps', name, 'src', 'main.js'),
      nodeFlags: NODE_FLAGS[name],
      environment,
      log,
    };
    return this.supervise(folder, log, name, {
      launch: () => {
        const child = new Child(spec);
        if (name === 'worker') yieldToOthers(child.pid, NICENESS.worker);
        return {
          pid: child.pid,
          ended: child.ended,
          stop: () => child.stop(this.settings.shutdownGraceMs + LAST_STEPS_MS),
        };
      },
      ready: (running) => untilHealthy(name, health, running),
    });
  }

  private supervise(
    folder: DataFolder,
    log: LogFile,
    name: string,
    how: { launch(): Running | Promise<Running>; ready(running: Running): Promise<void> },
  ): Promise<void> {
    this.throwIfStopping();
    const supervised = new SupervisedProcess({
      ...how,
      name,
      lastMessage: () => log.lastMessage(),
      report: (line) => {
        this.print(`${line} (log: ${log.path})`);
      },
      changed: () => {
        this.writeProcesses(folder);
      },
    });
    this.processes.push(supervised);
    return supervised.start();
  }

  private openLog(folder: DataFolder, name: string): LogFile {
    const log = new LogFile(join(folder.logs, `${name}.log`));
    this.logs.push(log);
    return log;
  }

  /** Never throws: a full disk must not end the processes that it lists. */
  private writeProcesses(folder: DataFolder): void {
    const ids = this.processes.map(({ name, pid }) => [name, pid]);
    const content = { launcher: process.pid, ...(Object.fromEntries(ids) as object) };
    try {
      writeFileSync(folder.processes, `${JSON.stringify(content, null, 2)}\n`);
    } catch (error) {
      this.print(`${folder.processes} could not be written: ${(error as Error).message}`);
    }
  }

  private throwIfStopping(): void {
    if (this.stopping) throw new StartError('Stopped before it was ready.');
  }
}

async function untilHealthy(name: string, url: string, running: Running): Promise<void> {
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  await waitUntilHealthy(name, url, () => hasEnded);
}

/** Returns whether the message alone tells the operator what to do, so that no stack is printed. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof StartError || error instanceof EmbeddedPostgresError;
