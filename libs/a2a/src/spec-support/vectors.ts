import { readCases } from '@gw/testing';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
}

/**
 * Cases that need a running process, for a caller's scope and organisation and for guardrails.
 * Tests of the apps run them.
 */
const OF_PROCESSES: ReadonlySet<string> = new Set(['a2a-053', 'a2a-127', 'a2a-165']);

/**
 * Returns the cases of one group of `a2a.json`, each with its id and its reason, which form the
 * test title.
 */
export function vectors<T>(group: string): [id: string, reason: string, vector: T][] {
  const { cases } = readCases('a2a.json') as { readonly cases: readonly (Vector & T)[] };
  return cases
    .filter((each) => each.group === group && !OF_PROCESSES.has(each.id))
    .map((each) => [each.id, each.reason, each]);
}
