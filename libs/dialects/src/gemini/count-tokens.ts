import type { JsonObject } from '../call';
import type { ClientTokenCounter, ProviderTokenCounter } from '../codec';
import { asNumber, optional } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { decodeRequest } from './decode-call';
import { encodeBody, isVertex, modelPath } from './encode-call';
import { Members } from './members';

/** Members of a request that affect the token count. */
const COUNTED = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'cachedContent'] as const;

/**
 * `countTokens` for Gemini clients, whose body is the contents or a whole `generateContentRequest`.
 */
export const clientTokens: ClientTokenCounter = {
  decodeCall(body, address = {}) {
    const outer = new Members(body, '');
    return decodeRequest(outer.members('generateContentRequest') ?? outer, { ...address, stream: false });
  },
  encodeResponse: ({ input, cached }) => ({
    totalTokens: input,
    ...optional('cachedContentTokenCount', cached),
  }),
};

/**
 * `countTokens` of Google, which outside of Vertex accepts system text and tools only in a
 * `generateContentRequest`.
 */
export const providerTokens: ProviderTokenCounter = {
  encodeCall(call, target, losses) {
    const body = encodeBody(call, target, losses);
    const counted: JsonObject = {};
    for (const name of COUNTED) if (body[name] !== undefined) counted[name] = body[name];
    const isWhole = !isVertex(target) && Object.keys(counted).length > 1;
    const [resource = ''] = modelPath(target, '').slice(1).split(':');
    return {
      path: modelPath(target, 'countTokens'),
      body: isWhole ? { generateContentRequest: { model: resource, ...counted } } : counted,
    };
  },
  decodeResponse(body) {
    const input = asNumber(body['totalTokens']);
    if (input === null || !Number.isInteger(input) || input < 0)
      throw answerInvalid('totalTokens is no count.');
    return { input, ...optional('cached', asNumber(body['cachedContentTokenCount']) ?? undefined) };
  },
};
