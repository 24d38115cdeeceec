import { readCases } from '@gw/testing';

interface Vector {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
}

/** Cases of some steps of a file, each with its id and its reason for the title of a test. */
export function vectors<T>(
  file: 'oauth.json' | 'oauth_clients.json',
  step: string,
): [id: string, reason: string, vector: T][] {
  const { cases } = readCases(file) as { readonly cases: readonly (Vector & T)[] };
  return cases.filter((each) => each.step === step).map((each) => [each.id, each.reason, each]);
}
