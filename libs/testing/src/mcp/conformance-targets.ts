import { runConformance, type RequirementSet } from './conformance';
import { verdictOf, type ExpectedFailures, type Verdict } from './conformance-verdict';
import { startMcpFixture, type McpFixture, type McpFixtureOptions } from './mcp-fixture';

/** A requirement set, and the era of the fixture that it is run against. */
export interface ConformanceRun {
  readonly era: NonNullable<McpFixtureOptions['era']>;
  readonly set: RequirementSet;
}

/** An address that the suite tests. */
export interface ConformanceAddress {
  readonly url: URL;
  close(): Promise<void>;
}

/** A running system between the suite and a fixture, such as a gateway. */
export interface RunningTarget {
  /** Makes the fixture reachable through the target without a credential; see `startKeyProxy`. */
  open(fixture: McpFixture): Promise<ConformanceAddress>;
  stop(): Promise<void>;
}

/** A system under test. */
export interface ConformanceTarget {
  /** Runs that the target must pass. */
  readonly runs: readonly ConformanceRun[];
  start(): Promise<RunningTarget>;
}

/** Runs of both sets against a fixture of both eras. */
export const STRAIGHT_RUNS: readonly ConformanceRun[] = [
  { era: 'both', set: '2025-11-25' },
  { era: 'both', set: '2026-07-28' },
];

/**
 * Runs of each set against a fixture that does not support its revision. Only a target that bridges
 * the eras can pass.
 */
export const CROSSED_RUNS: readonly ConformanceRun[] = [
  { era: 'modern', set: '2025-11-25' },
  { era: 'legacy', set: '2026-07-28' },
];

const doNothing = (): Promise<void> => Promise.resolve();

/** The fixture itself, without a gateway. */
export const directTarget: ConformanceTarget = {
  runs: STRAIGHT_RUNS,
  start: () =>
    Promise.resolve({ open: ({ url }) => Promise.resolve({ url, close: doNothing }), stop: doNothing }),
};

/** Returns the name of a run in tables and in the list of expected failures. */
export const runName = ({ era, set }: ConformanceRun): string => (era === 'both' ? set : `${set} on ${era}`);

/** Runs a set through a target against a fresh fixture and judges the result. */
export async function judgeRun(
  target: RunningTarget,
  { era, set }: ConformanceRun,
  expected: ExpectedFailures,
  node?: string,
): Promise<Verdict> {
  const fixture = await startMcpFixture({ era });
  try {
    const { url, close } = await target.open(fixture);
    try {
      return verdictOf(await runConformance({ url, set, ...(node !== undefined && { node }) }), expected);
    } finally {
      await close();
    }
  } finally {
    await fixture.close();
  }
}
