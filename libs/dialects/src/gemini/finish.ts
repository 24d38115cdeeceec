import type { Finish } from '../response';

type Reason = Finish['reason'];

const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['CONTINUATION', 'pause'],
]);

/**
 * Reads `finishReason`. Tool calls take precedence, because Gemini sends STOP for them. An unknown
 * reason is an error.
 */
export function finishOf(raw: string | null, detail: string | null, hasCalls: boolean): Finish {
  const read = raw === null ? 'stop' : (REASONS.get(raw) ?? 'error');
  const reason = hasCalls && read !== 'length' && read !== 'content_filter' ? 'tool_calls' : read;
  return { reason, ...(raw === null ? {} : { raw }), ...(detail === null ? {} : { detail }) };
}

/** Returns the `finishReason` for a Gemini client. */
export function finishReason({ reason, raw }: Finish): string {
  switch (reason) {
    case 'stop':
    case 'tool_calls':
      return 'STOP';
    case 'length':
      return 'MAX_TOKENS';
    case 'content_filter':
      return raw !== undefined && REASONS.get(raw) === 'content_filter' ? raw : 'SAFETY';
    case 'pause':
      return 'CONTINUATION';
    case 'error':
      return 'OTHER';
  }
}
