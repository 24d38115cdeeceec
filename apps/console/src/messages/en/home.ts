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
      about: 'Requests over the budget are refused before they cost anything.',
    },
    team: { title: 'Choose a password', about: 'The link that signed you in works once.' },
  },
  first: {
    code: 'Code for a first request',
    send: 'Send it from here',
    answer: 'Answer',
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
  already,
  keys,
};
