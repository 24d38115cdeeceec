import {
  closedAfterEach,
  eventsOf,
  failureOf,
  json,
  result,
  until,
  type Answer,
  type Received,
} from './spec-support/fixture';

const { serve, upstream } = closedAfterEach();

interface ByHand {
  readonly answer: Answer;
  /** Waiting tool calls, each with a function that completes it. */
  readonly waiting: { readonly received: Received; readonly end: (status?: number) => void }[];
  /** Ids of open sessions. */
  readonly open: Set<string>;
}

/** Returns a legacy server with sessions whose tool calls the test completes. */
function byHand({ refusesInitialized = false } = {}): ByHand {
  const open = new Set<string>();
  const waiting: ByHand['waiting'] = [];
  let count = 0;
  return {
    ...{ open, waiting },
    answer: (received, res) => {
      const id = String(received.headers['mcp-session-id'] ?? '');
      if (received.verb === 'DELETE') {
        open.delete(id);
        res.writeHead(204).end();
      } else if (received.method === 'initialize') {
        const made = `session-${String((count += 1))}`;
        open.add(made);
        const facts = { protocolVersion: '2025-06-18', capabilities: { logging: {} } };
        json(res, result(received, facts), 200, { 'mcp-session-id': made });
      } else if (received.method === 'notifications/initialized')
        res.writeHead(refusesInitialized ? 500 : 202).end();
      else if (received.method === 'tools/call')
        waiting.push({
          received,
          end: (status = 200) => json(res, result(received, { content: [] }), status),
        });
      else json(res, result(received, {}));
    },
  };
}

describe('session of McpUpstream', () => {
  it('ends with the last call in flight if that call opened it again after close', async () => {
    const { answer, waiting, open } = byHand();
    const client = upstream((await serve(answer)).url, { protocol: 'legacy' });
    const call = eventsOf(client.call({ name: 'a' }));
    await until(() => waiting.length === 1);
    await client.close();
    expect([...open]).toEqual([]);
    waiting[0]?.end(404);
    await until(() => waiting.length === 2);
    expect([...open]).toEqual(['session-2']);
    waiting[1]?.end();
    expect(await call).toHaveLength(1);
    await until(() => open.size === 0);
  });

  it('is not opened by calls after close', async () => {
    const server = await serve(byHand().answer);
    const client = upstream(server.url, { protocol: 'legacy' });
    await client.close();
    for (const begin of [
      async () => client.connect(),
      () => client.describe(),
      () => client.request('tools/list', {}),
      () => client.listen({}).next(),
    ])
      expect(await failureOf(begin())).toMatchObject({ kind: 'closed', mayHaveExecuted: false });
    expect(server.received).toEqual([]);
  });

  it('ends when the upstream was closed while it opened and no call waits for it', async () => {
    const { answer, open } = byHand();
    let isHeld = true;
    const server = await serve(async (received, res, req) => {
      if (received.method === 'notifications/initialized') await until(() => !isHeld);
      await answer(received, res, req);
    });
    const client = upstream(server.url, { protocol: 'legacy' });
    const abort = new AbortController();
    const failure = failureOf(eventsOf(client.call({ name: 'a' }, { signal: abort.signal })));
    await until(() => server.log().includes('notifications/initialized'));
    abort.abort();
    expect(await failure).toMatchObject({ kind: 'cancelled' });
    const closing = client.close();
    isHeld = false;
    await closing;
    expect([...open]).toEqual([]);
  });

  it('ends when the server refuses notifications/initialized', async () => {
    const { answer, open } = byHand({ refusesInitialized: true });
    const server = await serve(answer);
    const client = upstream(server.url, { protocol: 'legacy' });
    expect(await failureOf(eventsOf(client.call({ name: 'a' })))).toMatchObject({ status: 500 });
    await until(() => server.log().includes('DELETE') && open.size === 0);
  });

  it('gets its log level from a later call if an earlier one could not send it', async () => {
    const { answer, waiting } = byHand();
    const server = await serve(answer);
    const client = upstream(server.url, { protocol: 'legacy' });
    const options = { sessionLogLevel: 'debug' } as const;
    const many = Array.from({ length: 10 }, () => eventsOf(client.call({ name: 'a' })));
    await until(() => waiting.length === 10);
    expect(await failureOf(eventsOf(client.call({ name: 'b' }, options)))).toMatchObject({ kind: 'busy' });
    for (const { end } of waiting.splice(0)) end();
    await Promise.all(many);
    for (const _ of [1, 2]) {
      const call = eventsOf(client.call({ name: 'b' }, options));
      await until(() => waiting.length === 1);
      waiting.pop()?.end();
      await call;
    }
    expect(server.log().filter((method) => method === 'logging/setLevel')).toHaveLength(1);
  });
});
