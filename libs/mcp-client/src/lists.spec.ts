import { closedAfterEach, failureOf, json, result, type Received } from './spec-support/fixture';
import { modernServer } from './spec-support/modern-server';

const { serve, upstream } = closedAfterEach();
const paramsOf = (received: Received) => received.message['params'] as Readonly<Record<string, unknown>>;

/** Starts an upstream whose response to tools/list depends on the cursor of the request. */
async function lister(page: (cursor: unknown, count: number) => unknown, timeouts = {}) {
  let count = 0;
  const server = await serve(
    modernServer({
      'tools/list': (received, res) => {
        count += 1;
        const value = page(paramsOf(received)['cursor'], count);
        if (value !== undefined) json(res, result(received, value));
      },
    }),
  );
  return { server, client: upstream(server.url, { protocol: 'modern', timeouts }) };
}
const tools = (length: number, prefix = 't') =>
  Array.from({ length }, (_, index) => ({ name: `${prefix}${String(index)}` }));

describe('McpUpstream.list', () => {
  it('follows cursors, and keeps the shortest time to live', async () => {
    const { server, client } = await lister((cursor) =>
      cursor === undefined
        ? { tools: tools(2), nextCursor: 'next', ttlMs: 5_000 }
        : { tools: tools(1, 'u'), ttlMs: 3_000 },
    );
    expect(await client.list('tools')).toEqual({
      items: [{ name: 't0' }, { name: 't1' }, { name: 'u0' }],
      ...{ isCut: false, invalidCount: 0, ttlMs: 3_000 },
    });
    expect(server.received.map((received) => paramsOf(received)['cursor'])).toEqual([undefined, 'next']);
  });

  it('leaves out items without a name, and counts them', async () => {
    const { client } = await lister(() => ({ tools: [null, {}, { name: 1 }, 'a', { name: 'ok' }] }));
    expect(await client.list('tools')).toMatchObject({ items: [{ name: 'ok' }], invalidCount: 4 });
  });

  it('stops at a repeated cursor', async () => {
    const { server, client } = await lister(() => ({ tools: tools(1), nextCursor: 'same' }));
    expect(await client.list('tools')).toMatchObject({ isCut: true });
    expect(server.received).toHaveLength(2);
  });

  it('stops after 100 pages and after 5,000 items', async () => {
    const pages = await lister((_, count) => ({ tools: [], nextCursor: String(count) }));
    expect(await pages.client.list('tools')).toMatchObject({ isCut: true, items: [] });
    expect(pages.server.received).toHaveLength(100);
    const items = await lister((_, count) => ({ tools: tools(3_000), nextCursor: String(count) }));
    const list = await items.client.list('tools');
    expect([list.isCut, list.items.length]).toEqual([true, 5_000]);
  });

  it('refuses a list of more than 32 MiB in total', async () => {
    const description = 'x'.repeat(7_000_000);
    const { client } = await lister((_, count) => ({
      tools: [{ name: 'a', description }],
      nextCursor: String(count),
    }));
    expect(await failureOf(client.list('tools'))).toMatchObject({ kind: 'too_large' });
  });

  it('limits the time of all pages together', async () => {
    const { client } = await lister(
      (_, count) => (count < 3 ? { tools: [], nextCursor: String(count) } : undefined),
      { listMs: 300 },
    );
    expect(await failureOf(client.list('tools'))).toMatchObject({ kind: 'timeout', phase: 'total' });
  });

  it('returns an empty list for a server that does not support it', async () => {
    const { client } = await lister(() => ({}));
    expect(await client.list('prompts')).toEqual({ items: [], isCut: false, invalidCount: 0, ttlMs: null });
  });
});
