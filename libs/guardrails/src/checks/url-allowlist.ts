import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { object, scopeParameter, textList, textsOf } from '../parameters';
import { OVERLAPPING, overPieces } from '../text/pieces';
import type { Scope } from '../text/scope';

interface Parameters {
  readonly hosts: readonly string[];
  readonly scope: readonly Scope[];
}

/**
 * Scheme and authority of a URL, so that an address in the path of another one is found as well. A
 * backslash is a slash for programs that open URLs.
 */
const ADDRESS = /(?:https?|wss?|ftp):[/\\]{1,4}([^\s<>"'`{}|^/\\?#]{1,2048})/gi;
/** An authority of this length may have been cut, and cannot be judged. */
const AUTHORITY_MAX = 2_048;
/** Characters at which texts end a URL that is followed by more text. */
const TEXT_AFTER = /[)\](,;!*]/;
const SHOWN_MAX = 5;

export const urlAllowlist = defineCheck<Parameters>({
  id: 'gw.urlAllowlist',
  aliases: ['default.urlAllowlist', 'mcp.urlAllowlist'],
  doc: 'Every URL in the texts has an allowed host and no credentials; `*.example.com` allows subdomains.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({ hosts: { ...textList(500, 253), minItems: 1 }, scope: scopeParameter('all') }, [
    'hosts',
  ]),
  example: { hosts: ['example.com', '*.example.com'], scope: ['all'] },
  prepare({ hosts, scope }) {
    const isAllowed = allowedBy(hosts);
    return {
      evaluate(subject, pace) {
        const refused = reduceInOrder(textsOf(subject, scope), new Set<string>(), (found, text) =>
          overPieces(text, found, (state, piece) => addRefused(state, piece, isAllowed), {
            ...{ pace, overlap: OVERLAPPING },
          }),
        );
        return then(refused, (found) => ({
          verdict: found.size === 0,
          data: { refused: [...found].slice(0, SHOWN_MAX) },
        }));
      },
    };
  },
});

function allowedBy(hosts: readonly string[]): (host: string) => boolean {
  const exact = new Set(hosts.map(normal));
  const endings = hosts.filter((host) => host.startsWith('*.')).map((host) => normal(host.slice(1)));
  return (host) => exact.has(host) || endings.some((ending) => host.endsWith(ending));
}

const normal = (host: string): string => host.toLowerCase().replace(/\.$/, '');

function addRefused(found: Set<string>, piece: string, isAllowed: (host: string) => boolean): Set<string> {
  for (const [match, authority = ''] of piece.matchAll(ADDRESS)) {
    const host = authority.length < AUTHORITY_MAX ? hostOf(match) : null;
    if (found.size < SHOWN_MAX && (host === null || !isAllowed(host))) found.add(host ?? 'unreadable');
  }
  return found;
}

/** Returns the host of an address in a text; null if it cannot be read, or has credentials. */
function hostOf(match: string): string | null {
  for (const address of [match, match.split(TEXT_AFTER, 1)[0] ?? '']) {
    if (!URL.canParse(address)) continue;
    const { hostname, username, password } = new URL(address);
    return username + password === '' && hostname !== '' ? normal(hostname) : null;
  }
  return null;
}
