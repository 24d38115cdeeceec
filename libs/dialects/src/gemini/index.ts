import type { ClientCodec, ProviderCodec } from '../codec';
import { clientTokens, providerTokens } from './count-tokens';
import { decodeCall } from './decode-call';
import { decodeResponse } from './decode-response';
import { decodeStream } from './decode-stream';
import { encodeCall } from './encode-call';
import { encodeResponse } from './encode-response';
import { encodeStream } from './encode-stream';
import { encodeError } from './errors';

/** For clients of Gemini's `generateContent` and `streamGenerateContent`. */
export const geminiClient: ClientCodec = {
  dialect: 'gemini',
  decodeCall,
  encodeResponse,
  encodeStream,
  encodeError,
  tokenCounter: clientTokens,
};

/** For Gemini on Google AI Studio and on Vertex AI. */
export const geminiProvider: ProviderCodec = {
  dialect: 'gemini',
  encodeCall,
  decodeResponse,
  decodeStream,
  tokenCounter: providerTokens,
};
