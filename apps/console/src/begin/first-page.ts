// Imports nothing: it is loaded before the rest of the console.

type Folder = (name: string, page: string, isDeeper: boolean) => string;

/** Folder of the page by the first segment of the address; empty when the page has no folder. */
const FOLDERS = new Map<string, Folder>([
  ['', () => 'home'],
  ['w', (_, page, isDeeper) => (isDeeper ? '' : page || 'home')],
  ['org', (name, page) => (page === '' ? name : '')],
  ['me', () => ''],
]);

/**
 * Folder below `pages/` of the page that an address opens; empty when unknown, null when the page
 * does not read the session first. `base` is the path of the console with a trailing slash.
 */
export function firstPage(base: string, path: string, hash = ''): string | null {
  // The launcher's link opens a new session first.
  if (hash.startsWith('#claim=')) return null;
  const parts = path.slice(base.length).replace(/\/$/, '').split('/');
  const [area = '', name = '', page = '', ...more] = parts;
  return FOLDERS.get(area)?.(name, page, more.length > 0) ?? null;
}
