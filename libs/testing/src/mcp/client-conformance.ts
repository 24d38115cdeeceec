import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SUITE } from './conformance';
import type { ExpectedFailures } from './conformance-verdict';

/**
 * A client scenario of the conformance suite, at one revision of the protocol; null for scenarios
 * of extensions.
 */
export interface ClientScenario {
  readonly name: string;
  readonly revision: string | null;
}

export interface ClientScenarioResult {
  readonly scenario: ClientScenario;
  readonly passed: number;
  /** Ids of the checks that failed or warned. */
  readonly failures: readonly string[];
  /** Output of the suite and the client, for the report of a failure. */
  readonly output: string;
}

export interface ClientConformanceOptions {
  /**
   * Command of the client, without spaces in its parts. The suite appends the URL of the scenario's
   * server.
   */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Path of a Node.js 22 or newer. */
  readonly node: string;
  /** Time limit of a scenario in milliseconds; 60,000 if absent. */
  readonly timeoutMs?: number;
}

const CLI = join(SUITE, 'dist', 'index.js');
const AUTHORIZATION = /^ {2}- (auth\/[\w-]+) \[([\w.,-]+)\]$/gm;

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Returns the authorization scenarios, each at all revisions that it applies to. */
export async function authorizationScenarios(node: string): Promise<readonly ClientScenario[]> {
  const { output } = await run(node, [CLI, 'list', '--client'], { cwd: tmpdir() });
  const scenarios = [...output.matchAll(AUTHORIZATION)].flatMap(([, name = '', revisions = '']) =>
    revisions.split(',').map((revision) => ({ name, revision: revision === 'extension' ? null : revision })),
  );
  if (scenarios.length === 0) throw new Error(`The suite lists no scenarios of authorization:\n${output}`);
  return scenarios;
}

/** Runs one scenario: the suite starts its server, and then the client. */
export async function runClientScenario(
  scenario: ClientScenario,
  { command, environment, node, timeoutMs = 60_000 }: ClientConformanceOptions,
): Promise<ClientScenarioResult> {
  const { name, revision } = scenario;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-conformance-'));
  try {
    const args = ['client', '--command', command, '--scenario', name, '--timeout', String(timeoutMs)];
    const chosen = revision === null ? [] : ['--spec-version', revision];
    const { exitCode, output } = await run(node, [CLI, ...args, ...chosen, '--output-dir', folder], {
      cwd: folder,
      environment,
    });
    const checks = readChecks(folder, name);
    const idsOf = (status: string): string[] =>
      checks.filter((check) => check.status === status).map(({ id }) => id);
    const failures = [...new Set([...idsOf('FAILURE'), ...idsOf('WARNING')])];
    if (checks.length === 0) failures.push('did-not-run');
    // The client failed although all checks passed, or it did not end.
    else if (exitCode !== 0 && failures.length === 0) failures.push('client-failed');
    return { scenario, passed: idsOf('SUCCESS').length, failures, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the name of a scenario in tables and in the list of expected failures. */
export const scenarioName = ({ name, revision }: ClientScenario): string =>
  `${revision ?? 'extension'} ${name}`;

/**
 * Returns the problems of the results: failures that are not expected, and expected ones that pass.
 * The keys of `expected` are `<revision> <scenario>/<check>`.
 */
export function clientProblems(
  results: readonly ClientScenarioResult[],
  expected: ExpectedFailures,
): readonly string[] {
  const failures = results.flatMap(({ scenario, failures: failed }) =>
    failed.map((check) => `${scenarioName(scenario)}/${check}`),
  );
  return [
    ...failures.filter((check) => !Object.hasOwn(expected, check)).map((check) => `${check} failed`),
    ...Object.keys(expected)
      .filter((check) => !failures.includes(check))
      .map((check) => `${check} passes; remove it from the expected failures`),
  ];
}

/** Returns the expected failures of these scenarios. */
export const expectedOf = (
  scenarios: readonly ClientScenario[],
  expected: ExpectedFailures,
): ExpectedFailures =>
  Object.fromEntries(
    Object.entries(expected).filter(([check]) =>
      scenarios.some((scenario) => check.startsWith(`${scenarioName(scenario)}/`)),
    ),
  );

/** Returns the checks of the only result below the folder; none if the suite crashed. */
function readChecks(folder: string, name: string): readonly Check[] {
  const parent = join(folder, dirname(name));
  if (!existsSync(parent)) return [];
  for (const entry of readdirSync(parent)) {
    const file = join(parent, entry, 'checks.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as readonly Check[];
  }
  return [];
}

function run(
  node: string,
  args: readonly string[],
  {
    cwd,
    environment = {},
  }: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const env = { ...process.env, NO_COLOR: '1', ...environment };
  const child = spawn(node, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-50_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ exitCode: code ?? 1, output });
    });
  });
}
