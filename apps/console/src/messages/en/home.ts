import { english } from '../../ui/format/english';
import { plural } from '../plural';

const broken = {
  how: 'How the first target fails',
  failures: { '429': '429', '503': '503 twice', slow: 'times out', cut: 'breaks off' },
  act: 'Break it',
  answered: 'answered all the same',
  noSandbox: 'Needs the provider @sandbox, which this workspace does not have.',
  config: 'Config try-fallback, made for this.',
  story: 'Open the whole story',
};

const live = {
  title: 'Live',
  all: 'Open logs',
  empty: 'No request yet',
  emptyText: 'Each request appears here when it ends, with its status, time and cost.',
  about: 'Rows appear as requests end. Each one knows why it went where it went, and what it cost.',
  skipped: (n: number) => `${plural(n, { one: 'row is', other: 'rows are' })} in the list of logs only.`,
  status: {
    connecting: 'connecting',
    live: 'live',
    waiting: 'reconnecting',
    paused: 'paused',
    refused: 'not available',
  },
};

const already: { readonly title: string; readonly facts: readonly (readonly [string, string])[] } = {
  title: 'Already on',
  facts: [
    ['Every request is logged', 'on disk before the last byte of its answer leaves'],
    ['Budgets can be exact', 'reserved before a call, settled after it'],
    ['No telemetry', 'this console talks to the admin API and the gateway alone'],
  ],
};

const keys: { readonly title: string; readonly rows: readonly (readonly [string, string])[] } = {
  title: 'Keys worth knowing',
  rows: [
    ['Ctrl K', 'anything'],
    ['G L', 'logs'],
    ['C', 'create'],
    ['?', 'all keys'],
  ],
};

/** Three significant digits. A month with one request has 4e-7 per second. */
const rate = (n: number): string => english(Number(n.toPrecision(3)), 0, 10) ?? String(n);

const tiles = {
  requests: 'Requests',
  spend: 'Spend',
  errors: 'Errors',
  latency: 'Latency p90',
  saved: 'Saved by cache',
  spark: (title: string) => `${title} over time`,
  perSecond: (n: number) => `${rate(n)} /s on average`,
  exactly: (usd: string) => `exactly ${usd}`,
  failed: (n: number) => plural(n, { one: 'request', other: 'requests' }),
  median: 'p50',
  ofRequests: 'of requests',
};

const chart = {
  title: 'Requests',
  kinds: { llm: 'models', mcp: 'MCP servers', a2a: 'agents' },
  empty: 'No request in this time',
  emptyText: 'Choose a longer range, or send a request from Connect.',
};

const budgets = {
  title: 'Budgets',
  none: 'No budget',
  noneText: 'Set one for a key.',
  kinds: { key: 'Key', provider: 'Provider' },
  of: (kind: string, name: string) => `${kind} · ${name}`,
  used: (used: string, limit: string) => `${used} of ${limit}`,
  exhausted: 'Used up',
  runsOut: 'Runs out',
  lasts: 'Lasts until its reset,',
};

const providers = {
  title: 'Providers',
  lastHour: 'last hour',
  provider: 'Provider',
  success: 'Success',
  p95: 'p95',
  state: 'State',
  none: 'No provider was called',
  well: 'well',
  someFail: 'some fail',
  failing: 'failing',
};

const spenders = {
  title: 'Who spends',
  by: 'Who spends, by',
  key: 'Key',
  provider: 'Provider',
  none: 'none',
  unlisted: (id: string) => `Playground or deleted key ${id}`,
  empty: 'Nothing was spent in this time',
};

const changes = {
  title: 'What changed',
  all: 'Audit',
  none: 'No change yet',
};

export const home = {
  title: 'Home',
  running: 'Your gateway is running',
  lead: (base: string, hasSandbox: boolean) =>
    hasSandbox
      ? `It answers at ${base}. No account, no provider key: @sandbox answers by itself until you add your own.`
      : `It answers at ${base}.`,
  dismiss: 'Skip to the overview',
  stepDone: 'Done',
  steps: {
    send: { title: 'Send a first request', about: 'By code of your own, or from this page.' },
    break: {
      title: 'Break it, and see what happens',
      about: 'The first target fails as you choose, the second one answers. Only the sandbox is called.',
    },
    provider: { title: 'Add your own provider', about: 'Tested before it is saved.' },
    key: {
      title: 'Give a service its key, with a budget',
      about: 'Once the budget is used up, requests are refused before they cost anything.',
    },
    team: { title: 'Choose a password', about: 'The link that signed you in works once.' },
  },
  first: {
    code: 'Code for a first request',
    send: 'Send it from here',
    response: 'Response',
    why: 'Why it went there',
    nothing: 'Add a provider first (step 3): there is no model to call yet.',
  },
  broken,
  provider: { found: 'Ready to use:', others: 'All providers' },
  serviceKey: {
    name: 'Name',
    usual: 'My service',
    budget: 'Budget a day',
    act: 'Create the key',
  },
  team: { password: 'New password', act: 'Save the password' },
  live,
  compare: 'Compare with the time before',
  tiles,
  chart,
  budgets,
  providers,
  spenders,
  changes,
  already,
  keys,
};
