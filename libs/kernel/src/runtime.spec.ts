import { spawnSync } from 'node:child_process';

/**
 * Parses a text that is not JSON repeatedly while the heap is collected. The process exits with
 * code 0 if V8 does not crash.
 */
const READ = `
  const [part, times, end] = process.argv.slice(1);
  const text = part.repeat(Number(times)) + end;
  let refused = 0;
  const read = () => {
    try { JSON.parse(text); } catch { refused += 1; }
    const garbage = [];
    for (let each = 0; each < 200_000; each += 1) garbage.push({ each });
    if (refused < 30) setImmediate(read);
    else process.stdout.write(String(refused));
  };
  setImmediate(read);
`;

describe('the Node version of the product', () => {
  it.each([
    ['arrays', '[1,', '{"a"'],
    ['objects', '{"a":1,"b":', '{"a"'],
  ])('refuses 10,000 unclosed nested %s repeatedly without a crash', (_, part, end) => {
    const { status, signal, stdout } = spawnSync(process.execPath, ['-e', READ, part, '10000', end], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: '30' });
  });
});
