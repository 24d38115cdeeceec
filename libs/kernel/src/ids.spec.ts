import { uuidv7 } from './ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('uuidv7', () => {
  it('returns unique UUIDs of version 7', () => {
    const ids = Array.from({ length: 2_000 }, () => uuidv7());
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([0, 1, 0xffff, 0x10000, 1_795_219_200_123, 2 ** 48 - 1])(
    'starts with its time, so that ids sort by it (%p)',
    (ms) => {
      expect(parseInt(uuidv7(ms).replaceAll('-', '').slice(0, 12), 16)).toBe(ms);
    },
  );
});
