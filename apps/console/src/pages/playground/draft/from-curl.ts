import { stringifySearch } from '../../../url/search-text';
import { isJson, textOf, type Json } from '../../../ui/body/conversation';
import { encodePlayground } from '../search';
import { handReplay } from './handed';
import { replayOf, type Replay } from './replay';

/** A longer command is not read. */
const LENGTH_MAX = 1_000_000;
const VALUE_OPTIONS =
  /^(?:-[XHdouAebmxFT]|--(?:request|header|data(?:-raw|-binary|-ascii)?|json|output|user|url|max-time))$/;
const DATA = /^(?:-d|--data(?:-raw|-binary|-ascii)?|--json)$/;
const ROUTES: readonly (readonly [end: string, route: string])[] = [
  ['/chat/completions', 'chat'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
];
const WORD = /\$?'((?:[^'\\]|\\.|\\\n)*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/g;

/** A part of a word without its quotes; a line break after a backslash is nothing. */
function unquoted([, single, double, escaped, plain]: RegExpMatchArray): string {
  if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? plain ?? '';
}

/** The words of a command as a POSIX shell splits them, without variables. */
function wordsOf(command: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  for (const match of command.matchAll(WORD)) {
    if (match[5] === undefined) word += unquoted(match);
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}

interface Command {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly data: string;
}

function commandOf(text: string): Command {
  const [, ...words] = wordsOf(text.replace(/^\s*\$ /, ''));
  const headers = new Map<string, string>();
  let url = '';
  let data = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!VALUE_OPTIONS.test(word)) {
      if (!word.startsWith('-')) url ||= word;
      continue;
    }
    const value = words[(at += 1)] ?? '';
    if (DATA.test(word)) data += value;
    else if (word === '--url') url = value;
    else if (word === '-H' || word === '--header') {
      const colon = value.indexOf(':');
      headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim());
    }
  }
  return { url, headers, data };
}

const routeOf = (url: string): string | null => {
  const [path = ''] = url.split(/[?#]/);
  return ROUTES.find(([end]) => path.replace(/\/$/, '').endsWith(end))?.[1] ?? null;
};

function bodyOf(data: string): Json | null {
  try {
    const body: unknown = JSON.parse(data);
    return isJson(body) ? body : null;
  } catch {
    return null;
  }
}

/** Where a request goes: a provider in its model or its header, and a config by its slug. */
function targetsOf(body: Json, headers: Command['headers']) {
  const [, slug = null, model = null] = /^@([\w.-]+)\/(.+)$/.exec(textOf(body['model']) ?? '') ?? [];
  const config = headers.get('x-gw-config') ?? '';
  return {
    body: model === null ? body : { ...body, model },
    credential: slug ?? headers.get('x-gw-provider')?.replace(/^@/, '') ?? null,
    config_id: /^[\w.-]+$/.test(config) ? config : null,
  };
}

/** The request of a `curl` to a gateway, without its key; null for any other command. */
export function requestOfCurl(text: string): Replay | null {
  if (text.length > LENGTH_MAX) return null;
  const { url, headers, data } = commandOf(text);
  const [route, sent] = [routeOf(url), bodyOf(data)];
  if (route === null || sent === null) return null;
  const { body, ...targets } = targetsOf(sent, headers);
  const replay = replayOf({ route, ...targets, request: { body, encoding: 'json', truncated: false } });
  return typeof replay === 'string' ? null : replay;
}

/** Hands the texts of a request to the playground, in memory. Returns the search of its address, which has the settings. */
export function handToPlayground(replay: Replay): string {
  handReplay(replay);
  const { api, column, isStreamed } = replay;
  return stringifySearch(
    encodePlayground({ api, columns: [column], temperature: null, maxTokens: null, isStreamed, log: null }),
  );
}
