import { stringifySearch } from '../../../url/search-text';
import { readCurl } from '../curl/read-curl';
import { takenOver } from '../curl/taken-over';
import { encodePlayground } from '../search';
import { handReplay } from './handed';
import type { Replay } from './replay';

/** Maximum length of a command in characters. */
const LENGTH_MAX = 1_000_000;

/** Parses a `curl` command to an API of a gateway, without its key; null for any other command. */
export function requestOfCurl(text: string): Replay | null {
  if (text.length > LENGTH_MAX) return null;
  const read = readCurl(text);
  const taken = typeof read === 'string' ? null : takenOver(read);
  return taken === null || taken.api === 'raw' ? null : taken;
}

/**
 * Passes the content of a request to the playground in memory. Returns the query of its address,
 * which holds the settings.
 */
export function handToPlayground(replay: Replay): string {
  handReplay(replay);
  const { api, column, isStreamed } = replay;
  return stringifySearch(
    encodePlayground({
      api,
      columns: [column],
      temperature: null,
      maxTokens: null,
      isStreamed,
      log: null,
      view: 'columns',
    }),
  );
}
