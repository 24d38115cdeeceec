import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LookupAll } from './connector';
import { NameResolver, type NameResolverOptions } from './name-resolver';

/**
 * An address with its TTL, no reply at all, or a response code: 3 for a name that does not exist, 2
 * for a failure.
 */
type Reply = readonly [address: string, ttl: number] | 'silence' | 2 | 3;

const A = 1;
const LIVES_S = 60;

/** A name server on loopback. */
class NameServer {
  readonly queries: string[] = [];
  readonly replies = new Map<string, Reply>();
  private readonly socket: Socket = createSocket('udp4');

  async start(): Promise<string> {
    this.socket.on('message', (query, { port, address }) => {
      const response = this.respond(query);
      if (response) this.socket.send(response, port, address);
    });
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
    return `127.0.0.1:${String(this.socket.address().port)}`;
  }

  stop(): void {
    this.socket.close();
  }

  countOf(name: string): number {
    return this.queries.filter((query) => query === name).length;
  }

  private respond(query: Buffer): Buffer | null {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const [name, type] = [labels.join('.').toLowerCase(), query.readUInt16BE(at + 1)];
    if (type === A) this.queries.push(name);
    const reply = this.replies.get(name) ?? 3;
    if (reply === 'silence') return null;
    const head = Buffer.from(query.subarray(0, at + 5));
    const isAddress = typeof reply !== 'number' && type === A;
    head.writeUInt16BE(0x8180 | (typeof reply === 'number' ? reply : 0), 2);
    head.writeUInt16BE(isAddress ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    if (!isAddress) return head;
    const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...reply[0].split('.').map(Number)]);
    record.writeUInt32BE(reply[1], 6);
    return Buffer.concat([head, record]);
  }
}

describe('NameResolver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  let server: NameServer;
  let address: string;
  let now: number;
  let bySystem: string[];
  let resolvers: NameResolver[];

  beforeEach(async () => {
    server = new NameServer();
    address = await server.start();
    now = 0;
    bySystem = [];
    resolvers = [];
    writeFileSync(join(folder, 'hosts'), '127.0.0.9 listed.example other # comment\n::1 listed.example\n');
    writeFileSync(
      join(folder, 'resolv.conf'),
      'search svc.cluster.test cluster.test\noptions ndots:3 timeout:1\n',
    );
  });
  afterEach(() => {
    for (const resolver of resolvers) resolver.close();
    server.stop();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const system: LookupAll = (name, _options, callback) => {
    bySystem.push(name);
    if (name === 'by-system' || name === 'known.to.system')
      callback(null, [{ address: '10.0.0.1', family: 4 }]);
    else callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  };
  const resolverOf = (over: NameResolverOptions = {}): NameResolver => {
    const resolver = new NameResolver({
      servers: [address],
      hostsFile: join(folder, 'hosts'),
      resolvFile: join(folder, 'resolv.conf'),
      system,
      timeoutMs: 5_000,
      now: () => now,
      ...over,
    });
    resolvers.push(resolver);
    return resolver;
  };
  const find = (resolver: NameResolver, name: string, owner?: string): Promise<string[] | string> =>
    new Promise((resolve) => {
      resolver.lookup(
        name,
        {},
        (error, addresses: LookupAddress[]) => {
          resolve(error ? (error.code ?? '') : addresses.map((found) => found.address));
        },
        owner,
      );
    });

  it('resolves a name while many others get no reply', async () => {
    const resolver = resolverOf({ timeoutMs: 5_000 });
    server.replies.set('api.provider.example.com', ['192.0.2.1', LIVES_S]);
    for (let index = 0; index < 24; index += 1) {
      const dead = `dead-${String(index)}.attacker.example.com`;
      server.replies.set(dead, 'silence');
      void find(resolver, dead);
    }
    expect(await find(resolver, 'api.provider.example.com')).toEqual(['192.0.2.1']);
  });

  it('keeps a reply for its TTL, and longer while name servers fail', async () => {
    // A busy machine may exceed this time, but not twice in a row; the resolver then asks again.
    const resolver = resolverOf({ timeoutMs: 200 });
    const name = 'api.provider.example.com';
    server.replies.set(name, ['192.0.2.1', LIVES_S]);
    await find(resolver, name);
    const first = server.countOf(name);
    now += 59_000;
    expect([await find(resolver, name), server.countOf(name)]).toEqual([['192.0.2.1'], first]);
    server.replies.set(name, 'silence');
    now += 2_000;
    expect(await find(resolver, name)).toEqual(['192.0.2.1']);
    const requested = server.countOf(name);
    // A failed query is not repeated by each call.
    expect([await find(resolver, name), server.countOf(name)]).toEqual([['192.0.2.1'], requested]);
    server.replies.set(name, ['192.0.2.2', LIVES_S]);
    now += 5_001;
    expect(await find(resolver, name)).toEqual(['192.0.2.2']);
    server.replies.set(name, 'silence');
    now += 3_700_000;
    expect(await find(resolver, name)).toBe('ETIMEOUT');
  });

  it('caches for a short time that a name does not exist, and drops its earlier addresses', async () => {
    const resolver = resolverOf();
    const name = 'gone.provider.example.com';
    server.replies.set(name, ['192.0.2.1', 1]);
    await find(resolver, name);
    server.replies.set(name, 3);
    now += 1_001;
    expect(await find(resolver, name)).toBe('ENOTFOUND');
    const requested = server.countOf(name);
    expect([await find(resolver, name), server.countOf(name)]).toEqual(['ENOTFOUND', requested]);
    now += 3_001;
    server.replies.set(name, ['192.0.2.2', 1]);
    expect(await find(resolver, name)).toEqual(['192.0.2.2']);
  });

  it('uses the hosts file, the search list and the system’s resolver', async () => {
    const resolver = resolverOf();
    expect(await find(resolver, 'Listed.Example')).toEqual(['127.0.0.9', '::1']);
    server.replies.set('db.team.svc.cluster.test', ['10.1.0.1', LIVES_S]);
    expect(await find(resolver, 'db.team')).toEqual(['10.1.0.1']);
    // The name itself comes first, so that no search domain can take over a public name.
    expect(server.queries.slice(0, 2)).toEqual(['db.team', 'db.team.svc.cluster.test']);
    expect(bySystem).toEqual([]);
    expect([await find(resolver, 'by-system'), await find(resolver, 'known.to.system')]).toEqual([
      ['10.0.0.1'],
      ['10.0.0.1'],
    ]);
    expect(server.countOf('by-system')).toBe(0);
    expect(await find(resolver, 'host.local')).toBe('ENOTFOUND');
    expect(bySystem).toEqual(['by-system', 'known.to.system', 'host.local']);
  });

  it('does not let one owner use all lookups', async () => {
    const resolver = resolverOf({ lookupsMax: 8, timeoutMs: 5_000 });
    server.replies.set('api.provider.example.com', ['192.0.2.1', LIVES_S]);
    const dead = Array.from({ length: 20 }, (_, index) => {
      const name = `dead-${String(index)}.attacker.example.com`;
      server.replies.set(name, 'silence');
      return find(resolver, name, 'attacker');
    });
    expect(await Promise.race(dead)).toBe('EBUSY');
    expect(await find(resolver, 'api.provider.example.com', 'other')).toEqual(['192.0.2.1']);
  });

  it('does not let one owner use all lookups of the system’s resolver', async () => {
    const hanging: LookupAll = (name, options, callback) => {
      if (!name.startsWith('hung-')) system(name, options, callback);
    };
    const resolver = resolverOf({ system: hanging });
    const hung = Array.from({ length: 200 }, (_, index) =>
      find(resolver, `hung-${String(index)}`, 'attacker'),
    );
    expect(await Promise.race(hung)).toBe('EBUSY');
    expect(await find(resolver, 'by-system', 'other')).toEqual(['10.0.0.1']);
  });
});
