import type { TestResponse } from '../../spec-support/test-client';
import { guardedStreams } from './spec-support/guarded-streams';

const SECRET = 'ULTRAVIOLET';
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n`;
const DONE = 'data: [DONE]\n\n';

describe('lines of a guarded stream that are no data', () => {
  const streams = guardedStreams();
  const ask = (stream: string): Promise<TestResponse> => {
    const regexReplace = { rule: SECRET, redactText: '[GONE]', scope: ['all'] };
    return streams.ask({ guardrail: { regexReplace }, stream });
  };

  it('include no byte order mark, after which the data of the first event is judged', async () => {
    const { text } = await ask(`\uFEFF${chunk(SECRET)}\n${DONE}`);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('[GONE]');
  });

  it.each([
    ['a comment', `: ${SECRET}\n\n${chunk('Hi')}\n${DONE}`],
    ['a comment in an event', `: ${SECRET}\u2028${chunk(SECRET)}${chunk('Hi')}\n${DONE}`],
    ['the name of an event', `event: x\u2028data: ${SECRET}\n${chunk('Hi')}\n${DONE}`],
    ['an unknown field', `\uFEFFdata: ${SECRET}\n${chunk('Hi')}\n${DONE}`.replace(/^/, ':\n\n')],
    ['the end mark', `${chunk('Hi')}\n: ${SECRET}\n${DONE}`],
  ])('are not sent (%s)', async (_, stream) => {
    const { text } = await ask(stream);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('"content":"Hi"');
    expect(text).toContain('data: [DONE]');
  });

  it('are sent when they are names', async () => {
    const stream = `event: chunk\nid: 7\n${chunk('Hi')}\n${DONE}`;
    expect((await ask(stream)).text).toBe(stream);
  });
});
