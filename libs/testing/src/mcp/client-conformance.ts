import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SUITE } from './conformance';
import type { ExpectedFailures } from './conformance-verdict';

/** A client scenario of the suite, at a revision of the protocol; extensions have none. */
export interface ClientScenario {
  readonly name: string;
  readonly revision: string | null;
}

export interface ClientScenarioResult {
  readonly scenario: ClientScenario;
  readonly passed: number;
  /** Checks that failed or warned. */
  readonly failures: readonly string[];
  /** What the suite and the client wrote, for the report of a failure. */
  readonly output: string;
}

export interface ClientConformanceOptions {
  /**
   * Command of the client, which gets the URL of the scenario's server as its last argument. Has no
   * spaces in its parts.
   */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Node.js 22 or newer. */
  readonly node: string;
  /** Bound of a scenario; 60,000 if absent. */
  readonly timeoutMs?: number;
}

const CLI = join(SUITE, 'dist', 'index.js');
const AUTHORIZATION = /^ {2}- (auth\/[\w-]+) \[([\w.,-]+)\]$/gm;

interface Check {
  readonly id: string;
  readonly status: string;
}

/** The scenarios of authorization, each at all revisions that it applies to. */
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
    // The client failed although no check did, or it did not end.
    else if (exitCode !== 0 && failures.length === 0) failures.push('client-failed');
    return { scenario, passed: idsOf('SUCCESS').length, failures, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Name of a scenario in tables and in the list of expected failures. */
export const scenarioName = ({ name, revision }: ClientScenario): string =>
  `${revision ?? 'extension'} ${name}`;

/**
 * What is wrong with the results: failures that are not expected, and expected ones that pass.
 * `expected`: by `<revision> <scenario>/<check>`.
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

/** The checks of the only result below the folder; none when the suite broke. */
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
