import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { asString } from '../values/json';

/**
 * Beta flags of Anthropic that Bedrock accepts; it refuses requests with other flags. Source: AWS's
 * guide to Claude, November 2026.
 */
const KNOWN: ReadonlySet<string> = new Set([
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'tool-search-tool-2025-10-19',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'effort-2025-11-24',
]);
const KNOWN_PREFIX = 'computer-use-';

/** Maximum number of flags in one request. */
export const FLAGS_MAX = 64;

/** Splits the value of an `anthropic-beta` header. */
export const splitFlags = (value: string | null | undefined): string[] =>
  (value ?? '')
    .split(',', FLAGS_MAX)
    .map((flag) => flag.trim())
    .filter((flag) => flag !== '');

/**
 * Returns the flags of the target's settings, which the operator has chosen, and those flags of the
 * client that Bedrock accepts.
 */
export function betaFlags(target: Target, wanted: readonly string[], losses: LossLedger): string[] {
  const flags = new Set(splitFlags(asString(target.settings?.['anthropic_beta'])));
  for (const flag of wanted) {
    if (flags.has(flag)) continue;
    if (KNOWN.has(flag) || flag.startsWith(KNOWN_PREFIX)) flags.add(flag);
    else losses.note('anthropic-beta', 'dropped', flag.slice(0, 64));
  }
  return [...flags];
}
