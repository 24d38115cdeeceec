import { createHash } from 'node:crypto';
import type { JsonObject } from '../provider';
import type { SandboxResponse } from './request';
import { invalid, type SandboxRequest } from './request';

/** Model names of the documented API; the first is the default. */
export const MODERATION_MODELS = ['text-moderation-latest', 'text-moderation-stable'] as const;

export const MODERATION_CATEGORIES = [
  'hate',
  'hate/threatening',
  'harassment',
  'harassment/threatening',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;
const FLAGGED_SCORE = 0.9;
const QUIET_SCORE_MAX = 0.01;
const INPUTS_MAX = 1_024;

/**
 * Returns an OpenAI moderation. A text is flagged for a category by containing, for example,
 * `[flag:violence]`.
 */
export function moderationResponse({ body, model, id }: SandboxRequest): SandboxResponse {
  const results = readInputs(body['input']).map(moderate);
  return { kind: 'json', body: { id: `modr-sandbox-${id}`, model, results, system_fingerprint: 'sandbox' } };
}

function moderate(text: string): JsonObject {
  const bytes = createHash('sha256').update(text).digest();
  const requested = MODERATION_CATEGORIES.map((category) => text.includes(`[flag:${category}]`));
  const scores = requested.map((flagged, index) =>
    flagged ? FLAGGED_SCORE : ((bytes[index] ?? 0) / 255) * QUIET_SCORE_MAX,
  );
  return {
    flagged: requested.includes(true),
    categories: Object.fromEntries(
      MODERATION_CATEGORIES.map((category, index) => [category, requested[index]]),
    ),
    category_scores: Object.fromEntries(
      MODERATION_CATEGORIES.map((category, index) => [category, scores[index]]),
    ),
  };
}

function readInputs(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.length > 0 && input.length <= INPUTS_MAX) {
    const texts = input.filter((item): item is string => typeof item === 'string');
    if (texts.length === input.length) return texts;
  }
  throw invalid('input must be a string or a list of strings.', 'input');
}
