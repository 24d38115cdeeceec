import type { ProviderCodec } from '../codec';
import { decodeResponse } from './decode-response';
import { MistralStreamDecoder } from './decode-stream';
import { encodeCall } from './encode-call';

export const mistralProvider: ProviderCodec = {
  dialect: 'mistral',
  encodeCall,
  decodeResponse,
  decodeStream: (context) => new MistralStreamDecoder(context),
};
