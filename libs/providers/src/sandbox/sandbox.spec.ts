import fc from 'fast-check';
import type { JsonObject, LocalResponse, LocalProvider } from '../provider';
import { DIAL_BOUNDS } from './dials';
import { sandbox } from './sandbox.provider';

const local = sandbox.local as LocalProvider;
const call = (
  path: string,
  body: JsonObject | string,
  metadata: Record<string, string> = {},
  method = 'POST',
): LocalResponse =>
  local.respond({
    method,
    path,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    metadata,
  });
const textOf = ({ chunks }: LocalResponse) =>
  Buffer.concat([...chunks].map(({ data }) => data)).toString('utf8');
const bodyOf = (response: LocalResponse) => JSON.parse(textOf(response)) as JsonObject;
const eventsOf = (response: LocalResponse) =>
  textOf(response)
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map(
      (event) =>
        JSON.parse(event.slice(6)) as {
          choices: {
            index: number;
            delta: { role?: string; content?: string };
            text: string;
            finish_reason: string | null;
          }[];
          usage?: JsonObject | null;
        },
    );

const messages = [{ role: 'user', content: 'Hello, sandbox!' }];
const chat = (model: string, more: JsonObject = {}, metadata: Record<string, string> = {}) =>
  call('/chat/completions', { model, messages, ...more }, metadata);
const contentOf = (body: JsonObject, choice = 0) =>
  (body['choices'] as { message: { content: string } }[])[choice]?.message.content ?? '';

describe('sandbox chat completions', () => {
  it('returns a chat completion in the OpenAI format that names the sandbox as its source', () => {
    const response = chat('sandbox-small');
    expect(response).toMatchObject({ status: 200, delayMs: 0, cut: false });
    expect(response.headers).toContain('application/json');
    const body = bodyOf(response);
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'sandbox-small',
      system_fingerprint: 'sandbox',
      choices: [{ index: 0, message: { role: 'assistant', refusal: null }, finish_reason: 'stop' }],
    });
    expect(contentOf(body)).toMatch(/^\[sandbox\] sandbox-small .*Hello, sandbox!/);
    expect(sandbox.usage(body)).toMatchObject({
      inputTokens: 4,
      outputTokens: Math.ceil(contentOf(body).length / 4),
    });
  });

  it('returns equal completions for equal requests and different ones for others', () => {
    expect(chat('sandbox-small')).toEqual(chat('sandbox-small'));
    expect(bodyOf(chat('sandbox-large'))['id']).not.toBe(bodyOf(chat('sandbox-small'))['id']);
  });

  it('streams the text of the whole response, from the role to [DONE], with usage if requested', () => {
    const played = chat('sandbox-small', { stream: true, stream_options: { include_usage: true } });
    const stream = { ...played, chunks: [...played.chunks] };
    expect(textOf(stream).endsWith('data: [DONE]\n\n')).toBe(true);
    const events = eventsOf(stream);
    expect(events[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    const whole = bodyOf(chat('sandbox-small'));
    const content = events.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('');
    expect(content).toBe(contentOf(whole));
    expect(events.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(events.at(-1)?.usage).toEqual(whole['usage']);
    expect(eventsOf(chat('sandbox-small', { stream: true })).every((event) => !('usage' in event))).toBe(
      true,
    );
  });

  it('returns a stream that the tap reads like any provider’s', () => {
    const tap = sandbox.tap();
    for (const { data } of chat('sandbox-small', { stream: true, stream_options: { include_usage: true } })
      .chunks)
      tap.write(data);
    expect(tap).toMatchObject({ complete: true, failed: false, model: 'sandbox-small' });
    expect(tap.usage()?.inputTokens).toBe(4);
  });

  it('honours n, stop and the output limit', () => {
    const body = bodyOf(chat('sandbox-small', { n: 3 }));
    expect((body['choices'] as unknown[]).length).toBe(3);
    expect(contentOf(body, 1)).not.toBe(contentOf(body, 0));
    expect(contentOf(bodyOf(chat('sandbox-small', { stop: ' read' })))).toBe('[sandbox] sandbox-small');
    const limited = bodyOf(chat('sandbox-small', { max_tokens: 3 }));
    expect(contentOf(limited)).toBe('[sandbox] sa');
    expect(limited).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 3 },
    });
  });
});

describe('sandbox dials', () => {
  it('delays, slows down, lengthens and cuts a stream', () => {
    const response = chat('sandbox-small?latency=200&ttft=50&gap=5&chunks=20', { stream: true });
    expect(response.delayMs).toBe(200);
    const chunks = [...response.chunks];
    expect(chunks[0]?.waitMs).toBe(50);
    expect(chunks.slice(1).every(({ waitMs }) => waitMs === 5)).toBe(true);
    const events = eventsOf({ ...response, chunks });
    expect(events.filter(({ choices }) => choices[0]?.delta.content)).toHaveLength(20);
    expect(
      eventsOf(chat('sandbox-small?chunks=2', { stream: true })).filter(
        ({ choices }) => choices[0]?.delta.content,
      ),
    ).toHaveLength(2);

    const broken = chat('sandbox-small:cut=3&chunks=20', { stream: true });
    expect(broken.cut).toBe(true);
    const cutShort = { ...broken, chunks: [...broken.chunks] };
    expect(textOf(cutShort)).not.toContain('[DONE]');
    expect(eventsOf(cutShort).filter(({ choices }) => choices[0]?.delta.content)).toHaveLength(3);
    expect(chat('sandbox-small?cut=9999', { stream: true }).cut).toBe(false);
  });

  it('cuts a whole response in its middle', () => {
    const response = chat('sandbox-small?cut=0');
    expect(response.cut).toBe(true);
    expect(() => bodyOf(response)).toThrow(SyntaxError);
  });

  it('returns an error status in OpenAI’s format, after the latency', () => {
    const response = chat('sandbox-small?status=503&latency=7');
    expect(response).toMatchObject({ status: 503, delayMs: 7 });
    expect(sandbox.error(bodyOf(response))).toEqual({
      message: '[sandbox] Status 503 was requested.',
      type: 'server_error',
      code: 'sandbox',
    });
    expect(bodyOf(chat('sandbox-small?status=429'))).toMatchObject({ error: { type: 'rate_limit_error' } });
  });

  it('falsifies or omits usage', () => {
    const right = sandbox.usage(bodyOf(chat('sandbox-small')));
    expect(sandbox.usage(bodyOf(chat('sandbox-small?usage=wrong')))?.inputTokens).toBe(
      (right?.inputTokens ?? 0) * 10,
    );
    expect(bodyOf(chat('sandbox-small?usage=none'))).not.toHaveProperty('usage');
  });

  it('reads dials from the metadata and from the model name, which takes precedence', () => {
    expect(chat('sandbox-small', {}, { sandbox_latency: '30', team: 'blue' }).delayMs).toBe(30);
    expect(chat('sandbox-small?latency=10', {}, { sandbox_latency: '30' }).delayMs).toBe(10);
  });

  it.each(Object.entries(DIAL_BOUNDS))(
    'refuses the dial %s outside %p, with a 400 in OpenAI’s format',
    (dial, [min, max]) => {
      for (const value of [min - 1, max + 1, `${String(min)}.5`, 'x', '', '1e3']) {
        const response = chat(`sandbox-small?${dial}=${String(value)}`);
        expect(response.status).toBe(400);
        expect(bodyOf(response)).toMatchObject({ error: { type: 'invalid_request_error', param: 'model' } });
      }
      for (const value of [min, max])
        expect(chat(`sandbox-small?${dial}=${String(value)}`).status).not.toBe(404);
    },
  );

  it.each([
    'sandbox-small?speed=9',
    'sandbox-small?usage=maybe',
    'sandbox-small?__proto__=1',
    'sandbox-small?constructor=1',
  ])('refuses the model name %s', (model) => {
    expect(chat(model).status).toBe(400);
  });

  it('bounds a stream to 10,000 chunks and ten minutes', () => {
    expect(chat('sandbox-small?chunks=10000', { stream: true, n: 2 }).status).toBe(400);
    expect(chat('sandbox-small?chunks=10000&gap=100', { stream: true }).status).toBe(400);
    expect(chat('sandbox-small?chunks=10000', { stream: true }).status).toBe(200);
  });
});

describe('sandbox completions', () => {
  const complete = (body: JsonObject) => call('/v1/completions?x=1', { model: 'sandbox-small', ...body });

  it('returns the documented format, with 16 tokens when no limit is given', () => {
    const body = bodyOf(complete({ prompt: 'Once upon a time' }));
    expect(body).toMatchObject({
      object: 'text_completion',
      system_fingerprint: 'sandbox',
      choices: [{ index: 0, logprobs: null, finish_reason: 'length' }],
      usage: { prompt_tokens: 4, completion_tokens: 16, total_tokens: 20 },
    });
  });

  it.each([['a text'], [['two', 'texts']], [[1, 2, 3]], [[[1, 2], [3]]], [null], [undefined]])(
    'accepts the prompt %p',
    (prompt) => {
      const count = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? 2 : 1;
      expect((bodyOf(complete({ prompt, n: 2 }))['choices'] as unknown[]).length).toBe(count * 2);
    },
  );

  it('streams chunks with the same format and text as the whole response', () => {
    const request = { prompt: 'Once', n: 2, logprobs: 2, echo: true, max_tokens: 100 };
    const whole = bodyOf(complete(request))['choices'] as { text: string; logprobs: JsonObject }[];
    const events = eventsOf(complete({ ...request, stream: true }));
    for (const [index, choice] of whole.entries()) {
      const pieces = events.flatMap(({ choices }) => choices).filter((piece) => piece.index === index);
      expect(pieces.map(({ text }) => text).join('')).toBe(choice.text);
      expect(pieces.at(-1)?.finish_reason).toBe('stop');
      expect(choice.text.startsWith('Once[sandbox]')).toBe(true);
      expect((choice.logprobs['tokens'] as string[]).join('')).toBe(choice.text);
    }
    const [chunk] = events;
    expect(Object.keys(chunk ?? {}).sort()).toEqual([
      'choices',
      'created',
      'id',
      'model',
      'object',
      'system_fingerprint',
    ]);
  });

  it.each([
    { prompt: {} },
    { prompt: [] },
    { prompt: ['a', 1] },
    { n: 0 },
    { n: 129 },
    { logprobs: 6 },
    { stop: [1] },
    { max_tokens: -1 },
  ])('refuses the completion request %p', (body) => {
    expect(complete({ prompt: 'x', ...body }).status).toBe(400);
  });
});

describe('sandbox embeddings', () => {
  const embed = (body: JsonObject) => call('/embeddings', { model: 'sandbox-small', ...body });
  const vectors = (response: LocalResponse) =>
    (bodyOf(response)['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);

  it('returns unit vectors, equal for equal texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (input, dimensions) => {
        const [one = [], other = []] = vectors(embed({ input: [input, `${input}!`], dimensions }));
        expect(one).toHaveLength(dimensions);
        expect(Math.hypot(...one)).toBeCloseTo(1, 4);
        expect(vectors(embed({ input, dimensions }))[0]).toEqual(one);
        if (dimensions > 2) expect(other).not.toEqual(one);
      }),
      { numRuns: 50 },
    );
  });

  it('returns the same numbers as base64, which OpenAI’s own client requests', () => {
    const [numbers = []] = vectors(embed({ input: 'x', dimensions: 8 }));
    const [base64] = bodyOf(embed({ input: 'x', dimensions: 8, encoding_format: 'base64' }))['data'] as {
      embedding: string;
    }[];
    const bytes = Buffer.from(base64?.embedding ?? '', 'base64');
    expect(numbers.map((_, index) => bytes.readFloatLE(index * 4))).toEqual(numbers);
  });

  it.each([
    {},
    { input: [] },
    { input: 5 },
    { input: 'x', dimensions: 0 },
    { input: 'x', encoding_format: 'hex' },
    { input: Array(2_000).fill('x'), dimensions: 4_000 },
  ])('refuses the embeddings request %p', (body) => {
    expect(embed(body).status).toBe(400);
  });

  it('names the maximum of numbers when a response would have more', () => {
    const { error } = bodyOf(embed({ input: Array(2_000).fill('x'), dimensions: 4_000 }));
    expect(error).toMatchObject({ message: expect.stringContaining('more than 1000000 numbers') as string });
  });
});

describe('sandbox moderations', () => {
  it('returns the 11 documented categories and flags a text that requests it', () => {
    const response = bodyOf(call('/moderations', { input: 'I am [flag:violence]' }));
    expect(response).toMatchObject({ model: 'text-moderation-latest', results: [{ flagged: true }] });
    const [result] = response['results'] as { categories: JsonObject; category_scores: JsonObject }[];
    expect(Object.values(result?.categories ?? {}).map((value) => typeof value)).toEqual(
      Array(11).fill('boolean'),
    );
    expect(Object.values(result?.category_scores ?? {}).map((value) => typeof value)).toEqual(
      Array(11).fill('number'),
    );
    expect(result?.categories).toMatchObject({ violence: true, hate: false });
    expect(bodyOf(call('/moderations', { input: 'Hi', model: 'text-moderation-stable' }))).toMatchObject({
      results: [{ flagged: false }],
    });
    expect(call('/moderations', {}).status).toBe(400);
  });
});

describe('other sandbox routes', () => {
  it('lists the models', () => {
    expect(bodyOf(call('/models', '', {}, 'GET'))).toMatchObject({
      object: 'list',
      data: [{ id: 'sandbox-small' }, { id: 'sandbox-large' }],
    });
    expect(bodyOf(call('/v1/models/sandbox-large', '', {}, 'GET'))).toMatchObject({
      id: 'sandbox-large',
      owned_by: 'sandbox',
    });
    expect(call('/models/gpt-4o', '', {}, 'GET').status).toBe(404);
  });

  it.each([
    [404, '/responses', '{}', 'POST'],
    [404, '/chat/completions', '{}', 'DELETE'],
    [404, '/constructor', '{}', 'POST'],
    [400, '/chat/completions', '{', 'POST'],
    [400, '/chat/completions', '[]', 'POST'],
    [400, '/chat/completions', '{"messages":[]}', 'POST'],
    [400, '/chat/completions', '{"model":"sandbox-small","messages":[]}', 'POST'],
    [404, '/chat/completions', '{"model":"gpt-4o","messages":[{}]}', 'POST'],
  ])('responds with %p to %s with the body %s, in the OpenAI format', (status, path, body, method) => {
    const response = call(path, body, {}, method);
    expect(response.status).toBe(status);
    expect(sandbox.error(bodyOf(response))?.message).toMatch(/^\[sandbox\] /);
  });
});
