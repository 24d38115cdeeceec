export const connect = {
  title: 'Connect',
  tour: 'Tour',
  clients: 'Clients',
  unknown: 'There is no recipe for this client.',
  values: 'What the recipe fills in',
  base: 'Address of the gateway',
  target: 'Model or config',
  key: 'Key',
  keyHint: 'The page waits for the first request of this key.',
  anyKey: 'Any key of the workspace',
  noKey: 'No key has this in its name.',
  make: (client: string) => `Make a key for ${client}`,
  copyWithKey: 'Copy with a new key',
  copiedWithKey: 'Copied, with the new key.',
  notCopied: 'The browser did not allow copying: show the key, and copy by hand.',
  keyIsMasked: 'The code reads the key from TOLLGATE_KEY.',
  showKey: 'Show the key',
  showKeyHint:
    'Copies have it while it is shown, and TOLLGATE_KEY otherwise. It cannot be shown again later.',
  test: 'Test from here',
  waiting: 'Waits for the first request …',
  waitingForKey: 'Waits for the first request of this key …',
  arrived: (what: string, status: number) => `A request has arrived: ${what}, ${String(status)}.`,
  open: 'Open it',
  chooseConfig:
    'This client sends no headers of the gateway, so its key needs a default config: choose a config, then make a key here.',
  needs: {
    'default-config':
      'This client sends no headers of the gateway. A key that is made here has the chosen config as its default.',
    'public-address':
      'This client calls from the servers of its maker, which do not reach this address. It needs a public one.',
    messages: 'Needs a provider that serves messages, or one that the gateway translates to.',
    responses: 'Needs a provider that serves responses, or one that the gateway translates to.',
    gemini: 'Speaks the API of Gemini, which the gateway takes at this address.',
    'logs.write': 'Needs a key with the scope logs.write.',
  },
};
