import type { JsonObject } from '../call';
import type { ClientTokenCounter, ProviderTokenCounter } from '../codec';
import { asNumber } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { decodeCall } from './decode-call';
import { encodeCall } from './encode-call';

/** Members of a call that `POST /responses/input_tokens` accepts. */
const COUNTED = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'previous_response_id',
  'conversation',
] as const;

/** `input_tokens` for clients, whose body has a subset of the members of a call. */
export const clientTokens: ClientTokenCounter = {
  decodeCall: (body, address = {}) => decodeCall(body, { ...address, stream: false }),
  encodeResponse: ({ input }) => ({ object: 'response.input_tokens', input_tokens: input }),
};

/** `input_tokens` of a provider. */
export const providerTokens: ProviderTokenCounter = {
  encodeCall(call, target, losses) {
    const { body } = encodeCall(call, target, losses);
    const counted: JsonObject = {};
    for (const name of COUNTED) if (body[name] !== undefined) counted[name] = body[name];
    return { path: '/responses/input_tokens', body: counted };
  },
  decodeResponse(body) {
    const input = asNumber(body['input_tokens']);
    if (input === null || !Number.isInteger(input) || input < 0) {
      throw answerInvalid('input_tokens is no count.');
    }
    return { input };
  },
};
