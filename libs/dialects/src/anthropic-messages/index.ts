import type { ClientCodec, ProviderCodec } from '../codec';
import { clientTokens, providerTokens } from './count-tokens';
import { decodeCall } from './decode-call';
import { decodeResponse } from './decode-response';
import { decodeStream } from './decode-stream';
import { encodeCall } from './encode-call';
import { encodeError } from './encode-error';
import { encodeResponse } from './encode-response';
import { encodeStream } from './encode-stream';
import { DIALECT } from './paths';

export const anthropicClient: ClientCodec = {
  dialect: DIALECT,
  decodeCall,
  encodeResponse,
  encodeStream,
  encodeError,
  tokenCounter: clientTokens,
};

export const anthropicProvider: ProviderCodec = {
  dialect: DIALECT,
  encodeCall,
  decodeResponse,
  decodeStream,
  tokenCounter: providerTokens,
};
