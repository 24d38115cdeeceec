import { NEW_RUN, sendRun, TEXT_MAX, tokensPerSecond, type Run } from '.';

const KEY = {
  object: 'playground-key',
  key: 'pat_secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  base_url: 'http://gateway.test/v1',
};
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\n`;
const HEADERS = {
  'content-type': 'text/event-stream',
  'x-gw-request-id': 'r-1',
  'x-gw-retry-attempt-count': '1',
  'x-gw-decision': '{"attempts":[{},{}]}',
};

function streamOf(parts: readonly string[], isOpen = false): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      if (!isOpen) controller.close();
    },
  });
}

describe('sendRun', () => {
  let workspace = 0;
  let sent: Request[] = [];
  const answer = (respond: (request: Request) => Response | Promise<Response>): void => {
    sent = [];
    globalThis.fetch = (input) => {
      const request = input as Request;
      sent.push(request);
      return Promise.resolve(
        request.url.endsWith('/v1/auth/playground-key') ? Response.json(KEY) : respond(request),
      );
    };
  };
  const run = (signal = new AbortController().signal, onChange: (run: Run) => void = () => undefined) =>
    sendRun(
      {
        workspaceId: `w-${String((workspace += 1))}`,
        api: 'chat',
        headers: { 'x-gw-provider': '@sandbox' },
        body: { model: 'm', stream: true },
      },
      signal,
      onChange,
    );

  it('joins the text of a stream, and reads usage, retries and the decision', async () => {
    answer(
      () =>
        new Response(streamOf([chunk('Hel'), chunk('lo'), USAGE, 'data: [DONE]\n\n']), { headers: HEADERS }),
    );
    const done = await run();
    expect(done).toMatchObject({
      ...{ status: 'done', httpStatus: 200, requestId: 'r-1', text: 'Hello' },
      ...{ inputTokens: 3, outputTokens: 2, retries: 1, decision: { attempts: [{}, {}] }, problem: null },
    });
    expect(done.firstTokenMs).not.toBeNull();
    const [, request] = sent;
    expect(request?.url).toBe('http://gateway.test/v1/chat/completions');
    expect(request?.headers.get('x-gw-api-key')).toBe('pat_secret');
    expect(request?.headers.get('x-gw-explain')).toBe('1');
    expect(request?.credentials).toBe('omit');
    expect(request?.redirect).toBe('error');
  });

  it('requests one key for all requests of a workspace, and a new one after a 401', async () => {
    answer((request) => {
      if (request.headers.get('x-gw-provider') === '@refused')
        return Response.json({ error: { type: 'unauthenticated', message: 'No.' } }, { status: 401 });
      return Response.json({ choices: [{ message: { content: 'Hi' } }] });
    });
    const send = (provider: string) =>
      sendRun(
        { workspaceId: 'shared', api: 'chat', headers: { 'x-gw-provider': provider }, body: {} },
        new AbortController().signal,
        () => undefined,
      );
    const keys = (): number => sent.filter(({ url }) => url.endsWith('playground-key')).length;
    const answers = await Promise.all([send('@a'), send('@b')]);
    expect(answers.map(({ text }) => text)).toEqual(['Hi', 'Hi']);
    expect(keys()).toBe(1);
    expect((await send('@refused')).problem?.status).toBe(401);
    await send('@a');
    expect(keys()).toBe(2);
  });

  it('keeps a key for its time by the clock of the server', async () => {
    const behind = Date.now() - 3_600_000;
    const key = { ...KEY, expires_at: new Date(behind + 900_000).toISOString() };
    let keys = 0;
    globalThis.fetch = (input) => {
      if (!(input as Request).url.endsWith('playground-key'))
        return Promise.resolve(Response.json({ choices: [] }));
      keys += 1;
      return Promise.resolve(Response.json(key, { headers: { date: new Date(behind).toUTCString() } }));
    };
    for (let times = 0; times < 3; times += 1)
      await sendRun(
        { workspaceId: 'clock', api: 'chat', headers: {}, body: {} },
        new AbortController().signal,
        () => undefined,
      );
    expect(keys).toBe(1);
  });

  it('keeps request and response as sent and received, without the key', async () => {
    const parts = [chunk('Hé'), USAGE, 'data: [DONE]\n\n'];
    answer(() => new Response(streamOf(parts), { headers: HEADERS }));
    const { httpMessages } = await run();
    expect(httpMessages).toMatchObject({
      ...{ method: 'POST', url: 'http://gateway.test/v1/chat/completions', isText: true },
      ...{ sent: '{"model":"m","stream":true}', received: parts.join('') },
      bytes: new TextEncoder().encode(parts.join('')).length,
    });
    expect(httpMessages?.sentHeaders.get('x-gw-provider')).toBe('@sandbox');
    expect(httpMessages?.sentHeaders.has('x-gw-api-key')).toBe(false);
    expect(httpMessages?.receivedHeaders?.get('x-gw-request-id')).toBe('r-1');
    answer(() => Response.json({ error: { type: 'x', message: 'No.' } }, { status: 400 }));
    expect((await run()).httpMessages?.received).toBe('{"error":{"type":"x","message":"No."}}');
  });

  it('sends any gateway path as raw, keeps binary responses, and calls no other address', async () => {
    const call = (path: string, method = 'GET') =>
      sendRun(
        { workspaceId: 'raw', api: 'raw', headers: {}, body: null, method, path },
        new AbortController().signal,
        () => undefined,
      );
    const bytes = new Uint8Array([255, 0, 1]);
    answer(() => new Response(bytes, { headers: { 'content-type': 'audio/mpeg' } }));
    expect((await call('/files?limit=1')).httpMessages).toMatchObject({
      received: '/wAB',
      isText: false,
      bytes: 3,
    });
    expect([sent.at(-1)?.method, sent.at(-1)?.url]).toEqual(['GET', 'http://gateway.test/v1/files?limit=1']);
    const before = sent.length;
    for (const path of ['/../admin', 'files', '@evil.test/'])
      expect(await call(path)).toMatchObject({ status: 'failed', httpMessages: null });
    expect(sent.length).toBe(before);
  });

  it('keeps a long response with images whole, and says when it has cut a text', async () => {
    const images = { data: [{ b64_json: 'A'.repeat(TEXT_MAX) }] };
    answer(() => Response.json(images));
    const { httpMessages } = await sendRun(
      { workspaceId: 'images', api: 'images', headers: {}, body: {} },
      new AbortController().signal,
      () => undefined,
    );
    expect(JSON.parse(httpMessages?.received ?? '')).toEqual(images);
    expect(httpMessages?.isCut).toBe(false);
    answer(() => Response.json({ choices: [{ message: { content: 'A'.repeat(TEXT_MAX + 1) } }] }));
    const whole = await run();
    expect([whole.isCut, whole.httpMessages?.isCut, whole.httpMessages?.received.length]).toEqual([
      ...[true, true, TEXT_MAX],
    ]);
    const parts = [chunk('A'.repeat(TEXT_MAX - 10)), chunk('B')];
    answer(() => new Response(streamOf(parts), { headers: HEADERS }));
    const streamed = await run();
    expect([streamed.isCut, streamed.httpMessages?.isCut]).toEqual([false, true]);
  });

  it('fails with the error of the gateway, of a stream, or of the network', async () => {
    answer(() =>
      Response.json({ error: { type: 'rate_limit_exceeded', message: 'Too many.' } }, { status: 429 }),
    );
    expect(await run()).toMatchObject({
      status: 'failed',
      httpStatus: 429,
      problem: { message: 'Too many.' },
    });
    answer(
      () =>
        new Response(streamOf([chunk('Hel'), 'data: {"error":{"message":"Cut."}}\n\n']), {
          headers: HEADERS,
        }),
    );
    expect(await run()).toMatchObject({ status: 'failed', text: 'Hel', problem: { message: 'Cut.' } });
    answer(() => Promise.reject(new TypeError('fetch failed')));
    expect(await run()).toMatchObject({
      ...{ status: 'failed', httpStatus: null },
      problem: { status: 0, message: expect.stringMatching(/^The gateway at http.* did not answer/) },
    });
    const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) });
    answer(() => new Response(broken, { headers: HEADERS }));
    expect(await run()).toMatchObject({
      ...{ status: 'failed', httpStatus: 200 },
      problem: { type: 'network_failed', message: expect.stringMatching(/broke off/) },
    });
  });

  it('cancels a stream that continues after an error', async () => {
    const cancelled = jest.fn();
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('data: {"error":{"message":"Cut."}}\n\n')),
      cancel: cancelled,
    });
    answer(() => new Response(body, { headers: HEADERS }));
    expect(await run()).toMatchObject({ status: 'failed', problem: { message: 'Cut.' } });
    expect(cancelled).toHaveBeenCalled();
  });

  it('fails at an event without an end instead of keeping all of it', async () => {
    const piece = new TextEncoder().encode('a'.repeat(4 * 1024 * 1024));
    let pieces = 0;
    const body = new ReadableStream({
      pull: (stream) => {
        pieces += 1;
        if (pieces > 20) stream.close();
        else stream.enqueue(piece);
      },
    });
    answer(() => new Response(body, { headers: HEADERS }));
    expect(await run()).toMatchObject({ status: 'failed', problem: { type: 'stream_failed' } });
    expect(pieces).toBeLessThan(20);
  });

  it('stops on abort and keeps the received text', async () => {
    const stopper = new AbortController();
    answer(({ signal }) => {
      const body = streamOf([chunk('Hel')], true);
      return new Response(body.pipeThrough(new TransformStream(), { signal, preventCancel: true }), {
        headers: HEADERS,
      });
    });
    const states: Run[] = [];
    const stopped = await run(stopper.signal, (state) => {
      states.push(state);
      if (state.text === 'Hel') stopper.abort();
    });
    expect(stopped).toMatchObject({ status: 'stopped', text: 'Hel', problem: null });
    expect(states.at(-1)).toBe(stopped);
  });
});

describe('tokensPerSecond', () => {
  it('measures from the first token on, and returns null for a response that is too short', () => {
    expect(tokensPerSecond({ ...NEW_RUN, outputTokens: 30, firstTokenMs: 500, tookMs: 2_000 })).toBe(20);
    expect(tokensPerSecond({ ...NEW_RUN, outputTokens: 30, firstTokenMs: 500, tookMs: 510 })).toBeNull();
    expect(tokensPerSecond(NEW_RUN)).toBeNull();
  });
});
