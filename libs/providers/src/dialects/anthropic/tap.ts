import { asObject, asString, mergedUsage } from '@gw/dialects';
import type { StreamTap } from '../../provider';
import { eventObject, SseTap, type TapDialect, type TapState } from '../../stream/sse-tap';
import { readAnthropicUsage } from './usage';

/**
 * Reads streams of Anthropic messages. Usage starts in `message_start` and each `message_delta`
 * updates it.
 */
export const anthropicTapDialect: TapDialect = {
  // `k_st` matches `content_block_start` and `content_block_stop`.
  watches: (text) => text.includes('message_') || text.includes('rror') || text.includes('k_st'),

  apply(event, state) {
    const body = eventObject(event) ?? {};
    const type = asString(body['type']) ?? event.name;
    if (type === 'message_stop') state.complete = true;
    else if (type === 'error') state.failed = true;
    else if (type === 'content_block_start') state.partEnded = false;
    else if (type === 'content_block_stop') state.partEnded = true;
    else if (type === 'message_delta') {
      addUsage(state, body['usage']);
      if (hasOutputTokens(body['usage'])) state.usage = state.begun;
    } else if (type === 'message_start') {
      const message = asObject(body['message']) ?? {};
      state.model ??= asString(message['model']);
      addUsage(state, message['usage']);
    }
  },

  // Events with usage or an end are far smaller than the bound; a large event is content.
  applyOversized: () => undefined,
};

function addUsage(state: TapState, usage: unknown): void {
  state.rawUsage = mergedUsage(state.rawUsage, usage);
  state.begun = readAnthropicUsage(state.rawUsage) ?? state.begun;
}

/**
 * Returns whether a usage has final output tokens. Those of `message_start` are only preliminary.
 */
const hasOutputTokens = (usage: unknown): boolean => typeof asObject(usage)?.['output_tokens'] === 'number';

export const anthropicTap = (): StreamTap => new SseTap(anthropicTapDialect);
