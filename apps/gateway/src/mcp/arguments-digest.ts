import { canonicalBytes, canonicalJson, digestOf, digestOfAscii } from '@gw/kernel';
import type { JsonObject } from '@gw/mcp';

const DOMAIN = 'mcp/arguments';

/**
 * Returns the digest by which the log finds calls with the same arguments. `json` is the client's
 * own JSON of them; null when the gateway changed them.
 */
export function argumentsDigest(args: JsonObject, json: Buffer | null): string {
  const canonical = json === null ? null : canonicalBytes(json);
  return canonical === null ? digestOfArguments(canonicalJson(args)) : digestOfAscii(DOMAIN, canonical);
}

/** Returns the digest of arguments that are in canonical JSON. */
export const digestOfArguments = (canonical: string): string => digestOf(DOMAIN, [canonical]);
