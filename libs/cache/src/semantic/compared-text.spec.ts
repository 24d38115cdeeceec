import { comparedText } from './compared-text';

const chat = (messages: unknown, over: object = {}): unknown => ({ model: 'm', messages, ...over });
const user = (content: unknown) => ({ role: 'user', content });
const textOf = (body: unknown, route = 'chat.completions') => comparedText(route, body);

describe('comparedText', () => {
  it('returns the last user message as the text and everything else as the rest', () => {
    const system = { role: 'system', content: 'Be brief.' };
    const one = textOf(chat([system, user('What is a cat?')]));
    const same = textOf(chat([system, user('Tell me about cats.')]));
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
    for (const other of others) expect(textOf(other)?.rest).not.toBe(one?.rest);
  });

  it('reads text parts of messages, prompt and input', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(textOf(chat([user(parts)]))?.text).toBe('a\nb');
    expect(textOf(chat([user('hi')], { system: 'x' }), 'messages')?.text).toBe('hi');
    expect(textOf({ prompt: 'once' }, 'completions')?.text).toBe('once');
    expect(textOf({ input: 'ask' }, 'responses')?.text).toBe('ask');
    expect(textOf({ input: [user([{ type: 'input_text', text: 'ask' }])] }, 'responses')?.text).toBe('ask');
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
  ])('returns null for a request with %s', (_name, body) => {
    expect(textOf(body)).toBeNull();
  });

  it('returns null for lists of prompts and for other route families', () => {
    expect(textOf({ prompt: ['a', 'b'] }, 'completions')).toBeNull();
    expect(textOf({ input: 'a' }, 'embeddings')).toBeNull();
  });
});
