import type { ClientCodec, ProviderCodec } from '../codec';
import { clientTokens, providerTokens } from './count-tokens';
import { decodeCall } from './decode-call';
import { decodeResponse } from './decode-response';
import { decodeStream } from './decode-stream';
import { encodeCall } from './encode-call';
import { encodeResponse } from './encode-response';
import { encodeStream } from './encode-stream';
import { openAiError } from '../errors/openai-error';
import { withoutNamespaces } from './namespaces';
import { DIALECT } from './own';

/** Reads calls of the Responses API, and writes its responses. */
export const openAiResponsesClient: ClientCodec = {
  dialect: DIALECT,
  decodeCall,
  toNeutral: withoutNamespaces,
  encodeResponse,
  encodeStream,
  encodeError: openAiError,
  tokenCounter: clientTokens,
};

/** Writes calls to providers of the Responses API, and reads their responses. */
export const openAiResponsesProvider: ProviderCodec = {
  dialect: DIALECT,
  encodeCall,
  decodeResponse,
  decodeStream,
  tokenCounter: providerTokens,
};
