/**
 * Names of pages in the navigation. They are apart from the texts of the pages, so that the shell
 * does not load those.
 */
export const pageNames = {
  home: 'Home',
  connect: 'Connect',
  logs: 'Logs',
  playground: 'Playground',
  keys: 'API keys',
  key: 'API key',
  providers: 'Providers',
  provider: 'Provider',
  models: 'Models',
  audit: 'Audit',
};
