import type { Translator } from '../../provider';
import { toMessagesRequest } from './request';
import { toChatCompletion } from './response';
import { ChatStream } from './stream';

/** OpenAI chat completions over Anthropic messages, both ways. */
export const chatTranslator: Translator = {
  request: toMessagesRequest,
  response: toChatCompletion,
  stream: (context) => new ChatStream(context),
};
