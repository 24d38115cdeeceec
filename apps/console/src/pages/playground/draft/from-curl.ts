import { stringifySearch } from '../../../url/search-text';
import { isJson, textOf } from '../../../ui/body/conversation';
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

/** The words of a command as a POSIX shell splits them, without variables. */
function wordsOf(command: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (const [, single, double, escaped, plain, space] of command.matchAll(WORD)) {
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else if (escaped === undefined) {
      word = (word ?? '') + (single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? plain ?? '');
    } else if (escaped !== '\n') word = (word ?? '') + escaped;
  }
  return word === null ? words : [...words, word];
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

/** The request of a `curl` to a gateway, without its key; null for any other command. */
export function requestOfCurl(text: string): Replay | null {
  if (text.length > LENGTH_MAX) return null;
  const { url, headers, data } = commandOf(text);
  const [path = ''] = url.split(/[?#]/);
  const [, route] = ROUTES.find(([end]) => path.replace(/\/$/, '').endsWith(end)) ?? [];
  if (route === undefined) return null;
  try {
    const body: unknown = JSON.parse(data);
    if (!isJson(body)) return null;
    const [, slug = null, model = null] = /^@([\w.-]+)\/(.+)$/.exec(textOf(body['model']) ?? '') ?? [];
    const provider = slug ?? headers.get('x-gw-provider')?.replace(/^@/, '') ?? null;
    const config = headers.get('x-gw-config') ?? null;
    const replay = replayOf({
      route,
      request: { body: model === null ? body : { ...body, model }, encoding: 'json', truncated: false },
      config_id: config !== null && /^[\w.-]+$/.test(config) ? config : null,
      credential: provider,
    });
    return typeof replay === 'string' ? null : replay;
  } catch {
    return null;
  }
}

/** Hands the texts of a request to the playground, in memory. Returns the search of its address, which has the settings. */
export function handToPlayground(replay: Replay): string {
  handReplay(replay);
  const { api, column, isStreamed } = replay;
  return stringifySearch(
    encodePlayground({ api, columns: [column], temperature: null, maxTokens: null, isStreamed, log: null }),
  );
}
