import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { downstreamHeaders, upstreamHeaders } from './header-rules';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const MIB = 1_048_576;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A name that no other header has. Copied, so that it shares no memory with another text. */
const longName = (index: number): string =>
  Buffer.from(`x-${String(index)}-${'n'.repeat(32_000)}`).toString('latin1');

describe('headers that pass the gateway', () => {
  it.each([
    ['downstream', (name: string) => downstreamHeaders([name, '1'])],
    ['upstream', (name: string) => upstreamHeaders([name, '1'], undefined)],
  ])('leave no long names in memory (%s)', (_direction, pass) => {
    const before = heldBytes();
    for (let index = 0; index < 2_000; index += 1) expect(pass(longName(index))).toContain('1');
    expect(heldBytes() - before).toBeLessThan(16 * MIB);
  });

  it('reach a provider with one content type, the one that the gateway reads', () => {
    const sent = ['Content-Type', 'multipart/form-data; boundary=a', 'a', '1', 'content-type', 'text/plain'];
    expect(upstreamHeaders([...sent, 'a', '2'], undefined)).toEqual([
      ...['content-type', 'multipart/form-data; boundary=a'],
      ...['a', '1', 'a', '2'],
    ]);
  });
});
