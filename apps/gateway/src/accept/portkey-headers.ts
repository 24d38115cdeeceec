import type { IncomingHttpHeaders } from 'node:http';
import { GATEWAY_HEADER_PREFIX, HEADER, PORTKEY_HEADER_PREFIX } from '@gw/contracts';

const KEY = `${PORTKEY_HEADER_PREFIX}api-key`;

/**
 * Gives a request with Portkey's headers ours instead, so that a team can move over by its base URL
 * alone. Returns whether it did. A header of ours takes precedence. The workspace must accept them,
 * which is known once the key is.
 */
export function adoptPortkeyHeaders(headers: IncomingHttpHeaders): boolean {
  if (headers[KEY] === undefined || headers[HEADER.apiKey] !== undefined) return false;
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PORTKEY_HEADER_PREFIX)) continue;
    headers[GATEWAY_HEADER_PREFIX + name.slice(PORTKEY_HEADER_PREFIX.length)] ??= headers[name];
  }
  return true;
}
