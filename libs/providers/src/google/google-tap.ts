import { asString } from '@gw/dialects';
import { openAiTapDialect } from '../dialects/openai/tap';
import type { StreamTap } from '../provider';
import { eventObject, SseTap, type TapDialect } from '../stream/sse-tap';
import { googleUsage } from './google-usage';

/**
 * Reads OpenAI's events and Gemini's own, whose usage grows with each event; the event with a
 * `finishReason` is the last.
 */
const googleTapDialect: TapDialect = {
  watches: (text, state) =>
    text.includes('Metadata"') || text.includes('finishReason"') || openAiTapDialect.watches(text, state),

  apply(event, state) {
    const isOwn = event.data.includes('usageMetadata') || event.data.includes('"finishReason"');
    const body = isOwn ? eventObject(event) : null;
    if (body?.['usageMetadata'] === undefined && body?.['candidates'] === undefined) {
      openAiTapDialect.apply(event, state);
      return;
    }
    state.model ??= asString(body['modelVersion']);
    state.usage = googleUsage(body) ?? state.usage;
    if (event.data.includes('"finishReason"')) state.complete = true;
  },

  applyOversized: (head, usage, state) => {
    openAiTapDialect.applyOversized(head, usage, state);
  },
};

export const googleTap = (): StreamTap => new SseTap(googleTapDialect);
