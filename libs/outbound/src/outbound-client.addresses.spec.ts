import { createServer as createHttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { readCases } from '@gw/testing';
import { createAddressPolicy } from '@gw/kernel';
import type { LookupAll } from './connector';
import type { OutboundClient } from './outbound-client';
import { CERTIFICATE, PRIVATE_KEY } from './spec-support/certificate';
import { clientWith, httpServer, listen, requestTo, run, type Loopback } from './spec-support/loopback';
import { OutboundError } from './types';
import type * as PublicNetwork from './spec-support/public-network';
import { lookupOf, routes, type DnsReply } from './spec-support/public-network';

jest.mock('node:net', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedNet(jest.requireActual('node:net')),
);
jest.mock('node:tls', () =>
  jest
    .requireActual<typeof PublicNetwork>('./spec-support/public-network')
    .routedTls(jest.requireActual('node:tls')),
);

interface DnsCase {
  readonly id: string;
  readonly host: string;
  readonly answers: readonly DnsReply[];
  readonly expect: 'accept' | 'reject';
  readonly reason: string;
}

const { dns } = readCases('ssrf_network.json') as { dns: DnsCase[] };

const nothingTrusted = createAddressPolicy({ trustedHosts: [] });
let server: Loopback;
let outbound: OutboundClient | undefined;

beforeAll(async () => {
  // Each response closes its connection, so that each call resolves the name again.
  server = await httpServer((_req, res) => void res.setHeader('connection', 'close').end('ok'));
});
beforeEach(() => {
  Object.assign(routes, { port: server.port, tried: [] });
});
afterEach(() => outbound?.close());
afterAll(() => server.close());

describe('OutboundClient addresses', () => {
  it.each(dns.map((entry) => [entry.id, entry.reason, entry] as const))(
    '%s: %s [ERR-09] [REL-04]',
    async (_id, _reason, entry) => {
      outbound = clientWith({ policy: nothingTrusted, lookup: lookupOf({ [entry.host]: entry.answers }) });
      // A slow name server replies later than a test may take; no other case reaches a timeout.
      const isSlow = entry.answers.some((response) => 'delay_ms' in response);
      const seen: (number | string)[] = [];
      for (let call = 0; call < entry.answers.length; call += 1) {
        const limits = isSlow ? { connectTimeoutMs: 150 } : {};
        const got = await run(outbound, requestTo(`http://${entry.host}`, limits));
        seen.push(got.error ? got.error.failure : got.status);
      }
      if (entry.expect === 'accept') expect(seen).toEqual(entry.answers.map(() => 200));
      else expect(seen).toContainEqual(expect.stringMatching(/refused|unreachable|timeout/));
      for (const address of routes.tried) expect(address).toMatch(/^93\./);
    },
  );

  it('refuses the whole name when one of its addresses is forbidden [ERR-09]', async () => {
    const lookup = lookupOf({ 'mixed.example.org': [['93.184.215.14', '10.0.0.5']] });
    outbound = clientWith({ policy: nothingTrusted, lookup });
    const got = await run(outbound, requestTo('http://mixed.example.org'));
    expect(got.error).toMatchObject({ failure: 'refused' });
    expect(got.error?.message).not.toContain('10.0.0.5');
    expect(routes.tried).toEqual([]);
  });

  it('opens a socket for the caller under the same policy, and aborts at once [ERR-09]', async () => {
    const zone = { 'inner.example.org': [['10.0.0.5']], 'llm.example.org': [['93.184.215.14']] };
    outbound = clientWith({ policy: nothingTrusted, lookup: lookupOf(zone) });
    const giveUp = new AbortController();
    const llm = { origin: 'http://llm.example.org', poolClass: '' };
    for (const origin of ['http://inner.example.org', 'http://127.0.0.1:1', 'http://llm.example.org/path'])
      await expect(outbound.openSocket({ origin, poolClass: '' }, giveUp.signal)).rejects.toMatchObject({
        failure: 'refused',
      });
    expect(routes.tried).toEqual([]);
    const socket = await outbound.openSocket(llm, giveUp.signal);
    expect(routes.tried).toEqual(['93.184.215.14']);
    socket.destroy();
    const reason = new OutboundError('timeout', 'Too slow.', 'connect');
    const late = outbound.openSocket(llm, giveUp.signal);
    giveUp.abort(reason);
    await expect(late).rejects.toBe(reason);
    outbound.close();
    await expect(outbound.openSocket(llm, giveUp.signal)).rejects.toMatchObject({
      failure: 'stopped',
    });
  });

  describe('when one owner of calls looks up the same name as another one', () => {
    const origin = 'http://llm.example.org';
    const owners: (string | undefined)[] = [];
    beforeEach(() => {
      owners.length = 0;
      const found = lookupOf({ 'llm.example.org': [['93.184.215.14']] });
      const lookup: LookupAll = (host, options, callback, owner) => {
        owners.push(owner);
        if (owner !== 'waiting') found(host, options, callback);
      };
      outbound = clientWith({ policy: nothingTrusted, lookup });
    });

    it('does not make an owner wait for the lookups of another one', async () => {
      const client = outbound as OutboundClient;
      const calls = ['waiting', 'waiting', 'other'].map((poolClass) =>
        run(client, requestTo(origin, { poolClass })),
      );
      expect(await calls[2]).toMatchObject({ status: 200, error: null });
      const opening = new AbortController().signal;
      const socket = await client.openSocket({ origin, poolClass: 'another' }, opening);
      socket.destroy();
      expect(owners).toEqual(['waiting', 'other', 'another']);
      client.close();
      await Promise.all(calls);
    });
  });

  it('looks a name up again when the resolver has failed at once', async () => {
    const found = lookupOf({ 'llm.example.org': [['93.184.215.14']] });
    let lookups = 0;
    const lookup: LookupAll = (host, options, callback) => {
      lookups += 1;
      if (lookups === 1) throw new Error('no resolver');
      found(host, options, callback);
    };
    outbound = clientWith({ policy: nothingTrusted, lookup });
    expect((await run(outbound, requestTo('http://llm.example.org'))).error?.failure).toBe('unreachable');
    expect((await run(outbound, requestTo('http://llm.example.org'))).status).toBe(200);
  });

  it.each([
    'http://10.0.0.1',
    'http://[::1]:8000',
    'http://0x7f.1',
    'http://169.254.169.254',
    'http://metadata.google.internal',
    'http://llm.example.org:6379',
    'http://user:secret@llm.example.org',
    'http://llm.example.org/path',
    'ftp://llm.example.org',
    'nonsense',
  ])('refuses %s without a DNS lookup or a connection [ERR-09]', async (origin) => {
    outbound = clientWith({
      policy: nothingTrusted,
      lookup: () => {
        throw new Error('looked up');
      },
    });
    const got = await run(outbound, requestTo(origin));
    expect(got.error).toMatchObject({ failure: 'refused' });
    expect(got.error?.message).not.toContain('secret');
    expect(routes.tried).toEqual([]);
  });

  it('reaches an internal address when TRUSTED_CUSTOM_HOSTS contains the host [ERR-09]', async () => {
    const lookup = lookupOf({ 'llm.internal': [['10.0.0.5']], 'llm.example.org': [['10.0.0.5']] });
    outbound = clientWith({ policy: createAddressPolicy({ trustedHosts: ['llm.internal'] }), lookup });
    expect(await run(outbound, requestTo('http://llm.internal'))).toMatchObject({ status: 200, error: null });
    expect(routes.tried).toEqual(['10.0.0.5']);
    expect((await run(outbound, requestTo('http://llm.example.org'))).error).toMatchObject({
      failure: 'refused',
    });
  });

  it('attempts at most eight of many addresses', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `93.184.${String(index)}.1`);
    outbound = clientWith({ policy: nothingTrusted, lookup: lookupOf({ 'many.example.org': [many] }) });
    expect(await run(outbound, requestTo('http://many.example.org'))).toMatchObject({ status: 200 });
    expect(routes.tried).toEqual(many.slice(0, 8));
  });
});

describe('OutboundClient TLS', () => {
  let secure: Loopback;
  const names: (string | false | undefined)[] = [];
  const resumed: boolean[] = [];

  beforeAll(async () => {
    const https = createHttpsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (req, res) => {
      const socket = req.socket as TLSSocket;
      names.push((socket as unknown as { servername: string | false }).servername);
      resumed.push(socket.isSessionReused());
      res.setHeader('connection', 'close').end('ok');
    });
    secure = await listen(https, 'https');
  });
  beforeEach(() => {
    names.length = 0;
    resumed.length = 0;
    routes.port = secure.port;
  });
  afterAll(() => secure.close());

  it('sends the host name to the pinned address, checks the certificate and resumes the session', async () => {
    const zone = { 'llm.example.org': [['93.184.215.14']], 'wrong.example.org': [['93.184.215.14']] };
    outbound = clientWith({ policy: nothingTrusted, lookup: lookupOf(zone) });
    for (const round of [1, 2]) {
      const got = await run(outbound, requestTo('https://llm.example.org', { path: `/${String(round)}` }));
      expect(got).toMatchObject({ status: 200, error: null });
    }
    expect(names).toEqual(['llm.example.org', 'llm.example.org']);
    expect(resumed).toEqual([false, true]);
    expect(routes.tried).toEqual(['93.184.215.14', '93.184.215.14']);
    const wrong = await run(outbound, requestTo('https://wrong.example.org'));
    expect(wrong.error).toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ALTNAME'),
    });
  });

  it('checks the certificate of a literal address against the address', async () => {
    outbound = clientWith();
    expect(await run(outbound, requestTo(secure.origin))).toMatchObject({ status: 200, error: null });
    expect(names).toEqual([false]);
  });

  it('fails as unreachable when the port does not speak TLS', async () => {
    routes.port = server.port;
    outbound = clientWith();
    const got = await run(outbound, requestTo(`https://127.0.0.1:${String(server.port)}`));
    expect(got.error).toMatchObject({ failure: 'unreachable' });
  });
});
