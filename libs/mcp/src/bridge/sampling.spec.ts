import { sampledMessage, samplingCompletion } from './sampling';

const MODEL = { model: '@main/small', maxTokens: 100 };
const TEXT = { type: 'text', text: 'Hi' };

describe('samplingCompletion', () => {
  it('returns a chat completion request with texts and images, and at most the allowed tokens', () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const params = {
      messages: [
        { role: 'user', content: [TEXT, image] },
        { role: 'assistant', content: TEXT },
      ],
      ...{ systemPrompt: 'Be brief.', maxTokens: 5_000, temperature: 0.5, stopSequences: ['END', 1] },
      modelPreferences: { hints: [{ name: 'dear' }] },
    };
    expect(samplingCompletion(params, MODEL)).toEqual({
      ...{ model: '@main/small', max_tokens: 100, temperature: 0.5, stop: ['END'] },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [TEXT, { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }],
        },
        { role: 'assistant', content: [TEXT] },
      ],
    });
    const small = { messages: [{ role: 'user', content: TEXT }], maxTokens: 7 };
    expect(samplingCompletion(small, MODEL)).toMatchObject({ max_tokens: 7 });
  });

  it.each([
    ['no messages', { messages: [] }],
    ['messages that are no list', { messages: 'Hi' }],
    ['a message that is no object', { messages: ['Hi'] }],
    ['another role', { messages: [{ role: 'system', content: TEXT }] }],
    [
      'other content',
      { messages: [{ role: 'user', content: { type: 'audio', data: '', mimeType: 'a/b' } }] },
    ],
    [
      'an image of an odd type',
      { messages: [{ role: 'user', content: { type: 'image', data: '', mimeType: 'x;y' } }] },
    ],
    ['tools', { messages: [{ role: 'user', content: TEXT }], tools: [] }],
    [
      'more than 64 KiB',
      { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(65_536) } }] },
    ],
    [
      'more than 100 messages',
      { messages: Array.from({ length: 101 }, () => ({ role: 'user', content: TEXT })) },
    ],
  ])('refuses %s', (_what, params) => {
    expect(samplingCompletion(params, MODEL)).toBeNull();
  });
});

describe('sampledMessage', () => {
  const completion = (message: object, reason: string): object => ({
    model: 'small',
    choices: [{ message, finish_reason: reason }],
  });

  it('returns the first choice with its stop reason', () => {
    const read = (reason: string) => sampledMessage({ ...completion({ content: 'Hello' }, reason) }, MODEL);
    const message = { role: 'assistant', model: 'small', content: { type: 'text', text: 'Hello' } };
    expect(read('stop')).toEqual({ ...message, stopReason: 'endTurn' });
    expect(read('length')).toEqual({ ...message, stopReason: 'maxTokens' });
    expect(read('constructor')).toEqual(message);
  });

  it.each([undefined, null, '', 7])(
    'names the requested model for a completion with the model %p',
    (model) => {
      const choices = [{ message: { content: 'Hello' } }];
      expect(sampledMessage({ model, choices }, MODEL)).toMatchObject({ model: 'small' });
    },
  );

  it('returns null for a completion without text', () => {
    expect(sampledMessage({ ...completion({ content: null }, 'stop') }, MODEL)).toBeNull();
    expect(sampledMessage({ choices: [] }, MODEL)).toBeNull();
    expect(sampledMessage({}, MODEL)).toBeNull();
  });
});
