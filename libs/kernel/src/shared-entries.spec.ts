import { SharedEntries, type Tenant } from './shared-entries';

const tenant = (name: string): Tenant => ({ workspaceId: name, organisationId: `org-${name}` });
const [ONE, TWO] = [tenant('one'), tenant('two')];

describe('SharedEntries', () => {
  let now = 0;
  const entriesOf = (bytesMax: number, shrink?: (value: Buffer) => Buffer): SharedEntries<Buffer> =>
    new SharedEntries({
      bytesMax,
      sizeOf: (value) => value.length,
      now: () => now,
      ...(shrink && { shrink }),
    });
  const heldOf = (entries: SharedEntries<Buffer>, keys: readonly string[]): string[] =>
    keys.filter((key) => entries.get(key) !== undefined);

  beforeEach(() => {
    now = 0;
  });

  it('evicts entries of the workspace that writes too much, and none of another workspace', () => {
    const entries = entriesOf(1_000);
    for (let index = 0; index < 3; index += 1)
      entries.set(TWO, `two-${String(index)}`, Buffer.alloc(100), 1_000);
    for (let index = 0; index < 50; index += 1)
      entries.set(ONE, `one-${String(index)}`, Buffer.alloc(100), 1_000);
    expect(heldOf(entries, ['two-0', 'two-1', 'two-2'])).toHaveLength(3);
    expect(heldOf(entries, ['one-46', 'one-47', 'one-48', 'one-49'])).toEqual(['one-47', 'one-48', 'one-49']);
    expect(entries.bytes).toBe(600);
  });

  it('refuses an entry that does not fit the share of its workspace, without evicting others', () => {
    const entries = entriesOf(1_000);
    entries.set(ONE, 'small', Buffer.alloc(100), 1_000);
    expect(entries.set(ONE, 'large', Buffer.alloc(501), 1_000)).toBe(false);
    expect([
      heldOf(entries, ['small', 'large']),
      entries.hasRoom(ONE, 500),
      entries.hasRoom(ONE, 501),
    ]).toEqual([['small'], true, false]);
  });

  it('shrinks values before it deletes any', () => {
    const entries = entriesOf(1_000, (value) => value.subarray(0, 10));
    for (let index = 0; index < 20; index += 1)
      entries.set(ONE, `key-${String(index)}`, Buffer.alloc(100), 1_000);
    const lengths = Array.from({ length: 20 }, (_, index) => entries.get(`key-${String(index)}`)?.length);
    expect(lengths.filter((length) => length === undefined)).toEqual([]);
    expect(lengths.slice(-3)).toEqual([100, 100, 100]);
    for (let index = 0; index < 200; index += 1)
      entries.set(ONE, `more-${String(index)}`, Buffer.alloc(100), 1_000);
    expect(entries.bytes).toBeLessThanOrEqual(500);
    expect(entries.get('key-0')).toBeUndefined();
  });

  it('deletes expired entries although nothing reads them', () => {
    const entries = entriesOf(100_000);
    for (let index = 0; index < 100; index += 1)
      entries.set(ONE, `old-${String(index)}`, Buffer.alloc(100), 10);
    now = 11;
    for (let index = 0; index < 50; index += 1)
      entries.set(TWO, `new-${String(index)}`, Buffer.alloc(100), 10);
    expect(entries.bytes).toBe(5_000);
  });
});
