import type { IncomingHttpHeaders } from 'node:http';
import { GATEWAY_HEADER_PREFIX, HEADER, PORTKEY_HEADER_PREFIX } from '@gw/contracts';

const KEY = `${PORTKEY_HEADER_PREFIX}api-key`;

/**
 * Replaces Portkey's headers in a request by the gateway's own, so that a team can migrate by
 * changing only its base URL. Returns whether any header was replaced. Headers of the gateway take
 * precedence. The workspace must accept Portkey's headers, which is known only after the key was
 * read.
 */
export function adoptPortkeyHeaders(headers: IncomingHttpHeaders): boolean {
  if (headers[KEY] === undefined || headers[HEADER.apiKey] !== undefined) return false;
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PORTKEY_HEADER_PREFIX)) continue;
    headers[GATEWAY_HEADER_PREFIX + name.slice(PORTKEY_HEADER_PREFIX.length)] ??= headers[name];
  }
  return true;
}
