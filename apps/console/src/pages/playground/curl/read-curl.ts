/** Why a text is not taken over: see `curlBroken` of the texts. */
export type CurlFault = 'none' | 'quote' | 'url' | 'file';

/** What a curl command sends. */
export interface CurlCall {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Empty: none. */
  readonly body: string;
}

const WITH_VALUE: Readonly<Record<string, 'method' | 'header' | 'data' | 'json' | 'url' | 'ignored'>> = {
  ...{ '-X': 'method', '--request': 'method', '-H': 'header', '--header': 'header', '--url': 'url' },
  ...{
    '-d': 'data',
    '--data': 'data',
    '--data-raw': 'data',
    '--data-binary': 'data',
    '--data-ascii': 'data',
  },
  ...{ '--json': 'json', '-u': 'ignored', '--user': 'ignored', '-A': 'ignored', '--user-agent': 'ignored' },
  ...{ '-o': 'ignored', '--output': 'ignored', '-b': 'ignored', '--cookie': 'ignored', '-m': 'ignored' },
  ...{ '--max-time': 'ignored', '--connect-timeout': 'ignored', '-e': 'ignored', '--retry': 'ignored' },
  ...{ '-F': 'ignored', '--form': 'ignored', '-x': 'ignored', '--proxy': 'ignored', '-w': 'ignored' },
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Words of a shell command: quotes, backslashes and continued lines. Null: a quote is not closed. */
export function wordsOf(command: string): readonly string[] | null {
  const words: string[] = [];
  const part =
    /\s+|\\\r?\n|\\([\s\S])|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s'"\\]+?(?=[\s'"\\]|\$'|$))/gy;
  let word: string | null = null;
  let at = 0;
  for (const match of command.matchAll(part)) {
    at = match.index + match[0].length;
    const [all, escaped, ansi, single, double, plain] = match;
    const text =
      escaped ??
      (ansi === undefined ? undefined : unescaped(ansi)) ??
      single ??
      double?.replaceAll(/\\(["\\$`\n])/g, (_, sign: string) => (sign === '\n' ? '' : sign)) ??
      plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== null && !all.startsWith('\\')) {
      words.push(word);
      word = null;
    }
  }
  if (at !== command.length) return null;
  return word === null ? words : [...words, word];
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g,
    (_, code: string | undefined, sign: string | undefined) =>
      code === undefined
        ? (ESCAPES[sign ?? ''] ?? sign ?? '')
        : String.fromCharCode(Number.parseInt(code, 16)),
  );

interface Found {
  method: string | null;
  url: string | null;
  readonly headers: Map<string, string>;
  readonly data: string[];
  isJson: boolean;
}

function take(found: Found, kind: (typeof WITH_VALUE)[string], value: string): void {
  switch (kind) {
    case 'method':
      found.method = value.toUpperCase();
      break;
    case 'url':
      found.url = value;
      break;
    case 'json':
      found.isJson = true;
      found.data.push(value);
      break;
    case 'data':
      found.data.push(value);
      break;
    case 'header': {
      const colon = value.indexOf(':');
      if (colon > 0)
        found.headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim());
      break;
    }
    case 'ignored':
    case undefined:
      break;
  }
}

/** Option and value of a word such as `--request=PUT` or `-XPUT`; null: the word has no value in it. */
function joined(word: string): readonly [option: string, value: string] | null {
  const equals = word.indexOf('=');
  if (word.startsWith('--') && equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
  return /^-[A-Za-z]./.test(word) ? [word.slice(0, 2), word.slice(2)] : null;
}

/** Reads a curl command as a shell would pass it. */
export function readCurl(command: string): CurlCall | CurlFault {
  const words = wordsOf(command.trim());
  if (words === null) return 'quote';
  if (words[0] !== 'curl') return 'none';
  const found: Found = { method: null, url: null, headers: new Map(), data: [], isJson: false };
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const whole = WITH_VALUE[word];
    const [option, value] = joined(word) ?? [];
    const inside = option === undefined ? undefined : WITH_VALUE[option];
    if (whole !== undefined) take(found, whole, words[(at += 1)] ?? '');
    else if (inside !== undefined) take(found, inside, value ?? '');
    else if (!word.startsWith('-')) found.url ??= word;
  }
  if (found.data.some((text) => text.startsWith('@'))) return 'file';
  const address = found.url === null || /^https?:\/\//i.test(found.url) ? found.url : `http://${found.url}`;
  if (address === null || !URL.canParse(address)) return 'url';
  const body = found.data.join(found.isJson ? '' : '&');
  return {
    method: found.method ?? (body === '' ? 'GET' : 'POST'),
    url: new URL(address),
    headers: found.headers,
    body,
  };
}
