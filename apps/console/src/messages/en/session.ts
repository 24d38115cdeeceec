export const session = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  ended: 'Your session has ended. Sign in to go on; what you entered is kept.',
  claiming: 'Signing in by the link …',
  claimFailed: 'The link does not work any more. It works once, for 15 minutes.',
  credentialsFile: 'The first credentials are in the file credentials.json of the data folder.',
  signOut: 'Sign out',
};
