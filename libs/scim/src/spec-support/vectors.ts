import { readCases } from '@gw/testing';

interface Vector {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
}

/** Returns the cases of a group of `scim_idps.json`, each with id and reason for the test title. */
export function vectors<T>(group: string): [id: string, reason: string, vector: T][] {
  const { cases } = readCases('scim_idps.json') as { readonly cases: readonly (Vector & T)[] };
  return cases.filter((each) => each.group === group).map((each) => [each.id, each.reason, each]);
}
