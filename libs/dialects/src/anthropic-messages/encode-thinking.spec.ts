import type { JsonObject } from '../call';
import { lost, sent } from '../spec-support/anthropic-translations';

describe('thinking with a budget of clients of Messages', () => {
  it('becomes adaptive if the model has both forms and the history lacks thinking', () => {
    const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const body = (...thoughts: JsonObject[]): JsonObject => ({
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [...thoughts, use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
      ],
      thinking: { type: 'enabled', budget_tokens: 5_000 },
      max_tokens: 10_000,
    });
    const facts = { client: 'anthropic-messages', model: 'claude-opus-4-6' };
    expect(sent(body(), facts)).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
    });
    expect(lost(body(), facts)).toEqual(['thinking=approximated']);
    const signed = { type: 'thinking', thinking: 'hm', signature: 's' };
    expect(sent(body(signed), facts)['thinking']).toEqual({ type: 'enabled', budget_tokens: 5_000 });
  });

  it.each([
    ['claude-opus-4-6', 'high', { effort: 'high' }, []],
    ['claude-opus-4-5', 'max', { effort: 'high' }, ['thinking=approximated']],
    ['claude-sonnet-4-5', 'high', undefined, ['thinking=approximated']],
  ])(
    'is sent to %s with the effort %s, the nearest one, or none, and each difference is listed',
    (model, effort, config, losses) => {
      const body = {
        thinking: { type: 'enabled', budget_tokens: 5_000 },
        output_config: { effort },
        max_tokens: 10_000,
      };
      const facts = { client: 'anthropic-messages', model };
      expect(sent(body, facts)['thinking']).toEqual({ type: 'enabled', budget_tokens: 5_000 });
      expect(sent(body, facts)['output_config']).toEqual(config);
      expect(lost(body, facts)).toEqual(losses);
    },
  );
});
