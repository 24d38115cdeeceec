import { uuidv7 } from './ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('uuidv7', () => {
  it('is a UUID of version 7 that carries its time and is not given twice', () => {
    const ids = Array.from({ length: 2_000 }, () => uuidv7());
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([0, 1, 0xffff, 0x10000, 1_795_219_200_123, 2 ** 48 - 1])('sorts by its time, here %p', (ms) => {
    expect(parseInt(uuidv7(ms).replaceAll('-', '').slice(0, 12), 16)).toBe(ms);
  });
});
