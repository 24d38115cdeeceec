import { createServer } from 'node:net';

import type { LauncherSettings } from './settings';
import { StartError } from './start-error';

/** The worker serves only our own processes. */
export const WORKER_HOST = '127.0.0.1';

/** Tries every port before anything is started, so that the message names the setting and not a child's stack trace. */
export async function checkPorts({ ports, host }: LauncherSettings): Promise<void> {
  await checkPort('GATEWAY_PORT', ports.gateway, host);
  await checkPort('ADMIN_PORT', ports.admin, host);
  await checkPort('WORKER_PORT', ports.worker, WORKER_HOST);
}

async function checkPort(name: string, port: number, host: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ port, host, exclusive: true }, resolve);
    });
  } catch (error) {
    throw new StartError(reasonOf(error as NodeJS.ErrnoException, name, port, host));
  }
  await new Promise((resolve) => probe.close(resolve));
}

function reasonOf(error: NodeJS.ErrnoException, name: string, port: number, host: string): string {
  if (error.code === 'EADDRINUSE') {
    return `${name} ${String(port)} is in use on ${host}: stop what listens there, or set ${name} to another port.`;
  }
  if (error.code === 'EACCES') {
    return `${name} ${String(port)} may not be used by this user: set ${name} to 1024 or higher.`;
  }
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(error.code ?? '')) {
    return `HOST ${host} is not an address of this machine.`;
  }
  return `${name} ${String(port)} cannot be used on ${host}: ${error.message}`;
}
