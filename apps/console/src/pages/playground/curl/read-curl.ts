/** Why a text cannot be imported; `curlBroken` of the messages has the explanations. */
export type CurlFault = 'none' | 'quote' | 'url' | 'file';

/** Request of a curl command. */
export interface CurlCall {
  readonly method: string;
  readonly url: URL;
  /** Header values by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Request body; empty for none. */
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

/** Text of a matched part of a word; undefined for white space and line continuations. */
function partOf([, escaped, ansi, single, double, plain]: RegExpMatchArray): string | undefined {
  if (ansi !== undefined) return unescaped(ansi);
  const inner = double?.replaceAll(/\\(["\\$`\n])/g, (_, sign: string) => (sign === '\n' ? '' : sign));
  return escaped ?? single ?? inner ?? plain;
}

/**
 * Splits a shell command into words, with quotes, backslashes and line continuations. Null when a
 * quote is not closed.
 */
export function wordsOf(command: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  for (const match of command.matchAll(
    /\s+|\\\r?\n|\\([\s\S])|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s'"\\]+?(?=[\s'"\\]|\$'|$))/gy,
  )) {
    at = match.index + match[0].length;
    const text = partOf(match);
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== null && !match[0].startsWith('\\')) {
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

function take(into: Found, kind: (typeof WITH_VALUE)[string], value: string): void {
  switch (kind) {
    case 'method':
      into.method = value.toUpperCase();
      break;
    case 'url':
      into.url = value;
      break;
    case 'json':
      into.isJson = true;
      into.data.push(value);
      break;
    case 'data':
      into.data.push(value);
      break;
    case 'header': {
      const colon = value.indexOf(':');
      if (colon > 0)
        into.headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim());
      break;
    }
    case 'ignored':
    case undefined:
      break;
  }
}

/**
 * Splits a word such as `--request=PUT` or `-XPUT` into option and value; null when the word
 * contains no value.
 */
function joined(word: string): readonly [option: string, value: string] | null {
  const equals = word.indexOf('=');
  if (word.startsWith('--') && equals > 0) return [word.slice(0, equals), word.slice(equals + 1)];
  return /^-[A-Za-z]./.test(word) ? [word.slice(0, 2), word.slice(2)] : null;
}

/** Parses the words after `curl`. */
function found(words: readonly string[]): Found {
  const all: Found = { method: null, url: null, headers: new Map(), data: [], isJson: false };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const whole = WITH_VALUE[word];
    const [option = '', value = ''] = joined(word) ?? [];
    if (whole !== undefined) take(all, whole, words[(at += 1)] ?? '');
    else if (WITH_VALUE[option] !== undefined) take(all, WITH_VALUE[option], value);
    else if (!word.startsWith('-')) all.url ??= word;
  }
  return all;
}

/** Maximum length of a command in characters. */
const LENGTH_MAX = 1_000_000;

const withProtocol = (url: string): string => (/^https?:\/\//i.test(url) ? url : `http://${url}`);

/** Parses a curl command with the quoting rules of a POSIX shell. */
export function readCurl(command: string): CurlCall | CurlFault {
  if (command.length > LENGTH_MAX) return 'none';
  // A copied command may begin with the prompt of the shell.
  const words = wordsOf(command.trim().replace(/^\$ /, ''));
  if (words === null) return 'quote';
  if (words[0] !== 'curl') return 'none';
  const { method, url, headers, data, isJson } = found(words.slice(1));
  if (data.some((text) => text.startsWith('@'))) return 'file';
  if (url === null || !URL.canParse(withProtocol(url))) return 'url';
  const body = data.join(isJson ? '' : '&');
  return {
    method: method ?? (body === '' ? 'GET' : 'POST'),
    url: new URL(withProtocol(url)),
    headers,
    body,
  };
}
