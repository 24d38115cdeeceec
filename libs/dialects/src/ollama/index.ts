import type { ProviderCodec } from '../codec';
import { decodeResponse } from './decode-response';
import { OllamaStreamDecoder } from './decode-stream';
import { encodeCall } from './encode-call';

export const ollamaProvider: ProviderCodec = {
  dialect: 'ollama',
  encodeCall,
  decodeResponse,
  decodeStream: (context) => new OllamaStreamDecoder(context),
};
