import '@gw/stack-traces';
import 'reflect-metadata';
import cluster from 'node:cluster';
import { hostname } from 'node:os';
import { SettingsError } from '@gw/kernel';
import { createLog, stopOnSignals } from '@gw/web';
import { Faults } from './core/faults';
import type { DataPlane } from './data-plane';
import { createGateway } from './gateway';
import { DATA_PLANE } from './gateway.module';
import { runFirst } from './scheduling';
import { readGatewaySettings, type GatewaySettings } from './settings';

const INDEX = 'GATEWAY_PROCESS_INDEX';

async function main(): Promise<void> {
  const settings = readGatewaySettings(process.env);
  if (settings.GATEWAY_WORKERS > 1 && cluster.isPrimary) startWorkers(settings);
  else await serve(settings, Number(process.env[INDEX] ?? '0'));
}

async function serve(settings: GatewaySettings, index: number): Promise<void> {
  const log = createLog('gateway', settings.LOG_LEVEL);
  const faults = new Faults(log);
  process.on('unhandledRejection', (error) => {
    faults.ofProcess(error, 'unhandled promise rejection');
  });
  const gatewayId = `${hostname()}/${String(index)}`;
  const app = await createGateway({ settings, log, index, gatewayId, faults });
  const plane = app.get<DataPlane>(DATA_PLANE);
  stopOnSignals(app, { settings, log, interrupt: () => plane.interrupt() });
  if (settings.CPU_SCHEDULING_POLICY === 'rr') await runFirst(process.pid, log);
  await app.listen(settings.GATEWAY_PORT, settings.HOST);
  // From now on an exception that nothing handles must not end the requests of others.
  process.on('uncaughtException', (error) => {
    faults.ofProcess(error, 'unhandled exception');
  });
  log.info({ host: settings.HOST, port: settings.GATEWAY_PORT }, 'gateway is ready');
}

/**
 * Starts processes that share only the port. A process that exits is restarted with its own
 * journal.
 */
function startWorkers(settings: GatewaySettings): void {
  let stopping = false;
  const start = (index: number): void => {
    const worker = cluster.fork({ [INDEX]: String(index) });
    worker.once('exit', () => {
      setTimeout(() => {
        if (!stopping) start(index);
      }, RESTART_MS);
    });
  };
  for (let index = 0; index < settings.GATEWAY_WORKERS; index += 1) start(index);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
    });
  }
}

const RESTART_MS = 500;

main().catch((error: unknown) => {
  const lines =
    error instanceof SettingsError ? error.message : `The gateway could not start: ${String(error)}`;
  process.stderr.write(`${lines}\n`);
  process.exit(1);
});
