import type { ClientCodec, ProviderCodec } from '../codec';
import { openAiError } from '../errors/openai-error';
import { decodeCall } from './decode-call';
import { decodeResponse } from './decode-response';
import { ChatStreamDecoder } from './decode-stream';
import { encodeCall } from './encode-call';
import { encodeResponse } from './encode-response';
import { ChatStreamEncoder } from './encode-stream';

export const openAiChatClient: ClientCodec = {
  dialect: 'openai-chat',
  decodeCall,
  encodeResponse,
  encodeStream: (context) => new ChatStreamEncoder(context),
  encodeError: openAiError,
};

export const openAiChatProvider: ProviderCodec = {
  dialect: 'openai-chat',
  encodeCall,
  decodeResponse,
  decodeStream: (context) => new ChatStreamDecoder(context),
};
