import type { ConformanceResult, RequirementSet } from './conformance';

/** Reasons by `scenario/check`, for checks that are known to fail. */
export type ExpectedFailures = Readonly<Record<string, string>>;

export interface Verdict {
  readonly scenarios: number;
  readonly passed: number;
  /** Scored checks that failed or warned, as `scenario/check`. */
  readonly failures: readonly string[];
  /** Number of failed checks in scenarios that are not scored. */
  readonly notScoredFailures: number;
  /** Reasons why the run fails; empty when it passes. */
  readonly problems: readonly string[];
}

/**
 * Number of scored server checks of each set. One of them only reports that a response is no event
 * stream.
 */
export const SCORED_CHECKS: Readonly<Record<RequirementSet, number>> = {
  '2025-11-25': 70,
  '2026-07-28': 121,
};

/**
 * Judges a whole set. A scored check must pass unless it is an expected failure; an expected
 * failure that passes is a problem too, so that the list can only shrink.
 */
export function verdictOf(result: ConformanceResult, expected: ExpectedFailures): Verdict {
  const scored = result.scenarios.filter(({ isScored }) => isScored);
  const failures = scored.flatMap(({ name, failed, warned }) =>
    [...failed, ...warned].map((check) => `${name}/${check}`),
  );
  const passed = scored.reduce((sum, scenario) => sum + scenario.passed, 0);
  const reported = scored.reduce((sum, scenario) => sum + scenario.reported, 0);
  const notScored = result.scenarios.filter(({ isScored }) => !isScored);
  const problems = [
    ...result.faults,
    ...failures.filter((check) => !Object.hasOwn(expected, check)).map((check) => `${check} failed`),
    ...Object.keys(expected)
      .filter((check) => !failures.includes(check))
      .map((check) => `${check} passes; remove it from the expected failures`),
  ];
  // A scenario that ends early reports fewer checks. With expected failures the number is not
  // known.
  if (Object.keys(expected).length === 0 && reported < SCORED_CHECKS[result.set])
    problems.push(`${String(reported)} of ${String(SCORED_CHECKS[result.set])} scored checks have a result`);
  return {
    scenarios: scored.length,
    passed,
    failures,
    notScoredFailures: notScored.reduce((sum, { failed }) => sum + failed.length, 0),
    problems,
  };
}
