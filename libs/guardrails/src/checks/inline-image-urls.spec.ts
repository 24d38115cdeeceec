import { compiled, FACTS, judged, verdictOf } from '../spec-support/judge';
import { RecordingPort } from '../spec-support/recording-port';
import { Subject } from '../subject';

describe('inlineImageUrls', () => {
  const png = { status: 200, contentType: 'image/png', body: new Uint8Array([1, 2, 3]) };
  const body = {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://a.example.com/i.png' } },
          { type: 'image', source: { type: 'url', url: 'https://a.example.com/i.png' } },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
        ],
      },
    ],
  };

  it('embeds images into the request, fetching each URL once', async () => {
    const port = new RecordingPort(() => png);
    const verdict = await judged([compiled([{ id: 'inlineImageUrls' }])], Subject.input(FACTS, body), port);
    expect(verdict.body).toMatchObject({
      messages: [
        {
          content: [
            { image_url: { url: 'data:image/png;base64,AQID' } },
            { source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
            { image_url: 'data:image/png;base64,AA==' },
          ],
        },
      ],
    });
    expect(port.calls).toHaveLength(1);
  });

  const url = 'https://a.example.com/i.png';
  const data = 'data:image/png;base64,AQID';
  const source = { type: 'url', url };
  const embedded = { type: 'base64', media_type: 'image/png', data: 'AQID' };
  const user = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] });
  const result = (...content: readonly object[]) => user({ type: 'tool_result', content });
  const document = (...content: readonly object[]) => ({
    type: 'document',
    source: { type: 'content', content },
  });
  const output = (type: string, value: unknown) => ({ input: [{ type, call_id: 'c', output: value }] });
  it.each<[string, object, object]>([
    ['a tool result', result({ type: 'image', source }), result({ type: 'image', source: embedded })],
    [
      'a document of a tool result',
      result(document({ type: 'image', source })),
      result(document({ type: 'image', source: embedded })),
    ],
    [
      'the output of a function',
      output('function_call_output', [{ type: 'input_image', image_url: url }]),
      output('function_call_output', [{ type: 'input_image', image_url: data }]),
    ],
    [
      'the output of a computer',
      output('computer_call_output', { type: 'computer_screenshot', image_url: url }),
      output('computer_call_output', { type: 'computer_screenshot', image_url: data }),
    ],
  ])('embeds the images in %s', async (_, request, expected) => {
    const port = new RecordingPort(() => png);
    const subject = Subject.input(FACTS, request);
    const verdict = await judged([compiled([{ id: 'inlineImageUrls' }])], subject, port);
    expect(verdict.body).toEqual(expected);
  });

  it.each([
    ['has the content type of another file', { ...png, contentType: 'text/html' }, {}, 'with an image'],
    ['does not exist', { ...png, status: 404 }, {}, 'status 404'],
    ['is too large', png, { maxSizeBytes: 2 }, 'larger together than maxSizeBytes'],
  ])('cannot decide when an image %s, and reports that', async (_, reply, parameters, message) => {
    const { error } = await verdictOf(
      'inlineImageUrls',
      parameters,
      Subject.input(FACTS, body),
      new RecordingPort(() => reply),
    );
    expect(error?.message).toContain(message);
  });

  it('bounds the size of all images together', async () => {
    const images = ['https://a.example.com/1.png', 'https://a.example.com/2.png'].map((each) => ({
      ...{ type: 'image_url', image_url: { url: each } },
    }));
    const errorOf = async (maxSizeBytes: number) => {
      const port = new RecordingPort(() => png);
      const subject = Subject.input(FACTS, user(...images));
      return (await verdictOf('inlineImageUrls', { maxSizeBytes }, subject, port)).error;
    };
    expect(await errorOf(6)).toBeUndefined();
    expect(await errorOf(5)).toMatchObject({ message: expect.stringContaining('maxSizeBytes') as string });
  });

  it('ends after timeoutMs, which may be longer than 30 seconds', async () => {
    const { input } = compiled([{ id: 'inlineImageUrls', parameters: { timeoutMs: 60_000 } }]);
    expect(input[0]?.timeoutMs).toBe(60_000);
    const port = new RecordingPort(() => new Promise(() => undefined));
    const subject = Subject.input(FACTS, body);
    const { error } = await verdictOf('inlineImageUrls', { timeoutMs: 20 }, subject, port);
    expect(error?.message).toBe('The check took longer than 20 ms.');
  });

  it('fetches nothing for providers to which it does not apply', async () => {
    const port = new RecordingPort(() => png);
    await verdictOf('inlineImageUrls', { providers: ['bedrock'] }, Subject.input(FACTS, body), port);
    expect(port.calls).toHaveLength(0);
  });
});
