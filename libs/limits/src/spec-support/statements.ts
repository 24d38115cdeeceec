import type { Claim, CounterStatement, Exchange, ExchangeAnswer } from '../counter-store';

/** A budget without resets, unless told otherwise. */
export const statement = (over: Partial<CounterStatement> = {}): CounterStatement => ({
  key: 'c',
  value: 100,
  strict: true,
  kind: 'period',
  lengthMs: 0,
  originMs: 0,
  boundaries: [0],
  period: 0,
  consumed: 0,
  acknowledged: 0,
  hold: 0,
  want: 0,
  least: 1,
  seed: { period: 0, used: 0 },
  ...over,
});

let sequence = 0;

export const exchangeOf = (
  statements: readonly CounterStatement[],
  claims: readonly Claim[] = [],
  over: Partial<Exchange> = {},
): Exchange => {
  sequence += 1;
  return { tenant: 't', holder: 'a', sequence, leaseMs: 60_000, statements, claims, ...over };
};

/** One claim of an amount from the statement of the same place. */
export const claim = (...amounts: number[]): Claim => ({ counters: amounts.map((_, at) => at), amounts });

export const first = (answer: ExchangeAnswer) => {
  const [counter] = answer.counters;
  if (!counter) throw new Error('There is no counter in the answer.');
  return counter;
};
