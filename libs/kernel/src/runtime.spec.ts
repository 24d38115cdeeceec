import { spawnSync } from 'node:child_process';

/** Reads a text that is not JSON over and over while the heap is collected. Exit code 0 where V8 is whole afterwards. */
const READ = `
  const [part, times, end] = process.argv.slice(1);
  const text = part.repeat(Number(times)) + end;
  let refused = 0;
  const read = () => {
    try { JSON.parse(text); } catch { refused += 1; }
    const made = [];
    for (let each = 0; each < 200_000; each += 1) made.push({ each });
    if (refused < 30) setImmediate(read);
    else process.stdout.write(String(refused));
  };
  setImmediate(read);
`;

describe('the Node of the product', () => {
  it.each([
    ['arrays', '[1,', '{"a"'],
    ['objects', '{"a":1,"b":', '{"a"'],
  ])('reads 10,000 nested %s that end too early, and is whole afterwards', (_, part, end) => {
    const { status, signal, stdout } = spawnSync(process.execPath, ['-e', READ, part, '10000', end], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: '30' });
  });
});
