const DECODINGS_MAX = 3;
const SCHEME = /^[a-z][a-z\d+.-]{0,63}:\/{0,2}/;

/**
 * Returns a form of a URI that is the same for all spellings which a server may read as the same
 * resource: in lower case, percent-decoded up to three times, with `/` for a backslash, and without
 * fragment, empty query, dot segments and empty segments. It is for comparisons only.
 */
export function uriKey(uri: string): string {
  const [whole = ''] = uri.split('#', 1);
  const plain = decoded(whole).normalize('NFC').toLowerCase().replaceAll('\\', '/');
  const scheme = SCHEME.exec(plain)?.[0] ?? '';
  const [path = '', ...query] = plain.slice(scheme.length).split('?');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const asked = query.join('?');
  return scheme + segments.join('/') + (asked === '' ? '' : `?${asked}`);
}

function decoded(text: string): string {
  let current = text;
  for (let round = 0; round < DECODINGS_MAX && current.includes('%'); round += 1) {
    try {
      current = decodeURIComponent(current);
    } catch {
      return current;
    }
  }
  return current;
}
