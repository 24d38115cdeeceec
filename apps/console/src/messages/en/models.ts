import { plural } from '../plural';

const UNITS: Readonly<Record<string, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cached input',
};

export const models = {
  title: 'Models',
  list: 'Models of this workspace',
  total: (n: number) => plural(n, { one: 'model', other: 'models' }),
  empty: 'There are no models yet',
  emptyHint: 'The models of a provider are listed once it is added.',
  noMatch: 'No model matches',
  noMatchHint: 'Its name and these filters do not go together.',
  clear: 'Clear filters',
  filters: { provider: 'Provider', enabled: 'May be called', price: 'Price', group: 'Model' },
  yes: 'yes',
  no: 'no',
  columns: {
    id: 'Model',
    provider: 'Provider',
    context: 'Context',
    source: 'Prices from',
    enabled: 'May be called',
    kind: 'Kind',
    routes: 'Routes',
  },
  unit: (unit: string) => `${UNITS[unit] ?? unit} / 1M`,
  sources: { custom: 'this model', catalogue: 'catalogue' } as Readonly<Record<string, string>>,
  unpriced: 'unpriced',
  unpricedHint: 'Requests with it count as no spend, and a budget that is never exceeded refuses it.',
  adjusted: (list: string) => `listed ${list}`,
  tiered: 'Requests with many input tokens have another price.',
  custom: 'custom',
  known: 'of the provider',
  off: 'off',
  providerStatus: { exhausted: 'budget used up', expired: 'expired' } as Readonly<Record<string, string>>,
};
