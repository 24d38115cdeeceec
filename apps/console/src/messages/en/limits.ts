import { plural } from '../plural';

const RESETS: Readonly<Record<string, string>> = {
  never: 'never',
  weekly: 'every Monday',
  monthly: 'every month, on the 1st',
  days: 'after some days',
};
const UNITS: Readonly<Record<string, string>> = {
  rps: 'second',
  rpm: 'minute',
  rph: 'hour',
  rpd: 'day',
  rpw: 'week',
};
const TYPES: Readonly<Record<string, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  concurrency: 'requests at the same time',
};

/** Budgets and rates, wherever they are shown and edited. */
export const limits = {
  budget: 'Budget',
  hasBudget: 'Limit what it may spend',
  noBudget: 'no budget',
  amount: 'Amount',
  amountHint: 'In US dollars a month; none when empty. Limits have the rest.',
  of: 'Counted in',
  ofTypes: { cost: 'US dollars', tokens: 'tokens' } as Readonly<Record<string, string>>,
  resets: 'Starts again',
  resetNames: RESETS,
  days: 'Days',
  alertAt: 'Alert at',
  alertHint: 'By webhook, and by email where addresses are given.',
  reached: 'When it is reached',
  standard: 'Stop',
  standardHint: 'Requests in flight may finish. It exceeds the limit by what they use at most.',
  strict: 'Never exceed it',
  strictHint: 'The maximum cost of a request must fit; models without a price are refused.',
  outage: 'While the counters are unavailable',
  hold: 'Continue within a local share',
  refuse: 'Refuse',
  rates: 'Rates',
  addRate: 'Add a rate',
  noRates: 'no rates',
  rateValue: 'Maximum',
  rateType: 'Of',
  rateUnit: 'In a',
  rateWindow: 'Window',
  rateTypes: TYPES,
  units: UNITS,
  windows: { fixed: 'fixed', sliding: 'sliding' } as Readonly<Record<string, string>>,
  removeRate: 'Remove this rate',
  used: (used: string, limit: string) => `${used} of ${limit}`,
  left: (amount: string) => `${amount} left`,
  tokens: (count: string) => `${count} tokens`,
  requests: (count: string) => `${count} requests`,
  budgetWords: (amount: string, reset: string | null, days: number | null) => {
    if (reset === 'weekly') return `${amount} a week`;
    if (reset === 'monthly') return `${amount} a month`;
    return days === null ? `${amount} in all` : `${amount} in ${plural(days, { one: 'day', other: 'days' })}`;
  },
  stops: 'stop',
  never: 'never exceeded',
  rateWords: (value: string, type: string, unit: string | null) =>
    unit === null
      ? `${value} ${TYPES[type] ?? type}`
      : `${value} ${TYPES[type] ?? type} a ${UNITS[unit] ?? unit}`,
  busiest: {
    rpm: 'in its busiest minute of the last hour',
    rph: 'after the last 60 minutes',
    rpd: 'after the last 24 hours',
    rpw: 'after the last 7 days',
  } as Readonly<Record<string, string>>,
  notMeasured: 'How much of it is in use cannot be read from logs.',
  measuring: 'Reading its logs …',
  burn: (amount: string) => `${amount} a day`,
  runsOut: 'Runs out',
  startsAgain: 'Starts again',
  resetNow: 'Set use to zero',
};
