// Imports nothing: it is loaded before the rest of the console.

/**
 * Folder of the page that an address opens, below `pages/`; empty when it is not known, and null where the session is not the first thing
 * that is read. `base`: path of the console with a slash at its end.
 */
export function firstPage(base: string, path: string, hash = ''): string | null {
  // The link of the launcher opens a session first.
  if (hash.startsWith('#claim=')) return null;
  const [area = '', name = '', page = '', ...more] = path.slice(base.length).replace(/\/$/, '').split('/');
  switch (area) {
    case '':
      return 'home';
    case 'w':
      return more.length > 0 ? '' : page || 'home';
    case 'org':
      return page === '' ? name : '';
    case 'me':
      return '';
    default:
      return null;
  }
}
