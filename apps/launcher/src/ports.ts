import { createServer } from 'node:net';

import { freeInnerPort } from '@gw/embedded-postgres';

import type { LauncherSettings } from './settings';
import { StartError } from './start-error';

/** Address of the worker, which serves only Tollgate's own processes. */
export const WORKER_HOST = '127.0.0.1';

export interface Ports {
  readonly gateway: number;
  readonly admin: number;
  readonly worker: number;
  /** All ports on which the apps will listen, those of metrics included. */
  readonly reserved: readonly number[];
}

interface Claim {
  /** Name of the port for the operator. */
  readonly name: string;
  readonly port: number;
  readonly host: string;
  /** Advice for the operator if the port is unavailable. */
  readonly wayOut: string;
}

/**
 * Checks every port before anything starts, so that the message names the setting instead of
 * showing a child's stack trace. The worker gets any free port unless one is set, because no client
 * needs to know it and several installations may run on one machine. Throws `StartError`.
 */
export async function choosePorts(settings: LauncherSettings): Promise<Ports> {
  const claims = claimsOf(settings);
  for (const [at, claim] of claims.entries()) {
    const other = claims.slice(0, at).find(({ port }) => port === claim.port);
    if (other) throw new StartError(`${claim.name} and ${other.name} are the same: ${claim.wayOut}.`);
  }
  for (const claim of claims) {
    const error = await failureToListen(claim.port, claim.host);
    if (error !== null) throw new StartError(reasonOf(error, claim));
  }
  const { gateway, admin, worker: chosen } = settings.ports;
  const claimed = claims.map(({ port }) => port);
  const worker = chosen ?? (await freeInnerPort(claimed));
  if (worker === null) throw new StartError('No free port was found for the worker: set WORKER_PORT.');
  return { gateway, admin, worker, reserved: [...claimed, worker] };
}

function claimsOf({ ports, host, metricsPort, gatewayWorkers }: LauncherSettings): readonly Claim[] {
  const own = (name: string, port: number, at: string): Claim => ({
    name: `${name} ${String(port)}`,
    port,
    host: at,
    wayOut: `set ${name} to another port`,
  });
  const claims = [own('GATEWAY_PORT', ports.gateway, host), own('ADMIN_PORT', ports.admin, host)];
  if (ports.worker !== null) claims.push(own('WORKER_PORT', ports.worker, WORKER_HOST));
  if (metricsPort === null) return claims;
  const gateways = Array.from({ length: gatewayWorkers }, (_, at) => `gateway process ${String(at)}`);
  return [
    ...claims,
    ...[...gateways, 'the admin API', 'the worker'].map((of, at) => ({
      name: `port ${String(metricsPort + at)} for the metrics of ${of} (METRICS_PORT + ${String(at)})`,
      port: metricsPort + at,
      host: of === 'the worker' ? WORKER_HOST : host,
      wayOut: `set METRICS_PORT to the first of ${String(gatewayWorkers + 2)} free ports`,
    })),
  ];
}

async function failureToListen(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  // Node throws for a number that is not a port.
  if (port > 65_535) return Object.assign(new Error('it is not a port'), { code: 'EINVAL_PORT' });
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ port, host, exclusive: true }, resolve);
    });
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  await new Promise((resolve) => probe.close(resolve));
  return null;
}

function reasonOf(error: NodeJS.ErrnoException, { name, host, wayOut }: Claim): string {
  if (error.code === 'EADDRINUSE')
    return `${name} is in use on ${host}: stop what listens there, or ${wayOut}.`;
  if (error.code === 'EACCES') return `${name} may not be used by this user: ${wayOut}, 1024 or higher.`;
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(error.code ?? ''))
    return `HOST ${host} is not an address of this machine: set HOST to one, such as 127.0.0.1, or to 0.0.0.0 for all.`;
  return `${name} cannot be used on ${host} (${error.message}): ${wayOut}.`;
}
