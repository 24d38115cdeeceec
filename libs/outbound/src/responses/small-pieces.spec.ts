import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EventParser } from './event-parser';
import { ResponseBody } from './response-body';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1_048_576;

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Passes a mebibyte to `take`, byte by byte, and returns the bytes of memory that it then takes. */
function memoryOf(take: (piece: Buffer) => void): number {
  const before = heldBytes();
  for (let at = 0; at < MIB; at += 1) take(Buffer.from('a'));
  return heldBytes() - before;
}

const tooLarge = (what: string): Error => new Error(what);

describe('a response that arrives byte by byte takes little more memory than its bytes', () => {
  it('if it is read whole', async () => {
    const call = { abort: jest.fn(), pause: jest.fn(), resume: jest.fn() };
    const body = new ResponseBody(() => call, tooLarge, null);
    const whole = body.whole(2 * MIB);
    expect(memoryOf((piece) => body.push(piece))).toBeLessThan(16 * MIB);
    body.finish(null);
    expect((await whole).equals(Buffer.alloc(MIB, 'a'))).toBe(true);
  });

  it('if it is an event', () => {
    const parser = new EventParser(2 * MIB, tooLarge);
    const push = (piece: Buffer): unknown => [...parser.push(piece)];
    push(Buffer.from('data: '));
    expect(memoryOf(push)).toBeLessThan(16 * MIB);
    const [event] = parser.push(Buffer.from('\n\n'));
    expect(event?.data.equals(Buffer.alloc(MIB, 'a'))).toBe(true);
  });
});
