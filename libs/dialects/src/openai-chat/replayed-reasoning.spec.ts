import { encoded } from '../spec-support/provider-side';
import { openAiChatProvider } from './index';

const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const HISTORY = {
  input: [
    { role: 'user', content: 'Hi' },
    { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'x' },
  ],
};

describe('reasoning text of a conversation with tool calls', () => {
  it.each([
    ['a model that needs it', { model: 'deepseek-v4' }, 'hm'],
    ['a provider whose models need it', { model: 'kimi-k2', traits: { replay: 'required' as const } }, 'hm'],
    ['a model that refuses it', { model: 'deepseek-reasoner' }, undefined],
  ])('sends or omits the reasoning text as required by %s', (_name, options, text) => {
    const { body } = encoded(openAiChatProvider, HISTORY, { from: 'openai-responses', ...options });
    expect((body['messages'] as object[])[1]).toEqual({
      role: 'assistant',
      ...(text === undefined ? {} : { reasoning_content: text }),
      content: null,
      tool_calls: [CALL],
    });
  });
});
