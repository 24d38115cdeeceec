import { OPENAPI_BOUNDS, OpenApiFault } from '@gw/mcp';
import { eventually } from '@gw/testing';
import { YamlDocuments, type YamlDocumentsOptions } from './yaml-documents';

const { yamlBytesMax } = OPENAPI_BOUNDS;
/** A text that takes longer to parse than others of its length. */
const SLOW = `a:\n${'- x\n'.repeat(yamlBytesMax / 4 - 2)}`;

describe('YamlDocuments', () => {
  const all: YamlDocuments[] = [];
  const documents = (options: YamlDocumentsOptions = {}): YamlDocuments => {
    const made = new YamlDocuments(options);
    all.push(made);
    return made;
  };
  afterEach(async () => {
    for (const each of all.splice(0)) await each.onApplicationShutdown();
  });
  const valueOf = async (text: string): Promise<unknown> =>
    JSON.parse((await documents().read(text, 'one')).toString('utf8')) as unknown;

  it('reads values as YAML 1.2 defines them', async () => {
    expect(await valueOf('a: {b: [1, 2.5, yes, null, ~, 2020-01-01, "ü"]}\n200: {c: &x 1, d: *x}\n')).toEqual(
      {
        ...{ a: { b: [1, 2.5, 'yes', null, null, '2020-01-01', 'ü'] } },
        200: { c: 1, d: 1 },
      },
    );
    expect(Object.keys((await valueOf('__proto__: {a: 1}\nb: 1\n')) as object)).toEqual(['__proto__', 'b']);
  });

  const bomb = ['a0: &a0 [x, x]', ...Array.from({ length: 30 }, (_, at) => bombLine(at + 1))].join('\n');
  it.each([
    ['text that is no YAML', 'a: [', 'neither JSON nor YAML'],
    ['deep values', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 'maxDepth'],
    ['aliases that multiply values', bomb, 'characters when its aliases are resolved'],
    [
      'aliases that multiply a text',
      `a: &x "${'y'.repeat(100_000)}"\nb: [${'*x,'.repeat(900)}]`,
      'characters when its aliases are resolved',
    ],
    ['an alias of itself', 'a: &a [*a]', 'levels'],
    ['very many aliases', `a: &x 1\nb: [${'*x,'.repeat(1_001)}]`, 'aliases'],
    ['a type of a program', 'a: !!js/function "x"', 'neither'],
    ['a member twice', 'a: 1\na: 2\n', 'duplicated'],
  ])('refuses %s', async (_what, text, message) => {
    const reading = documents().read(text, 'one');
    await expect(reading).rejects.toBeInstanceOf(OpenApiFault);
    await expect(reading).rejects.toThrow(message);
  });

  it('does not block the process while it reads a document', async () => {
    const yaml = documents();
    await yaml.read('a: 1', 'one');
    const before = performance.eventLoopUtilization();
    const json = await yaml.read(SLOW, 'one');
    const { active, idle } = performance.eventLoopUtilization(before);
    expect(json.length).toBeGreaterThan(yamlBytesMax / 2);
    expect(active).toBeLessThan(idle);
  });

  it('ends a document that takes too long or too much memory, and reads the next one', async () => {
    const slow = documents({ readMs: 1 });
    await expect(slow.read(SLOW, 'one')).rejects.toThrow('takes too long to read; convert it to JSON');
    const small = documents({ heapMb: 16 });
    await expect(small.read(SLOW, 'one')).rejects.toThrow('takes too much memory to read');
    expect((await small.read('a: 1', 'one')).toString()).toBe('{"a":1}');
  });

  it('alternates among organisations, each with a share of the slots', async () => {
    const yaml = documents({ documentsMax: 8 });
    const order: string[] = [];
    const read = (organisation: string, name: string): Promise<unknown> =>
      yaml.read(`a: ${name}`, organisation).then(
        () => order.push(name),
        (error: { type?: string }) => order.push(`${name} ${String(error.type)}`),
      );
    const busy = Array.from({ length: 6 }, (_, at) => read('busy', `b${String(at)}`));
    await Promise.all([...busy, read('other', 'o')]);
    // The busy organisation has half of the slots, and the other one does not wait for all of its
    // documents.
    const refused = order.filter((name) => name.endsWith('rate_limited'));
    expect(refused).toEqual(['b4 rate_limited', 'b5 rate_limited']);
    const done = order.filter((name) => !refused.includes(name));
    expect(done).toEqual(['b0', 'b1', 'o', 'b2', 'b3']);
  });

  it('keeps its thread only for a while, and ends it with the process', async () => {
    const yaml = documents({ idleMs: 1 });
    await yaml.read('a: 1', 'one');
    await eventually(() => !yaml.isRunning);
    const reading = Promise.allSettled([
      yaml.read(SLOW, 'one'),
      yaml.read(SLOW, 'one'),
      yaml.read('a: 1', 'two'),
    ]);
    await yaml.onApplicationShutdown();
    expect((await reading).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(yaml.read('a: 1', 'one')).rejects.toMatchObject({ type: 'unavailable' });
    expect(yaml.isRunning).toBe(false);
  });
});

function bombLine(at: number): string {
  const before = `*a${String(at - 1)}`;
  return `a${String(at)}: &a${String(at)} [${before}, ${before}]`;
}
