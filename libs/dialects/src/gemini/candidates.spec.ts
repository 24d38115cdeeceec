import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { streamed, translated } from '../spec-support/anthropic-translations';

const GEMINI = { provider: 'gemini', model: 'gemini-3-pro' } as const;
const MALFORMED = 'MALFORMED_FUNCTION_CALL';

const candidate = (index: number, text: string, more: JsonObject = {}): JsonObject => ({
  index,
  content: { parts: [{ text }] },
  finishReason: 'STOP',
  ...more,
});
const response = (...candidates: readonly JsonObject[]): JsonObject =>
  translated({ n: 2 }, GEMINI).response({ candidates });

describe('candidates of Gemini for clients of Chat Completions', () => {
  it('have no refusal, although they explain why they ended', () => {
    const finishMessage = 'Model generated function call(s).';
    expect(response(candidate(0, 'a', { finishMessage }))).toMatchObject({
      choices: [{ message: { content: 'a', refusal: null } }],
    });
    const { folded } = streamed([{ candidates: [candidate(0, 'a', { finishMessage })] }], GEMINI);
    expect(folded).toMatchObject({ choices: [{ message: { content: 'a' } }] });
    expect(JSON.stringify(folded)).not.toContain('refusal');
  });

  it('have the refusal of a blocked prompt once', () => {
    const promptFeedback = { blockReason: 'SAFETY', blockReasonMessage: 'No.' };
    const { folded } = streamed([{ promptFeedback }], GEMINI);
    expect(folded).toMatchObject({
      choices: [{ message: { refusal: 'No.' }, finish_reason: 'content_filter' }],
    });
  });

  it('each begin with their role in a stream', () => {
    const { events } = streamed([{ candidates: [candidate(0, 'a'), candidate(1, 'b')] }], GEMINI);
    const deltas = events.flatMap(({ choices }) => choices as JsonObject[]);
    const first = [0, 1].map((index) => deltas.find((choice) => choice['index'] === index)?.['delta']);
    expect(first).toEqual([
      { role: 'assistant', content: '' },
      { role: 'assistant', content: '' },
    ]);
  });

  it('are all in the response when one of them failed', () => {
    const failed = { index: 1, finishReason: MALFORMED };
    expect(response(candidate(0, 'a'), failed)).toMatchObject({
      choices: [
        { index: 0, message: { content: 'a' } },
        { index: 1, message: { content: null }, native_finish_reason: MALFORMED },
      ],
    });
  });

  it('are no response when all of them failed', () => {
    const failed = [0, 1].map((index) => ({ index, finishReason: MALFORMED }));
    expect(() => response(...failed)).toThrow(GatewayError);
    expect(streamed([{ candidates: failed }], { ...GEMINI, request: { n: 2 } }).end).toBe('error');
  });

  it('keep the citations of a text with a signature', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 0, endIndex: 3 }, groundingChunkIndices: [0] }],
    };
    const content = { parts: [{ text: 'abc', thoughtSignature: 'c2ln' }] };
    const signed = { content, groundingMetadata, finishReason: 'STOP' };
    const url_citation = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 };
    expect(response(signed)).toMatchObject({ choices: [{ message: { annotations: [{ url_citation }] } }] });
    const { content: text, ...rest } = signed;
    const frames = [{ candidates: [{ content: text }] }, { candidates: [rest] }];
    expect(streamed(frames, GEMINI).events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          choices: [
            expect.objectContaining({
              delta: { annotations: [{ type: 'url_citation', url_citation }] },
            }),
          ],
        }),
      ]),
    );
  });
});
