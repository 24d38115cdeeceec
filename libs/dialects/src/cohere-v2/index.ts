import type { ProviderCodec } from '../codec';
import { decodeResponse } from './decode-response';
import { CohereStreamDecoder } from './decode-stream';
import { encodeCall } from './encode-call';

export const cohereProvider: ProviderCodec = {
  dialect: 'cohere-v2',
  encodeCall,
  decodeResponse,
  decodeStream: (context) => new CohereStreamDecoder(context),
};
