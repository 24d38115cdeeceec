import * as crypto from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { freeInnerPort, INNER_PORTS } from './inner-port';

jest.mock('node:crypto', () => ({
  ...jest.requireActual<typeof crypto>('node:crypto'),
  randomInt: jest.fn(),
}));

const randomInt = jest.mocked(crypto.randomInt as (min: number, max: number) => number);

describe('freeInnerPort', () => {
  it('returns a port of the range', async () => {
    randomInt.mockImplementation((min, max) => {
      expect([min, max]).toEqual([INNER_PORTS.first, INNER_PORTS.end]);
      return min + 7_001;
    });
    await expect(freeInnerPort()).resolves.toBe(INNER_PORTS.first + 7_001);
  });

  it('skips ports that are reserved or in use, and returns null when it finds no other', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port: used } = server.address() as { port: number };
    const reserved = INNER_PORTS.first + 7_002;
    const free = INNER_PORTS.first + 7_003;
    try {
      randomInt.mockReturnValueOnce(reserved).mockReturnValueOnce(used).mockReturnValueOnce(free);
      await expect(freeInnerPort([reserved])).resolves.toBe(free);
      randomInt.mockReturnValue(reserved);
      await expect(freeInnerPort([reserved])).resolves.toBeNull();
    } finally {
      server.close();
    }
  });
});
