import type { HeaderList, Provider } from '../../provider';
import { hasHeader } from '../headers';
import { anthropicError } from './error';
import { anthropicTap } from './tap';
import { anthropicUsage } from './usage';

/** The only stable API version; a caller's own `anthropic-version` header takes precedence. */
const ANTHROPIC_VERSION = '2023-06-01';

/** The common part of every provider that speaks the Messages API. */
export const anthropicSpeaker = {
  betaHeader: 'anthropic-beta',
  usage: anthropicUsage,
  tap: anthropicTap,
  error: anthropicError,
  prefill: true,
} as const satisfies Partial<Provider>;

/** Appends `anthropic-version` unless the caller sent it. */
export function signVersion(headers: HeaderList): void {
  if (!hasHeader(headers, 'anthropic-version')) headers.push('anthropic-version', ANTHROPIC_VERSION);
}
