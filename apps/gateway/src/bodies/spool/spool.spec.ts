import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@gw/testing';
import { Spool } from './spool';

const MIB = 1_048_576;
const WORKSPACE = { id: 'w', organisationId: 'o' };

describe('spool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('encrypts its files, denies other users access, unlinks them, and removes files left by a crash [security M8]', async () => {
    const directory = join(folder, 'spool');
    mkdirSync(directory, { mode: 0o755 });
    writeFileSync(join(directory, 'left.body'), 'x');
    const spool = new Spool(directory, 20);
    expect(readdirSync(directory)).toEqual([]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const body = await spool.open(WORKSPACE, 0);
    await body.append(Buffer.from('0123456789'));
    expect(readdirSync(directory)).toEqual([]);
    const [fd] = readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(directory);
      } catch {
        return false;
      }
    });
    expect(statSync(`/proc/self/fd/${String(fd)}`).mode & 0o777).toBe(0o600);
    const written = readFileSync(`/proc/self/fd/${String(fd)}`);
    expect([written.length, written.includes('0123')]).toEqual([10, false]);
    await expect(body.append(Buffer.from('x'))).rejects.toMatchObject({ type: 'unavailable' });
    await expect(spool.open(WORKSPACE, 1)).rejects.toMatchObject({ type: 'unavailable' });
    body.close();
    body.close();
    const next = await eventually(() => spool.open(WORKSPACE, 10));
    next.close();
  });

  it('reads a body each time it is opened, with a part replaced by other bytes', async () => {
    const spool = new Spool(join(folder, 'other'), MIB);
    const body = await spool.open(WORKSPACE, 0);
    const bytes = randomBytes(200_000);
    await body.append(bytes);
    for (const [from, to] of [
      [0, 0],
      [0, 10],
      [65_536, 65_540],
      [199_990, 200_000],
    ] as const) {
      const source = body.source({ from, to, bytes: Buffer.from('other') });
      const wanted = Buffer.concat([bytes.subarray(0, from), Buffer.from('other'), bytes.subarray(to)]);
      expect(source.length).toBe(wanted.length);
      for (let i = 0; i < 2; i += 1) {
        const read = Buffer.concat(await source.open().toArray());
        expect(read.equals(wanted)).toBe(true);
      }
    }
    const reader = body.source(null).open();
    body.close();
    await eventually(() => reader.destroyed);
  });
});
