import { readCases } from '@gw/testing';

interface Vector {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
}

/** Returns the cases of a step from a file, each with id and reason for the test title. */
export function vectors<T>(
  file: 'oauth.json' | 'oauth_clients.json',
  step: string,
): [id: string, reason: string, vector: T][] {
  const { cases } = readCases(file) as { readonly cases: readonly (Vector & T)[] };
  return cases.filter((each) => each.step === step).map((each) => [each.id, each.reason, each]);
}
