import { asString } from '@gw/dialects';
import { openAiTapDialect } from '../dialects/openai/tap';
import type { StreamTap } from '../provider';
import { eventObject, SseTap, type TapDialect } from '../stream/sse-tap';
import { googleUsage } from './google-usage';

/** Members of the last event: the model has ended, or the prompt was blocked. */
const LAST = ['"finishReason"', '"blockReason"'] as const;
/** Members of Gemini's own events. */
const OWN = ['usageMetadata', 'candidates', 'promptFeedback'] as const;

/**
 * Reads OpenAI's events and Gemini's own, whose usage grows with each event; the event with a
 * `finishReason` is the last.
 */
const googleTapDialect: TapDialect = {
  watches: (text, state) =>
    text.includes('Metadata"') || text.includes('Reason"') || openAiTapDialect.watches(text, state),

  apply(event, state) {
    const isLast = LAST.some((name) => event.data.includes(name));
    const body = isLast || event.data.includes('usageMetadata') ? eventObject(event) : null;
    if (body === null || !OWN.some((name) => body[name] !== undefined)) {
      openAiTapDialect.apply(event, state);
      return;
    }
    state.model ??= asString(body['modelVersion']);
    state.usage = googleUsage(body) ?? state.usage;
    if (isLast) state.complete = true;
  },

  applyOversized: (head, usage, state) => {
    openAiTapDialect.applyOversized(head, usage, state);
  },
};

export const googleTap = (): StreamTap => new SseTap(googleTapDialect);
