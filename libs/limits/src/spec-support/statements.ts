import type { Claim, CounterStatement, CounterRoundTrip, CounterRoundTripReply } from '../counter-store';

/** Returns a statement for a budget without resets, unless overridden. */
export const statement = (over: Partial<CounterStatement> = {}): CounterStatement => ({
  key: 'c',
  holder: 'a',
  value: 100,
  strict: true,
  kind: 'period',
  lengthMs: 0,
  originMs: 0,
  boundaries: [0],
  period: 0,
  consumed: 0,
  hold: 0,
  want: 0,
  least: 1,
  seed: { period: 0, used: 0, holders: [] },
  known: false,
  ...over,
});

let sequence = 0;

export const roundTripOf = (
  statements: readonly CounterStatement[],
  claims: readonly Claim[] = [],
  { holder, ...over }: Partial<CounterRoundTrip> & { readonly holder?: string } = {},
): CounterRoundTrip => {
  sequence += 1;
  const by = holder === undefined ? statements : statements.map((each) => ({ ...each, holder }));
  return { tenant: 't', sequence, leaseMs: 60_000, statements: by, claims, ...over };
};

/** Returns a claim of each amount from the statement at the same index. */
export const claim = (...amounts: number[]): Claim => ({ counters: amounts.map((_, at) => at), amounts });

export const first = (response: CounterRoundTripReply) => {
  const [counter] = response.counters;
  if (!counter) throw new Error('the reply has no counter');
  return counter;
};
