import type { ClientTokenCounter, ProviderTokenCounter } from '../codec';
import { readCount } from '../values/counts';
import { answerInvalid } from '../values/tool-arguments';
import { decodeTokenCount } from './decode-call';
import { countTokensBody } from './encode-call';

/** `count_tokens` for clients, whose body has no `max_tokens`. */
export const clientTokens: ClientTokenCounter = {
  decodeCall: (body) => ({ ...decodeTokenCount(body), stream: false }),
  encodeResponse: ({ input }) => ({ input_tokens: input }),
};

/** `count_tokens` of a provider. */
export const providerTokens: ProviderTokenCounter = {
  encodeCall: (call, target, losses) => ({
    path: '/messages/count_tokens',
    body: countTokensBody(call, target, losses),
  }),
  decodeResponse(body) {
    const input = typeof body['input_tokens'] === 'number' ? readCount(body['input_tokens']) : null;
    if (input === null) throw answerInvalid('input_tokens is no count.');
    return { input };
  },
};
