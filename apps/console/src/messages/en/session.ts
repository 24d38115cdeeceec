export const session = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  code: 'Code',
  codeHint: 'Six digits of your authenticator app, or a recovery code.',
  another: 'Start again',
  byPasskey: 'Use a passkey',
  noPasskey: 'No passkey was used. Try again, or use another way to sign in.',
  byPassword: 'Use email and password',
  claiming: 'Signing in by the link …',
  claimFailed:
    'The link does not work any more. It works once, for 15 minutes; the next start prints a new one.',
  claimAgain: (reason: string) => `${reason} Open the link again.`,
  credentialsFile: 'On one machine, the first credentials are in credentials.json in the data folder.',

  sso: 'Use single sign-on',
  bySso: (name: string) => `Sign in with ${name}`,
  ssoHint: 'The domain of your address leads to its identity provider.',
  goOn: 'Continue',
  noSso: (domain: string) => `There is no single sign-on for ${domain}. Use email and password.`,
  passwordOff: 'Your organisation uses single sign-on. Only owners can use a password.',
  ssoGoes: 'Signing in …',
  ssoFailed: 'The identity provider cannot be used. Use email and password, or ask an administrator.',
  ssoOtherTab: 'This sign-in was started in another tab or browser. Start again here.',
  ssoUnsolicited: 'Your identity provider has sent you here. Continue only if you came from there yourself.',
  ssoByLink: 'A link has brought you here to sign in. Continue only if you opened it yourself.',
  ssoDone: 'You are signed in. You can close this window.',

  choose: 'You belong to several organisations. Which one do you want to open?',
  organisations: 'Organisations',
  findOrganisation: 'Find an organisation',

  notes: {
    ending: 'Sign in again to go on after your session ends. What you entered is kept.',
    ended: 'Your session has ended. Sign in to go on; what you entered is kept.',
    left: 'You signed out in another tab. Sign in to go on; what you entered is kept.',
  },
  ending: 'Your session ends soon',
  endsAt: 'It ends',
  endingHint: 'Sign in again to go on without a break.',
  later: 'Later',
  signInAgain: 'Sign in again',
  someoneElse: 'Sign in as someone else',

  changed: 'Another session',
  changedTo: 'This browser has another session now, opened in another tab.',
  changedToOf: (email: string, organisation: string) =>
    `This browser is now signed in as ${email} in ${organisation}, by another tab. This page belongs to the session before.`,
  load: 'Go on with it',
  back: (organisation: string) => `Back to ${organisation}`,

  switching: (organisation: string) => `Switch to ${organisation}`,
  switches: 'Switching …',
  switchNeedsLogin: (organisation: string) =>
    `Your sign-in counts in your present organisation alone. Sign in to ${organisation}.`,
  switchNeedsSso: (organisation: string) => `Sign in to ${organisation} with its single sign-on.`,
};
