import type { ProviderCodec } from '../codec';
import { providerTokens } from './count-tokens';
import { decodeResponse } from './decode-response';
import { decodeStream } from './decode-stream';
import { encodeCall } from './encode-call';

/** All chat models of Amazon Bedrock, by its Converse API. No client speaks it. */
export const bedrockProvider: ProviderCodec = {
  dialect: 'bedrock-converse',
  encodeCall,
  decodeResponse,
  decodeStream,
  tokenCounter: providerTokens,
};
