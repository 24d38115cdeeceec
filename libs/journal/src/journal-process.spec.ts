import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decodeFrames } from './frame';
import { Journal } from './journal';
import { Sealer } from './sealer';

const sealer = new Sealer([Buffer.alloc(32, 1)]);
const ROOT = resolve(__dirname, '../../..');

/**
 * Runs journals in child processes, compiled like the product, since a test can kill only a process
 * and limit only a process's disk space.
 */
describe('Journal in a child process', () => {
  let directory: string;
  let built: string;

  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), 'journal-build-'));
    const swc = resolve(ROOT, 'node_modules/@swc/cli/bin/swc.js');
    const sources = ['libs/journal/src', 'libs/kernel/src', 'libs/contracts/src'];
    const flags = ['-d', built, '--config-file', '.swcrc', '--ignore', '**/*.spec.ts', '--quiet'];
    execFileSync(process.execPath, [swc, ...sources, ...flags], { cwd: ROOT });
    writeFileSync(
      join(built, 'writer.cjs'),
      `const { writeSync } = require('node:fs');
       const { Journal } = require('./libs/journal/src/journal.js');
       const { Sealer } = require('./libs/journal/src/sealer.js');
       const sealer = new Sealer([Buffer.alloc(32, 1)]);
       const [directory, turns] = process.argv.slice(2);
       const journal = Journal.open({ directory, sealer });
       const body = Buffer.alloc(2000, 'b');
       let id = 0;
       const turn = () => {
         for (let i = 0; i < 5; i += 1) {
           const recordId = id++;
           journal.append(JSON.stringify({ id: recordId }), body, [body], () => writeSync(1, recordId + '\\n'));
         }
         if (id < Number(turns) * 5) setImmediate(turn);
         else setImmediate(end);
       };
       const end = () => {
         if (process.argv[4] === 'wait') process.stdin.resume().once('end', close);
         else close();
       };
       const close = () => {
           journal.close();
           writeSync(1, JSON.stringify(journal.stats()) + '\\n');
       };
       turn();`,
    );
    writeFileSync(
      join(built, 'opener.cjs'),
      `const { readFileSync } = require('node:fs');
       const { Journal } = require('./libs/journal/src/journal.js');
       const { Sealer } = require('./libs/journal/src/sealer.js');
       Journal.open({ directory: process.argv[2], sealer: new Sealer([Buffer.alloc(32, 1)]) });
       // maxRSS of resourceUsage would include the memory of the process that started this one.
       const [, peak] = /VmHWM:\\s*(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
       process.stdout.write(peak);`,
    );
  });
  afterAll(() => {
    rmSync(built, { recursive: true, force: true });
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'journal-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const stored = async (): Promise<Set<number>> => {
    const journal = Journal.open({ directory, sealer });
    const ids = new Set<number>();
    for (let batch = await journal.read(500, 1 << 20); batch; batch = await journal.read(500, 1 << 20)) {
      for (const { meta } of decodeFrames(batch.bytes).frames)
        ids.add((JSON.parse(meta.toString()) as { id: number }).id);
      journal.acknowledge(batch.end);
    }
    expect(journal.stats().damagedBytes).toBe(0);
    journal.close();
    return ids;
  };

  it('loses no record whose callback ran before the process was killed', async () => {
    const child = spawn(process.execPath, [join(built, 'writer.cjs'), directory, '1000000']);
    let output = '';
    await new Promise<void>((done) => {
      child.once('exit', () => {
        done();
      });
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1');
        if (output.length > 20_000) child.kill('SIGKILL');
      });
    });
    const acknowledged = output.slice(0, output.lastIndexOf('\n')).split('\n').map(Number);
    const found = await stored();
    expect(acknowledged.length).toBeGreaterThan(1_000);
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  });

  it('runs every callback, counts lost records and leaves only complete frames when the disk refuses writes', async () => {
    // With the kernel's limit on file sizes, a write is first cut short and then refused, as on a
    // full disk.
    const child = spawnSync('bash', [
      '-c',
      'ulimit -f 256; exec "$@"',
      '-',
      process.execPath,
      join(built, 'writer.cjs'),
      directory,
      '200',
    ]);
    const lines = child.stdout.toString().trim().split('\n');
    const stats = JSON.parse(lines.pop() as string) as { appended: number; droppedByDisk: number };
    expect(lines).toHaveLength(1_000);
    expect(stats.droppedByDisk).toBeGreaterThan(0);
    expect(stats.appended + stats.droppedByDisk).toBe(1_000);
    expect(readdirSync(directory).sort()).toEqual(['segment-000000000001.log', 'state.json']);
    expect((await stored()).size).toBe(stats.appended);
    // The next process still reports the dropped records.
    expect(Journal.open({ directory, sealer }).stats().droppedByDisk).toBe(stats.droppedByDisk);
  });

  it('opens a long backlog with the memory of a few segments', () => {
    const journal = Journal.open({ directory, sealer });
    const body = Buffer.alloc(512 * 1024, 'b');
    for (let id = 0; id < 600; id += 1) {
      journal.append(JSON.stringify({ id }), body, null, () => undefined);
      journal.flush();
    }
    expect(journal.stats().diskBytes).toBeGreaterThan(300 * 1_048_576);
    journal.close();
    const peak = execFileSync(process.execPath, [join(built, 'opener.cjs'), directory]);
    // Kilobytes, of which an idle process takes about 60,000.
    expect(Number(peak.toString())).toBeLessThan(200 * 1_024);
  });

  it('keeps its position when the disk refuses writes while it opens', async () => {
    const journal = Journal.open({ directory, sealer });
    for (let id = 0; id < 2; id += 1) {
      journal.append(JSON.stringify({ id }), null, null, () => undefined);
      journal.flush();
    }
    const first = await journal.read(1, 1);
    journal.acknowledge((first as NonNullable<typeof first>).end);
    journal.close();
    const refused = 'ulimit -f 0; exec "$@"';
    const args = ['-c', refused, '-', process.execPath, join(built, 'opener.cjs'), directory];
    expect(spawnSync('bash', args).status).toBe(0);
    expect(await stored()).toEqual(new Set([1]));
  });

  it('keeps records in memory while the disk refuses writes, and writes all of them later [faults D19]', async () => {
    const limited = ['-c', 'ulimit -S -f 64; exec "$@"', '-', process.execPath, join(built, 'writer.cjs')];
    const child = spawn('bash', [...limited, directory, '40', 'wait']);
    let output = '';
    await new Promise<void>((done) => {
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1');
        if (output.includes('199\n')) done();
      });
    });
    const limitedSizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
    expect(Math.max(...limitedSizes)).toBeLessThanOrEqual(64 * 1024);
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
    child.stdin.end();
    await new Promise((done) => child.once('close', done));
    const stats = JSON.parse(output.trim().split('\n').at(-1) as string) as object;
    expect(stats).toMatchObject({ appended: 200, droppedByDisk: 0, unwritten: 0 });
    expect((await stored()).size).toBe(200);
  });
});
