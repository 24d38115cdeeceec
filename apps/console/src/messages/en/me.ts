import { plural } from '../plural';

export const me = {
  title: 'You',
  sections: {
    profile: 'Profile',
    factors: 'Second factors',
    keys: 'Your keys',
    preferences: 'Preferences',
  } as Readonly<Record<string, string>>,
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
  cut: (keys: number, workspaces: readonly string[]) =>
    `Only the first ${plural(keys, { one: 'key', other: 'keys' })} of ${workspaces.join(', ')} were looked through.`,
  firstWorkspaces: (n: number) => `Only your first ${String(n)} workspaces were looked through.`,
  part: (workspaces: readonly string[]) => `The keys of ${workspaces.join(', ')} could not be read.`,

  theme: 'Theme',
  themes: { light: 'Light', dark: 'Dark', auto: 'Same as the system' } as Readonly<Record<string, string>>,
  zone: 'Times are shown in',
  zones: (mine: string) => ({ mine: `Your zone (${mine})`, utc: 'UTC' }) as Readonly<Record<string, string>>,
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' } as Readonly<Record<string, string>>,
  single: 'Single keys and chords act',
  singleHint:
    'Such as G K for the keys. Combinations such as Ctrl K stay, and keys in a list with the focus.',
  here: 'These are kept in this browser.',
};
