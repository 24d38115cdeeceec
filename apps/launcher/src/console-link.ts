import { INTERNAL, type ClaimResponse } from '@gw/contracts';

import type { Environment } from './settings';

const TIMEOUT_MS = 5_000;

/**
 * Returns the address of the console. `CONSOLE_URL` with a path is the console itself, without one
 * it is the origin.
 */
export function consoleUrl(admin: string, configured: string | undefined): string {
  const base = new URL(configured === undefined || configured === '' ? admin : configured);
  const path = base.pathname === '/' ? '/console' : base.pathname.replace(/(?<!\/)\/+$/, '');
  return `${base.origin}${path}/`;
}

/**
 * Returns the address of the console, with a token in its fragment that signs the owner in once,
 * within 15 minutes. No server and no log sees a fragment. Without a token when the installation
 * runs on several machines (`CLAIM_ENABLED`), and when the admin API gives none.
 */
export async function consoleLink(admin: string, environment: Environment): Promise<string> {
  const url = consoleUrl(admin, environment['CONSOLE_URL']);
  if (environment['CLAIM_ENABLED'] !== 'true') return url;
  const token = await claimToken(admin, environment['SERVICE_TOKEN'] ?? '');
  return token === null ? url : `${url}#claim=${token}`;
}

async function claimToken(admin: string, serviceToken: string): Promise<string | null> {
  try {
    const response = await fetch(`${admin}${INTERNAL.claims}`, {
      method: 'POST',
      redirect: 'error',
      headers: { authorization: `Bearer ${serviceToken}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return null;
    const { token } = (await response.json()) as Partial<ClaimResponse>;
    return typeof token === 'string' ? token : null;
  } catch {
    // The console asks for a password instead.
    return null;
  }
}
