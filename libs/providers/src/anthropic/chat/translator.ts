import type { Translator } from '../../provider';
import { toMessagesRequest } from './request';
import { toChatCompletion } from './response';
import { ChatStream } from './stream';

/** Translates between OpenAI chat completions and Anthropic messages. */
export const chatTranslator: Translator = {
  request: (body, losses) => ({ path: '/messages', body: toMessagesRequest(body, losses) }),
  response: toChatCompletion,
  stream: (context) => new ChatStream(context),
};
