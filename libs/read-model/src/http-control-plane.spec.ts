import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { INTERNAL, type ControlPlaneEvent } from '@gw/contracts';
import { HttpControlPlane } from './http-control-plane';
import type { Subscription } from './ports';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

describe('HttpControlPlane', () => {
  let server: Server;
  let handler: Handler;
  let client: HttpControlPlane;
  let subscription: Subscription | null = null;

  beforeAll(async () => {
    server = createServer((req, res) => {
      handler(req, res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new HttpControlPlane({ adminUrl: `http://127.0.0.1:${String(port)}`, serviceToken: 'token' });
  });
  afterEach(() => {
    subscription?.close();
    subscription = null;
    server.closeAllConnections();
  });
  afterAll(() => {
    client.close();
    server.close();
  });

  const respond =
    (status: number, body: string): Handler =>
    (req, res) => {
      req.resume().on('end', () => res.writeHead(status).end(body));
    };
  const wanted = [
    { key: 'organisation:a', atLeast: 0 },
    { key: 'organisation:b', atLeast: 0 },
  ];

  /** Collects events until `done` returns true, and counts losses of the stream. */
  function follow(after: () => number | null, done: (events: ControlPlaneEvent[], lost: number) => boolean) {
    const events: ControlPlaneEvent[] = [];
    let lost = 0;
    return new Promise<{ events: ControlPlaneEvent[]; lost: number }>((resolve) => {
      const check = (): void => {
        if (done(events, lost)) resolve({ events, lost });
      };
      subscription = client.subscribe(after, {
        onEvent: (event) => {
          events.push(event);
          check();
        },
        onLost: () => {
          lost += 1;
          check();
        },
      });
    });
  }

  it('sends the service token, and reports a key missing from the response as not read', async () => {
    let token: string | undefined;
    handler = (req, res) => {
      token = req.headers.authorization;
      respond(200, JSON.stringify({ sequence: 7, documents: { 'organisation:a': null } }))(req, res);
    };
    expect([...(await client.read(wanted))]).toEqual([['organisation:a', { document: null, sequence: 7 }]]);
    expect(token).toBe('Bearer token');
  });

  it.each([
    ['an error status', respond(503, '{}')],
    ['a refused token', respond(401, '{}')],
    ['no JSON', respond(200, '<html>')],
    ['a cut connection', (req) => req.socket.destroy()],
  ] satisfies [string, Handler][])('rejects on %s', async (_name, bad) => {
    handler = bad;
    await expect(client.read(wanted)).rejects.toThrow();
  });

  it('gives up on a response that does not arrive', async () => {
    handler = () => undefined;
    await expect(client.read(wanted)).rejects.toThrow();
  });

  it('requests the events after the last seen one, at each connection', async () => {
    const urls: (string | undefined)[] = [];
    let seen: number | null = null;
    handler = (req, res) => {
      urls.push(req.url);
      res.writeHead(200).write('{"type":"heartbeat","sequence":5}\n');
      seen = 5;
      if (urls.length === 1) res.end();
    };
    const { lost } = await follow(
      () => seen,
      (events) => events.length === 2,
    );
    expect(urls).toEqual([INTERNAL.events, `${INTERNAL.events}?after=5`]);
    expect(lost).toBe(1);
  });

  it('assembles events that arrive in pieces', async () => {
    const line = '{"type":"change","sequence":6,"previous":5,"changed":["organisation:ä"],"removed":[]}\n';
    handler = (_req, res) => {
      res.writeHead(200);
      for (const byte of Buffer.from(line)) res.write(Buffer.from([byte]));
    };
    const { events } = await follow(
      () => 5,
      (all) => all.length === 1,
    );
    expect(events).toEqual([JSON.parse(line)]);
  });

  it.each(['nonsense', '{"type":"change","sequence":1}', '{"type":"heartbeat"}', 'null'])(
    'treats the stream as lost at a line that is not an event: %s',
    async (line) => {
      handler = (_req, res) => {
        res.writeHead(200).write(`${line}\n`);
      };
      const { events } = await follow(
        () => null,
        (_all, lost) => lost === 1,
      );
      expect(events).toEqual([]);
    },
  );

  it('reconnects repeatedly, with growing pauses', async () => {
    const times: number[] = [];
    handler = (_req, res) => {
      times.push(performance.now());
      res.writeHead(503).end();
    };
    await follow(
      () => null,
      (_events, lost) => lost === 5,
    );
    const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    // At least half of 50, 100, 200 and 400 ms; a timer may fire a millisecond early.
    for (const [i, least] of [25, 50, 100, 200].entries()) expect(pauses[i]).toBeGreaterThan(least - 2);
    expect(times).toHaveLength(5);
  });
});
