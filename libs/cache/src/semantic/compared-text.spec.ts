import { comparedText } from './compared-text';

const chat = (messages: unknown, over: object = {}): unknown => ({ model: 'm', messages, ...over });
const user = (content: unknown) => ({ role: 'user', content });
const of = (body: unknown, route = 'chat.completions') => comparedText(route, body);

describe('comparedText', () => {
  it('returns the last user message and requires everything else to be equal', () => {
    const system = { role: 'system', content: 'Be brief.' };
    const one = of(chat([system, user('What is a cat?')]));
    const same = of(chat([system, user('Tell me about cats.')]));
    expect(one?.text).toBe('What is a cat?');
    expect(one?.rest).toBe(same?.rest);
    expect(one?.rest).not.toContain('cat');
    const others = [
      chat([{ role: 'system', content: 'Be long.' }, user('What is a cat?')]),
      chat([system, user('Hi'), { role: 'assistant', content: 'Hello' }, user('What is a cat?')]),
      chat([system, user('What is a cat?')], { temperature: 1 }),
      chat([system, user('What is a cat?')], { stream: true }),
      chat([system, { ...user('What is a cat?'), name: 'bob' }]),
    ];
    for (const other of others) expect(of(other)?.rest).not.toBe(one?.rest);
  });

  it('reads text parts, prompts and inputs', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(of(chat([user(parts)]))?.text).toBe('a\nb');
    expect(of(chat([user('hi')], { system: 'x' }), 'messages')?.text).toBe('hi');
    expect(of({ prompt: 'once' }, 'completions')?.text).toBe('once');
    expect(of({ input: 'ask' }, 'responses')?.text).toBe('ask');
    expect(of({ input: [user([{ type: 'input_text', text: 'ask' }])] }, 'responses')?.text).toBe('ask');
  });

  it.each([
    ['tools', chat([user('hi')], { tools: [] })],
    ['functions', chat([user('hi')], { functions: [] })],
    ['an image', chat([user([{ type: 'image_url', image_url: { url: 'x' } }])])],
    ['an image earlier on', chat([user([{ type: 'image_url' }]), user('hi')])],
    ['audio', chat([user('hi')], { modalities: ['audio'] })],
    ['tool calls', chat([{ role: 'assistant', content: 'x', tool_calls: [] }, user('hi')])],
    ['tool results', chat([{ role: 'tool', content: 'x' }, user('hi')])],
    ['an assistant at the end', chat([user('hi'), { role: 'assistant', content: 'x' }])],
    ['no messages', chat([])],
    ['no list', chat('hi')],
    ['nothing to compare', chat([user('  ')])],
    ['a long text', chat([user('x'.repeat(8_001))])],
    ['no object', []],
  ])('leaves a request with %s to the exact cache', (_name, body) => {
    expect(of(body)).toBeNull();
  });

  it('leaves lists of prompts and other families to the exact cache', () => {
    expect(of({ prompt: ['a', 'b'] }, 'completions')).toBeNull();
    expect(of({ input: 'a' }, 'embeddings')).toBeNull();
  });
});
