import { message, translated } from '../spec-support/anthropic-translations';
import { framed } from '../spec-support/framing';

describe('usage of a stream of Anthropic', () => {
  it('keeps the counts of its start when its end has zeros', () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: 30 };
    const start = { ...counts, cache_creation: { ephemeral_1h_input_tokens: 30 }, output_tokens: 1 };
    const end = {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_creation: { ephemeral_1h_input_tokens: 0 },
      output_tokens: 9,
    };
    const frames = message().map((frame) => {
      if (frame['type'] === 'message_start') return { ...frame, message: { id: 'm', usage: start } };
      return frame['type'] === 'message_delta' ? { ...frame, usage: end } : frame;
    });
    const stream = translated({ stream: true }).stream();
    stream.write(framed('anthropic-messages', frames, 'complete'));
    expect(stream.usage).toMatchObject({ input: 40, cacheWrite: 30, cacheWrite1h: 30, output: 9 });
  });
});
