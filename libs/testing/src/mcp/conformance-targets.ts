import type { McpFixture, McpFixtureOptions } from './mcp-fixture';
import type { RequirementSet } from './conformance';

export interface OpenTarget {
  /** Address that the suite tests. */
  readonly url: URL;
  close(): Promise<void>;
}

/** Puts something between the suite and the fixture, such as a gateway. */
export type ConformanceTarget = (fixture: McpFixture) => Promise<OpenTarget>;

export interface ConformanceRun {
  readonly era: NonNullable<McpFixtureOptions['era']>;
  readonly set: RequirementSet;
}

/** The fixture itself. */
export const directTarget: ConformanceTarget = ({ url }) =>
  Promise.resolve({ url, close: () => Promise.resolve() });

/** Both sets against a fixture of both eras. */
export const STRAIGHT_RUNS: readonly ConformanceRun[] = [
  { era: 'both', set: '2025-11-25' },
  { era: 'both', set: '2026-07-28' },
];

/** Each set against a fixture that does not speak its revision: only something that bridges the eras can pass. */
export const CROSSED_RUNS: readonly ConformanceRun[] = [
  { era: 'modern', set: '2025-11-25' },
  { era: 'legacy', set: '2026-07-28' },
];
