import { ratioOf } from './tiles';

describe('ratioOf', () => {
  it('returns null when the earlier value is 0 or unknown', () => {
    expect(ratioOf(15, 10)).toBe(0.5);
    expect(ratioOf(15, 0)).toBeNull();
    expect(ratioOf(undefined, 10)).toBeNull();
  });
});
