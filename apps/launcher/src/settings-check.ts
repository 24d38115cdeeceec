import { SettingsError } from '@gw/kernel';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { AppName } from './node-flags';
import type { Environment } from './settings';

interface Problem {
  readonly name: string;
  readonly rule: string;
}

const TIMEOUT_MS = 120_000;

/** Name of the function in each app's `settings` module that reads them. */
const READERS: Readonly<Record<AppName, string>> = {
  gateway: 'readGatewaySettings',
  'admin-api': 'readAdminSettings',
  worker: 'readWorkerSettings',
};

/**
 * Reads the settings of all apps by the apps' own declarations. Throws one `SettingsError` that
 * lists every invalid setting and the processes that read it. Used only after a failed start,
 * because it takes seconds. `dist` is the folder of the builds.
 */
export async function checkSettings(
  dist: string,
  environments: Readonly<Record<'gateway' | 'admin' | 'worker', Environment>>,
): Promise<void> {
  const { gateway, admin, worker } = environments;
  const apps: Readonly<Record<AppName, Environment>> = { gateway, 'admin-api': admin, worker };
  const found = await Promise.all(
    (Object.keys(apps) as AppName[]).map(async (app) => {
      const problems = await problemsOf(dist, app, apps[app]);
      return problems.map((problem) => ({ ...problem, app }));
    }),
  );
  const problems = merged(found.flat());
  if (problems.length > 0) throw new SettingsError(problems);
}

/**
 * Runs the check in a separate process, so that the apps' modules do not stay in the launcher's
 * memory. A check that fails itself finds nothing: the error of the start tells the operator more.
 */
async function problemsOf(dist: string, app: AppName, environment: Environment): Promise<readonly Problem[]> {
  const settings = join(dist, app, 'apps', app, 'src', 'settings.js');
  const args = [join(__dirname, 'check-settings.js'), settings, READERS[app]];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: environment,
      timeout: TIMEOUT_MS,
    });
    return JSON.parse(stdout) as readonly Problem[];
  } catch {
    return [];
  }
}

/** Merges equal problems of several apps into one line per setting and rule. */
function merged(found: readonly (Problem & { readonly app: AppName })[]): readonly Problem[] {
  const whose = new Map<string, { readonly problem: Problem; readonly apps: AppName[] }>();
  for (const { name, rule, app } of found) {
    const line = `${name} ${rule}`;
    const same = whose.get(line) ?? { problem: { name, rule }, apps: [] };
    same.apps.push(app);
    whose.set(line, same);
  }
  return [...whose.values()].map(({ problem: { name, rule }, apps }) => ({
    name,
    rule: `${rule} (${apps.join(', ')})`,
  }));
}
