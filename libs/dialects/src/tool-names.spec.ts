import type { JsonObject } from './call';
import { sent } from './spec-support/anthropic-translations';

const call = (name: string): JsonObject => ({
  role: 'assistant',
  tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: '{}' } }],
});
const result = (content: string): JsonObject => ({ role: 'tool', tool_call_id: 'call_0', content });
/** Some providers begin with the same id in each response. */
const MESSAGES = [{ role: 'user', content: 'a' }, call('f'), result('1'), call('g'), result('2')];

describe('results of calls whose ids are used again', () => {
  it('have the names of their own calls at Gemini', () => {
    const { contents } = sent({ messages: MESSAGES }, { provider: 'gemini', model: 'gemini-2.5-pro' });
    const names = (contents as { parts: { functionResponse?: { name: string } }[] }[])
      .flatMap(({ parts }) => parts)
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse.name]));
    expect(names).toEqual(['f', 'g']);
  });

  it.each([
    ['mistral', 'name'],
    ['ollama', 'tool_name'],
  ])('have the names of their own calls at %s', (provider, member) => {
    const { messages } = sent({ messages: MESSAGES }, { provider, model: 'm' });
    const names = (messages as JsonObject[])
      .filter(({ role }) => role === 'tool')
      .map((item) => item[member]);
    expect(names).toEqual(['f', 'g']);
  });
});

describe('calls of a Gemini client with empty ids', () => {
  it('get ids, as calls without one do', () => {
    const part = (member: string, name: string): JsonObject => ({ [member]: { id: '', name } });
    const contents = [
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [part('functionCall', 'f'), part('functionCall', 'g')] },
      { role: 'user', parts: [part('functionResponse', 'g'), part('functionResponse', 'f')] },
    ];
    const { messages } = sent({ contents }, { client: 'gemini', provider: 'openai-chat', model: 'gpt-4.1' });
    const [, called, ...results] = messages as JsonObject[];
    const [f, g] = (called?.['tool_calls'] as JsonObject[]).map(({ id }) => id);
    expect(f).toMatch(/^call_[0-9A-Za-z]{24}$/);
    expect(results.map((item) => item['tool_call_id'])).toEqual([g, f]);
  });
});

describe('a result that is JSON', () => {
  it('keeps numbers that a double cannot represent', () => {
    const content = '{"id":12345678901234567890}';
    const messages = [{ role: 'user', content: 'a' }, call('f'), result(content)];
    const { contents } = sent({ messages }, { provider: 'gemini', model: 'gemini-3-pro' });
    expect(JSON.stringify(contents)).toContain('12345678901234567890');
  });
});
