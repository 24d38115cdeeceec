// Imports nothing: it is loaded before the rest of the console.

type Folder = (name: string, page: string, isDeeper: boolean) => string;

/** Folder of the page by the first part of the address. Pages without a folder of their own are empty. */
const FOLDERS = new Map<string, Folder>([
  ['', () => 'home'],
  ['w', (_, page, isDeeper) => (isDeeper ? '' : page || 'home')],
  ['org', (name, page) => (page === '' ? name : '')],
  ['me', () => ''],
]);

/**
 * Folder of the page that an address opens, below `pages/`; empty when it is not known, and null where the session is not the first thing
 * that is read. `base`: path of the console with a slash at its end.
 */
export function firstPage(base: string, path: string, hash = ''): string | null {
  // The link of the launcher opens a session first.
  if (hash.startsWith('#claim=')) return null;
  const parts = path.slice(base.length).replace(/\/$/, '').split('/');
  const [area = '', name = '', page = '', ...more] = parts;
  return FOLDERS.get(area)?.(name, page, more.length > 0) ?? null;
}
