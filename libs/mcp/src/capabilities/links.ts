import type { Finding } from './finding';

const URL_START = /https?:\/\//g;
const URL_END = /[\s<>"'`{}|\\^)\]]/;
const URLS_MAX = 100;
const SENTENCE_MAX = 160;
/** Verbs that turn a link into an address that data is sent to. */
const SENDING =
  /\b(?:send|sends|sent|post|posts|upload|uploads|forward|forwards|transmit|submit|report|exfiltrate|deliver|copy|append|push|email|put|log|sende|envia|envoyez)\b/;
/** A query that ends where a value is expected. */
const OPEN_QUERY = /[?&][\w.~-]{0,64}=$/;

/**
 * Returns findings on links in a folded text: `info` for a link to another host, `high` for an
 * address that results are to be sent to, and `high` for more than 100 links, of which it reads the
 * first 100. Ignores links to the server's own host.
 */
export function linkFindings(folded: string, serverHost: string | null): readonly Finding[] {
  const found: Finding[] = [];
  let last = 0;
  for (const match of folded.matchAll(URL_START)) {
    if (found.length >= URLS_MAX) return [...found, { rule: 'link', severity: 'high' }];
    const url = urlAt(folded, match.index);
    const before = folded.slice(Math.max(last, match.index - SENTENCE_MAX), match.index);
    last = match.index;
    if (serverHost !== null && hostOf(url) === serverHost.toLowerCase()) continue;
    const sentence = before.slice(Math.max(...SENTENCE_ENDS.map((sign) => before.lastIndexOf(sign))) + 1);
    const isSending = SENDING.test(sentence) || OPEN_QUERY.test(url);
    found.push(
      isSending ? { rule: 'sends_to_address', severity: 'high' } : { rule: 'link', severity: 'info' },
    );
  }
  return found;
}

const SENTENCE_ENDS = ['.', '!', '?', '\n'];

function urlAt(text: string, start: number): string {
  const rest = text.slice(start, start + 2_048);
  const end = rest.search(URL_END);
  return end === -1 ? rest : rest.slice(0, end);
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);
