export const me = {
  title: 'You',
  sections: { profile: 'Profile', keys: 'Your keys', preferences: 'Preferences' } as Readonly<
    Record<string, string>
  >,
  sectionsLabel: 'Parts of your account',

  name: 'Name',
  email: 'Email',
  organisation: 'Organisation',
  roles: { owner: 'owner', admin: 'admin', member: 'member', manager: 'manager' } as Readonly<
    Record<string, string>
  >,
  workspaces: 'Workspaces',
  noWorkspaces: 'You are in no workspace yet. An admin of one can add you.',
  namedBy: 'An admin of the organisation, or its sign-in, keeps your name.',

  password: 'Password',
  passwordLead: 'Changing it signs out all other sessions.',
  current: 'Current password',
  next: 'New password',
  again: 'New password again',
  different: 'Both must be the same.',
  change: 'Change password',
  changed: 'The password is changed.',

  keysList: 'Your keys',
  keysLead: 'Keys that are yours, in every workspace, with what is left of their budgets.',
  keysNone: 'You have no keys of your own',
  keysNoneHint: 'A key of yours does no more than you may.',
  create: 'New key',
  key: 'Key',
  workspace: 'Workspace',
  budget: 'Budget',
  rates: 'Rates',
  expires: 'Expires',
  never: 'never',
  part: (workspaces: readonly string[]) => `The keys of ${workspaces.join(', ')} could not be read.`,

  theme: 'Theme',
  themes: { light: 'Light', dark: 'Dark', auto: 'As the system' } as Readonly<Record<string, string>>,
  zone: 'Times are shown in',
  zones: (mine: string) => ({ mine: `Your zone (${mine})`, utc: 'UTC' }) as Readonly<Record<string, string>>,
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' } as Readonly<Record<string, string>>,
  single: 'Single keys and chords act',
  singleHint: 'Such as G K for the keys. Ctrl K and the keys within lists stay.',
  here: 'These are kept in this browser.',
};
