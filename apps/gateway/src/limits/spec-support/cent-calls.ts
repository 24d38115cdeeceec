import type { UsageLimitRule } from '@gw/contracts';

/**
 * A thousand output tokens at 10 USD per million: a call costs a cent, and its input is negligible.
 */
export const CENT = 1_000_000;
export const RESPONSE = {
  id: 'a',
  model: 'gpt-4o',
  choices: [],
  usage: { prompt_tokens: 0, completion_tokens: 1_000 },
};
export const BODY = { model: 'gpt-4o', max_tokens: 1_000, messages: [{ role: 'user', content: 'hi' }] };

/** A hundred such calls. */
export const budget = (over: Partial<UsageLimitRule> = {}): UsageLimitRule => ({
  type: 'cost',
  creditLimit: 1,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
  ...over,
});
