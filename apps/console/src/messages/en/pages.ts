/**
 * Names of pages and of what they create, for the navigation and the palette. They are part of the shell; the other texts of a page
 * are loaded with it.
 */
export const pages = {
  keys: 'API keys',
  key: 'API key',
  providers: 'Providers',
  provider: 'Provider',
  models: 'Models',
  audit: 'Audit',
  me: 'Profile',
};
