import type { SecretLocation } from '@gw/contracts';
import { VendorError } from '@gw/kernel';
import { SecretResolver, type SecretResolverOptions } from './secret-resolver';

const MINUTE = 60_000;

function resolver(options: SecretResolverOptions = {}) {
  const world = { now: 0, text: 'first' as string | VendorError, reads: 0 };
  const secrets = new SecretResolver(
    () => {
      world.reads += 1;
      return world.text instanceof VendorError ? Promise.reject(world.text) : Promise.resolve(world.text);
    },
    { now: () => world.now, ...options },
  );
  return { world, secrets };
}

const at = (version: string, key: string | null = null): SecretLocation => ({
  managerType: 'cloud1_sm',
  auth: {},
  path: 'p',
  key,
  version,
});
const AWAY = new VendorError('unreachable', 'away');

describe('[SRF-03] SecretResolver', () => {
  it('caches a secret for 5 minutes and then reads it again', async () => {
    const { world, secrets } = resolver();
    expect(await secrets.resolve(at('a'))).toBe('first');
    world.text = 'second';
    world.now = 5 * MINUTE - 1;
    expect(secrets.resolve(at('a'))).toBe('first');
    world.now = 5 * MINUTE;
    expect(await secrets.resolve(at('a'))).toBe('second');
    expect(world.reads).toBe(2);
  });

  it('reads a secret again at once for another version of its reference', async () => {
    const { world, secrets } = resolver();
    await secrets.resolve(at('a:1'));
    world.text = 'rotated';
    expect(await secrets.resolve(at('a:2'))).toBe('rotated');
  });

  it('reads a secret once for concurrent callers', async () => {
    const { world, secrets } = resolver();
    await Promise.all(Array.from({ length: 50 }, () => Promise.resolve(secrets.resolve(at('a')))));
    expect(world.reads).toBe(1);
  });

  it('reports unreachable managers from the first failure to the next success, and forgets unused ones', async () => {
    const { world, secrets } = resolver();
    world.text = new VendorError('denied', 'no');
    await expect(secrets.resolve(at('a'))).rejects.toBeDefined();
    expect(secrets.unreachable()).toEqual([]);
    world.text = AWAY;
    await expect(secrets.resolve(at('b'))).rejects.toBe(AWAY);
    const [first] = secrets.unreachable();
    expect(first).toMatchObject({ managerType: 'cloud1_sm', since: expect.any(Date) as Date });
    await expect(secrets.resolve(at('c'))).rejects.toBe(AWAY);
    expect(secrets.unreachable()).toEqual([first]);
    world.text = 'back';
    await secrets.resolve(at('d'));
    expect(secrets.unreachable()).toEqual([]);
    world.text = AWAY;
    await expect(secrets.resolve(at('e'))).rejects.toBe(AWAY);
    world.now += 21 * MINUTE;
    expect(secrets.unreachable()).toEqual([]);
  });

  it('keeps a secret for 15 minutes while its manager is unreachable, and drops it on a denial', async () => {
    const { world, secrets } = resolver();
    await secrets.resolve(at('a'));
    world.text = AWAY;
    world.now = 19 * MINUTE;
    expect(await secrets.resolve(at('a'))).toBe('first');
    world.now = 20 * MINUTE;
    await expect(secrets.resolve(at('a'))).rejects.toBe(AWAY);
    const denied = resolver();
    await denied.secrets.resolve(at('a'));
    denied.world.text = new VendorError('denied', 'no');
    denied.world.now = 6 * MINUTE;
    await expect(denied.secrets.resolve(at('a'))).rejects.toMatchObject({ failure: 'denied' });
  });

  it.each(['denied', 'not_found', 'refused'] as const)(
    'does not return a secret again that was %s when its manager is then unreachable',
    async (failure) => {
      const { world, secrets } = resolver();
      await secrets.resolve(at('a'));
      world.text = new VendorError(failure, 'no');
      world.now = 6 * MINUTE;
      await expect(secrets.resolve(at('a'))).rejects.toMatchObject({ failure });
      world.text = AWAY;
      world.now = 7 * MINUTE;
      await expect(secrets.resolve(at('a'))).rejects.toBe(AWAY);
    },
  );

  it('does not retry a failed read within 5 seconds', async () => {
    const { world, secrets } = resolver();
    world.text = AWAY;
    await expect(secrets.resolve(at('a'))).rejects.toBe(AWAY);
    expect(() => secrets.resolve(at('a'))).toThrow(AWAY);
    expect(world.reads).toBe(1);
    world.text = 'back';
    world.now = 5_000;
    expect(await secrets.resolve(at('a'))).toBe('back');
  });

  it('returns each requested member from one read', async () => {
    const { world, secrets } = resolver();
    world.text = '{"a":"1","b":{"c":2}}';
    expect(await secrets.resolve(at('x', 'a'))).toBe('1');
    expect(secrets.resolve(at('x', 'b'))).toBe('{"c":2}');
    expect(() => secrets.resolve(at('x', 'toString'))).toThrow(VendorError);
    expect(world.reads).toBe(1);
  });
});

describe('SecretResolver cache', () => {
  it('drops the least recently used secrets at its cap', async () => {
    const { world, secrets } = resolver({ charactersMax: 3 * (512 + 5) });
    for (const version of ['a', 'b', 'c']) await secrets.resolve(at(version));
    expect(secrets.resolve(at('a'))).toBe('first');
    await secrets.resolve(at('d'));
    expect(secrets.size).toBe(3);
    world.reads = 0;
    expect(secrets.resolve(at('a'))).toBe('first');
    await secrets.resolve(at('b'));
    expect(world.reads).toBe(1);
    for (let i = 0; i < 1_000; i += 1) await secrets.resolve(at(`n${String(i)}`));
    expect(secrets.size).toBe(3);
  });

  it('bounds concurrent reads', async () => {
    const { secrets } = resolver({ readsMax: 3 });
    const read = (version: string, owner: string) => Promise.resolve(secrets.resolve(at(version), owner));
    const [one, two, three, four] = ['a', 'b', 'c', 'd'].map((version) => read(version, version));
    await expect(four).rejects.toMatchObject({ failure: 'unreachable' });
    expect(await Promise.all([one, two, three])).toEqual(['first', 'first', 'first']);
  });

  it('reads for one organisation while another uses its whole share of reads', async () => {
    const { secrets } = resolver({ readsMax: 8 });
    const read = (version: string, owner: string) => Promise.resolve(secrets.resolve(at(version), owner));
    const theirs = Array.from({ length: 20 }, (_, index) => read(`t${String(index)}`, 'theirs'));
    const settled = Promise.allSettled(theirs);
    expect(await read('m', 'mine')).toBe('first');
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(16);
  });
});
