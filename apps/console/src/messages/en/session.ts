export const session = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  code: 'Code',
  codeHint: 'Six digits of your authenticator app, or a recovery code.',
  ended: 'Your session has ended. Sign in to go on; what you entered is kept.',
  claiming: 'Signing in by the link …',
  claimFailed:
    'The link does not work any more. It works once, for 15 minutes; the next start prints a new one.',
  credentialsFile: 'On one machine, the first credentials are in credentials.json in the data folder.',
  bySso: (name: string) => `Sign in with ${name}`,
};
