import { hubTranslator } from '../translation/hub-translator';

/** Translates Chat Completions to Anthropic's Messages, as the provider `anthropic` does. */
export const chatTranslator = hubTranslator({
  from: 'openai-chat',
  to: 'anthropic-messages',
  provider: 'anthropic',
});
