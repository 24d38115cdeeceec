import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { DataFolder } from './data-folder';
import { reachableHost, type LauncherSettings } from './settings';

/**
 * Returns the text that a new user needs first: addresses, credentials and a first request. Has no
 * trailing line break.
 */
export function banner(
  settings: LauncherSettings,
  folder: DataFolder,
  { seconds, console }: { readonly seconds: number; readonly console: string },
): string {
  const host = reachableHost(settings.host);
  const gateway = `http://${host}:${String(settings.ports.gateway)}`;
  const admin = adminUrl(settings);
  const lines = [
    '',
    `Tollgate is ready (${seconds.toFixed(1)} s).`,
    '',
    `  Gateway       ${gateway}/v1`,
    `  Console       ${console}`,
    `  Admin API     ${admin}`,
    `  API explorer  ${admin}/docs`,
    `  Credentials   ${existsSync(folder.credentials) ? shown(folder.credentials) : 'not in this folder; they are written only at the first start'}`,
    `  Logs          ${shown(join(folder.logs, 'gateway.log'))} (and admin-api, worker)`,
    '',
    ...firstRequest(gateway, folder.credentials, settings.sandboxEnabled),
    '',
    'Ctrl-C stops everything.',
  ];
  return lines.join('\n');
}

/** Returns the address at which this machine reaches the admin API. */
export const adminUrl = ({ host, ports }: LauncherSettings): string =>
  `http://${reachableHost(host)}:${String(ports.admin)}`;

function firstRequest(gateway: string, credentialsFile: string, sandbox: boolean): string[] {
  const key = readApiKey(credentialsFile) ?? '<your API key>';
  if (!sandbox) return ['What you can call:', '', `curl ${gateway}/v1/models -H 'x-gw-api-key: ${key}'`];
  const body = { model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] };
  return [
    'A first request (the sandbox provider needs no account):',
    '',
    `curl ${gateway}/v1/chat/completions \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H 'x-gw-api-key: ${key}' \\`,
    `  -H 'x-gw-provider: @sandbox' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ];
}

/**
 * Reads the first credentials. Undefined without a file: it was deleted, or another machine ran the
 * first setup.
 */
function readApiKey(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, 'utf8')) as { api_key?: string }).api_key;
}

/** Returns the relative path if it is shorter. */
function shown(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}
