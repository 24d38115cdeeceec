import { canonicalBytes, canonicalJson, digestOf, digestOfAscii } from '@gw/kernel';
import type { JsonObject } from '@gw/mcp';

const DOMAIN = 'mcp/arguments';

/** The digest of arguments, by which calls with the same ones are found. `json`: as their client wrote them; null: they were changed. */
export function argumentsDigest(args: JsonObject, json: Buffer | null): string {
  const canonical = json === null ? null : canonicalBytes(json);
  return canonical === null ? digestOfArguments(canonicalJson(args)) : digestOfAscii(DOMAIN, canonical);
}

/** The digest of arguments in their canonical form. */
export const digestOfArguments = (canonical: string): string => digestOf(DOMAIN, [canonical]);
