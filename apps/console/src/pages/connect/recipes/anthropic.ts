import { greeting, headersOf, scriptKey, scriptText, scriptValue, type Recipe } from './recipe';

export const anthropic: Recipe = {
  id: 'anthropic',
  label: 'Anthropic',
  language: 'typescript',
  needs: ['messages'],
  render: (values) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${scriptText(values.base)},
  authToken: ${scriptKey(values)},
  apiKey: null,
  defaultHeaders: ${scriptValue(headersOf(values))},
});
const message = await client.messages.create(${scriptValue({ model: values.model, max_tokens: 1024, messages: greeting })});
console.log(message.content);`,
};
