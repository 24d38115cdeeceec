import { keyringOf } from '@gw/kernel';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrganisationDocument } from '@gw/contracts';
import { DiskCopy, type DiskCopyContent, type StoredDocument } from './disk-copy';

const stored = (id: string, name = id): StoredDocument => {
  const document: OrganisationDocument = {
    kind: 'organisation',
    version: '1',
    id,
    name,
    status: 'active',
    blockInlineConfig: false,
    logBodies: true,
  };
  return { key: `organisation:${id}`, document, size: JSON.stringify(document).length, changed: false };
};

/** Changes a character in the middle: the last one of base64 has unused bits. */
const withOther = (line: string): string =>
  `${line.slice(0, 40)}${line[40] === 'A' ? 'B' : 'A'}${line.slice(41)}`;

describe('DiskCopy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-copy-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  let files = 0;
  let path: string;
  let warnings: string[];
  beforeEach(() => {
    path = join(folder, `copy-${String((files += 1))}`);
    warnings = [];
  });

  const copy = (content: DiskCopyContent, options: { key?: Buffer; bytesMax?: number } = {}): DiskCopy =>
    new DiskCopy({
      path,
      ring: keyringOf('test', options.key ?? Buffer.alloc(32, 1)),
      limits: { diskIntervalMs: 60_000, diskBytesMax: options.bytesMax ?? 10_000_000 },
      warn: (message) => warnings.push(message),
      content: () => content,
    });

  async function write(content: DiskCopyContent, options: { bytesMax?: number } = {}): Promise<void> {
    const writer = copy(content, options);
    writer.changed();
    await writer.close();
  }

  const read = (key?: Buffer): Promise<DiskCopyContent | null> =>
    copy({ sequence: null, documents: [] }, key ? { key } : {}).read();

  const many: DiskCopyContent = {
    sequence: 42,
    documents: Array.from({ length: 3_000 }, (_, i) => stored(String(i), 'x'.repeat(500))),
  };

  it('reads back what was written at the end, over several encrypted lines', async () => {
    await write(many);
    expect(await read()).toEqual(many);
    expect(readFileSync(path, 'latin1').split('\n').length).toBeGreaterThan(4);
  });

  it('is readable only by its owner, contains no plain text and leaves no other file behind', async () => {
    await write({ sequence: 1, documents: [stored('visible-name')] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'latin1');
    expect(text).not.toContain('visible-name');
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('visible-name');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('returns null for a missing file', async () => {
    expect(await read()).toBeNull();
    expect(warnings).toEqual([]);
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ['a changed byte', ([first = '', second = '', ...rest]) => [first, withOther(second), ...rest]],
    ['a missing line', (lines) => [...lines.slice(0, 2), ...lines.slice(3)]],
    ['a cut end', (lines) => lines.slice(0, -2)],
    ['lines in another order', ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest]],
    ['a foreign file', () => ['hello', 'world']],
    ['an empty file', () => []],
  ])('ignores %s with one warning', async (_name, change) => {
    await write(many);
    const lines = readFileSync(path, 'latin1').split('\n');
    writeFileSync(path, change(lines).join('\n'));
    expect(await read()).toBeNull();
    expect(warnings).toHaveLength(1);
  });

  it('ignores a line of another copy made with the same key', async () => {
    await write({ sequence: 1, documents: [stored('old')] });
    const old = readFileSync(path, 'latin1').split('\n');
    await write({ sequence: 2, documents: [stored('new')] });
    const lines = readFileSync(path, 'latin1').split('\n');
    writeFileSync(path, [lines[0], old[1], ''].join('\n'));
    expect(await read()).toBeNull();
  });

  it('ignores a copy that was encrypted with another key', async () => {
    await write({ sequence: 1, documents: [stored('a')] });
    expect(await read(Buffer.alloc(32, 2))).toBeNull();
    expect(warnings).toHaveLength(1);
  });

  it('leaves out what does not fit, starting with the documents named last', async () => {
    await write(many, { bytesMax: 500_000 });
    expect(statSync(path).size).toBeLessThanOrEqual(500_000);
    const documents = (await read())?.documents ?? [];
    expect(documents.length).toBeGreaterThan(100);
    expect(documents).toEqual(many.documents.slice(0, documents.length));
  });

  it('warns once, and does not throw, while the folder is not writable', async () => {
    path = join(folder, 'no-such-folder', 'copy');
    const writer = copy({ sequence: 1, documents: [] });
    writer.changed();
    await writer.close();
    expect(warnings).toHaveLength(1);
  });
});
