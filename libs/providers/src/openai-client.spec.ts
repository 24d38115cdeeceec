import OpenAI from 'openai';
import { chatTranslator } from './spec-support/chat-over-anthropic';
import type { JsonObject, LocalProvider } from './provider';
import { sandbox } from './sandbox/sandbox.provider';

type Serve = (path: string, method: string, body: string) => Response;

/** OpenAI's own client, with a provider of this library in place of the network. */
const clientOf = (serve: Serve): OpenAI =>
  new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    baseURL: 'http://gateway.invalid/v1',
    fetch: (url, init) => {
      const { pathname } = new URL(url instanceof Request ? url.url : url);
      return Promise.resolve(
        serve(pathname, init?.method ?? 'GET', typeof init?.body === 'string' ? init.body : ''),
      );
    },
  });

describe('OpenAI’s client library', () => {
  describe('over the sandbox', () => {
    const client = clientOf((path, method, body) => {
      const { respond } = sandbox.local as LocalProvider;
      const { status, headers, chunks } = respond({ method, path, body: Buffer.from(body), metadata: {} });
      const type = headers[headers.indexOf('content-type') + 1] ?? '';
      return new Response(Buffer.concat([...chunks].map(({ data }) => data)), {
        status,
        headers: { 'content-type': type },
      });
    });
    const messages = [{ role: 'user' as const, content: 'Hello' }];

    it('reads chat completions, streamed and not streamed, with equal results', async () => {
      const whole = await client.chat.completions.create({ model: 'sandbox-small', messages });
      const stream = client.chat.completions.stream({
        model: 'sandbox-small',
        messages,
        stream_options: { include_usage: true },
      });
      const streamed = await stream.finalChatCompletion();
      expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
      expect(streamed.usage).toEqual(whole.usage);
      expect(whole.system_fingerprint).toBe('sandbox');
    });

    it('reads completions, embeddings, moderations and models', async () => {
      const completion = await client.completions.create({ model: 'sandbox-small', prompt: 'Once' });
      expect(completion.choices[0]?.text).toMatch(/^\[sandbox\]/);
      const { data } = await client.embeddings.create({
        model: 'sandbox-small',
        input: ['a', 'b'],
        dimensions: 8,
      });
      expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
      expect((await client.moderations.create({ input: 'Hi' })).results[0]?.flagged).toBe(false);
      expect((await client.models.list()).data.map(({ id }) => id)).toEqual([
        'sandbox-small',
        'sandbox-large',
      ]);
    });

    it('reads errors', async () => {
      await expect(
        client.chat.completions.create({ model: 'sandbox-small?status=429', messages }),
      ).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    });
  });

  describe('over Anthropic', () => {
    const events = [
      {
        type: 'message_start',
        message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 10, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me see.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't1', name: 'weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' },
      },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
    const serve =
      (sent: readonly JsonObject[]): Serve =>
      (_, __, body) => {
        const request = JSON.parse(body) as JsonObject;
        chatTranslator.request(request, 'strict');
        const stream = chatTranslator.stream({
          requestId: 'req-1',
          createdAt: 1,
          request,
          provider: 'anthropic',
          strict: true,
        });
        const out = sent.map((event) =>
          stream.write(Buffer.from(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)),
        );
        return new Response(Buffer.concat([...out, stream.end()]), {
          headers: { 'content-type': 'text/event-stream' },
        });
      };
    const request = {
      model: 'claude-x',
      messages: [{ role: 'user' as const, content: 'Weather in Oslo?' }],
      tools: [
        {
          type: 'function' as const,
          function: { name: 'weather', parameters: { type: 'object', properties: {} } },
        },
      ],
      stream_options: { include_usage: true },
    };

    it('assembles text, tool calls and usage of a stream', async () => {
      const completion = await clientOf(serve(events)).chat.completions.stream(request).finalChatCompletion();
      expect(completion.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me see.',
          tool_calls: [
            { id: 't1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
      });
      expect(completion.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 });
    });

    it('throws the provider’s error that arrives in the middle of a stream', async () => {
      const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
      const client = clientOf(serve([...events.slice(0, 3), overloaded]));
      await expect(client.chat.completions.stream(request).finalChatCompletion()).rejects.toThrow(
        'Overloaded',
      );
    });
  });
});
