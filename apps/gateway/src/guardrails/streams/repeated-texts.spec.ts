import { guardedStreams } from './spec-support/guarded-streams';

const SECRET = 'ULTRAVIOLET';
const data = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const named = (body: { readonly type: string }): string => `event: ${body.type}\n${data(body)}`;

/** A provider that repeats the sources in each chunk. */
const chunk = (content: string): string =>
  data({ id: 'c', citations: [`https://${SECRET}.example`], choices: [{ index: 0, delta: { content } }] });

const call = { type: 'mcp_call', id: 'm', arguments: `{"q":"${SECRET}"}`, output: `found ${SECRET}` };

describe('texts that a stream repeats', () => {
  const streams = guardedStreams();

  it.each<[string, string, string]>([
    [
      'next to another changed text',
      '/chat/completions',
      `${chunk(`one ${SECRET} `)}${chunk(`two ${SECRET} `)}${chunk('three')}data: [DONE]\n\n`,
    ],
    [
      'in an item with another changed text',
      '/responses',
      [
        { type: 'response.mcp_call_arguments.delta', output_index: 0, delta: call.arguments },
        { type: 'response.output_item.done', output_index: 0, item: call },
        { type: 'response.completed', response: { id: 'r', status: 'completed', output: [call] } },
      ]
        .map(named)
        .join(''),
    ],
  ])('are replaced %s', async (_, path, stream) => {
    for (const on_stream of ['mark', 'hold']) {
      const regexReplace = { rule: SECRET, redactText: '[GONE]', scope: ['all'] };
      const { status, text } = await streams.ask({ guardrail: { regexReplace, on_stream }, stream, path });
      expect(status).toBe(200);
      expect(text).not.toContain(SECRET);
      expect(text.split('[GONE]').length).toBe(stream.split(SECRET).length);
    }
  });
});
