import { closedAfterEach, rawServer, requestTo, start, until, type Running } from './spec-support/loopback';

const { serve, client } = closedAfterEach();
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server that responds to a request when `answer` is called with its path. */
async function held() {
  const open: { path: string; respond: () => void }[] = [];
  const server = await serve(
    rawServer((socket, _count, head) => {
      open.push({ path: head.split(' ')[1] ?? '', respond: () => socket.write(OK) });
    }),
  );
  const count = (path: string): number => open.filter((each) => each.path === path).length;
  const respond = (path: string): void => {
    const at = open.findIndex((each) => each.path === path);
    open.splice(at, 1)[0]?.respond();
  };
  return { server, count, answer: respond };
}

describe('ConnectionPool: shares of holders', () => {
  it('leaves half of the connections to other holders, however many calls one holder starts', async () => {
    const { server, count, answer: response } = await held();
    const outbound = client({ maxConnectionsPerOrigin: 8, maxWaitingPerOrigin: 32 });
    const calls = (holder: string, number: number): Running[] =>
      Array.from({ length: number }, () =>
        start(outbound, requestTo(server.origin, { holder, path: `/${holder}` })),
      );
    const hung = calls('hangs', 24);
    await until(() => count('/hangs') === 4);
    expect(outbound.stats()).toMatchObject({ connections: 4, waiting: 16, calls: 20 });
    expect((await Promise.all(hung.slice(20).map((call) => call.outcome))).map(({ error }) => error)).toEqual(
      Array(4).fill(expect.objectContaining({ reason: 'connections_exhausted' })),
    );
    const [first, second] = calls('works', 2);
    await until(() => count('/works') === 2);
    response('/works');
    response('/works');
    const done = await Promise.all([first?.outcome, second?.outcome]);
    expect([done.map((each) => each?.status), count('/hangs')]).toEqual([[200, 200], 4]);
    for (const call of hung) call.abort();
    await Promise.all(hung.map((call) => call.outcome));
    await until(() => outbound.stats().calls === 0);
  });

  it('starts waiting calls of holders in rotation, and frees their connections however calls end', async () => {
    const { server, count, answer: response } = await held();
    const outbound = client({ maxConnectionsPerOrigin: 4, maxWaitingPerOrigin: 100 });
    const order = ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c'];
    const calls = order.map((holder) =>
      start(outbound, requestTo(server.origin, { holder, path: `/${holder}` })),
    );
    await until(() => count('/a') === 2 && count('/b') === 1);
    expect(outbound.stats().waiting).toBe(4);
    calls[2]?.abort();
    calls[0]?.abort();
    await until(() => {
      for (const path of ['/c', '/b', '/a']) response(path);
      return outbound.stats().calls === 0;
    });
    const outcomes = await Promise.all(calls.map((call) => call.outcome));
    expect(outcomes.map(({ status, error }) => error?.failure ?? status)).toEqual([
      'aborted',
      200,
      'aborted',
      200,
      200,
      200,
      200,
      200,
    ]);
    const again = ['a', 'a'].map((holder) =>
      start(outbound, requestTo(server.origin, { holder, path: `/${holder}` })),
    );
    await until(() => count('/a') === 2);
    expect(outbound.stats().waiting).toBe(0);
    for (const call of again) call.abort();
    await until(() => outbound.stats().calls === 0);
  });
});
