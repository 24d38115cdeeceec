import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { load } from 'js-yaml';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type RequirementSet = '2025-11-25' | '2026-07-28';

export interface ScenarioResult {
  readonly name: string;
  /** False for scenarios that the requirement set runs but does not score. */
  readonly isScored: boolean;
  readonly passed: number;
  /** Number of checks with a result, including informational ones, without skipped ones. */
  readonly reported: number;
  /** Ids of checks that failed. */
  readonly failed: readonly string[];
  /** Ids of checks whose recommendation the server does not follow. */
  readonly warned: readonly string[];
}

export interface ConformanceResult {
  readonly set: RequirementSet;
  readonly scenarios: readonly ScenarioResult[];
  /** Faults of the run itself: contradictory results, or scenarios that did not run. */
  readonly faults: readonly string[];
}

export interface ConformanceOptions {
  readonly url: URL;
  readonly set: RequirementSet;
  /** Runs only this scenario. */
  readonly scenario?: string;
  /** Path of a Node.js 22 or newer; the current one if absent. */
  readonly node?: string;
  /** Time limit of each scenario in milliseconds; 30,000 if absent. */
  readonly timeoutMs?: number;
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

interface Requirements {
  readonly scored: readonly string[];
  readonly notScored: readonly string[];
}

/** Folder of the suite's package. */
export const SUITE = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'));
const SUMMARY_LINE = /^([✓✗]) ([a-z0-9-]+): \d+ passed/gm;
/** Name of a result's folder: role, scenario and time. */
const RESULT_FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Runs the server scenarios of a requirement set, or one of them, against an MCP server. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  const { set, scenario } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-conformance-'));
  try {
    const { exitCode, output } = await runSuite(options, folder);
    const requirements = requirementsOf(set);
    const scenarios = readResults(folder).map((result): ScenarioResult => ({
      ...result,
      isScored: requirements.scored.includes(result.name),
    }));
    const expected = scenario === undefined ? requirements.scored : [scenario];
    return { set, scenarios, faults: faultsOf({ exitCode, output, scenarios, expected, scenario }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the names of the server scenarios of a set. */
export function requirementsOf(set: RequirementSet): Requirements {
  const document = load(readFileSync(join(SUITE, 'requirements', `${set}.yaml`), 'utf8')) as {
    readonly server: readonly string[];
    readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
  };
  const notScored = document.not_scored.filter(({ leg }) => leg === 'server');
  return { scored: document.server, notScored: notScored.map(({ scenario }) => scenario) };
}

async function runSuite(
  { url, set, scenario, node = process.execPath, timeoutMs = 30_000 }: ConformanceOptions,
  folder: string,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const chosen =
    scenario === undefined ? ['--requirements', set] : ['--scenario', scenario, '--spec-version', set];
  const args = ['server', '--url', url.href, ...chosen, '--output-dir', folder];
  const child = spawn(
    node,
    [join(SUITE, 'dist', 'index.js'), ...args, '--timeout', String(timeoutMs)],
    // The suite writes below its working directory as well.
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } },
  );
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString('utf8'));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

function readResults(folder: string): Omit<ScenarioResult, 'isScored'>[] {
  return readdirSync(folder).flatMap((name) => {
    const scenario = RESULT_FOLDER.exec(name)?.[1];
    const file = join(folder, name, 'checks.json');
    // The folder of a scenario that does not apply, or that crashed, is empty.
    if (scenario === undefined || !existsSync(file)) return [];
    const checks = JSON.parse(readFileSync(file, 'utf8')) as readonly Check[];
    const idsOf = (status: Check['status']): string[] =>
      checks.filter((check) => check.status === status).map(({ id }) => id);
    const passed = idsOf('SUCCESS').length;
    const reported = checks.length - idsOf('SKIPPED').length;
    return [{ name: scenario, passed, reported, failed: idsOf('FAILURE'), warned: idsOf('WARNING') }];
  });
}

/**
 * Compares the three ways in which the suite reports: its exit code, the lines of its summary and
 * the files of checks. Without a server every scenario still reports one pass.
 */
function faultsOf({
  exitCode,
  output,
  scenarios,
  expected,
  scenario,
}: {
  readonly exitCode: number;
  readonly output: string;
  readonly scenarios: readonly ScenarioResult[];
  readonly expected: readonly string[];
  readonly scenario: string | undefined;
}): string[] {
  const byName = new Map(scenarios.map((each) => [each.name, each]));
  const faults = expected.filter((name) => !byName.has(name)).map((name) => `${name} did not run`);
  const counted = scenario === undefined ? scenarios.filter(({ isScored }) => isScored) : scenarios;
  const hasFailures = counted.some(({ failed }) => failed.length > 0);
  if ((exitCode !== 0) !== hasFailures)
    faults.push(`the exit code ${String(exitCode)} contradicts the checks`);
  for (const [, mark, name = ''] of output.matchAll(SUMMARY_LINE))
    if ((mark === '✗') !== (byName.get(name)?.failed.length !== 0))
      faults.push(`the summary of ${name} contradicts its checks`);
  return faults;
}
