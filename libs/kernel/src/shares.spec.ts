import { Shares, type Share } from './shares';

/** Yields the same pseudo-random numbers in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Takes single units until the share refuses, and returns the held amount. */
function fill(share: Share): number {
  while (share.take(1));
  return share.held;
}

describe('Shares', () => {
  it('allows a single holder half, and each later holder half of the rest', () => {
    const shares = new Shares(1_000);
    const held = ['a', 'b', 'c', 'd'].map((name) => fill(shares.of(name, name)));
    expect(held).toEqual([500, 250, 125, 62]);
    expect(shares.largest).toBe(500);
  });

  it('allows competing holders equal parts', () => {
    const shares = new Shares(1_000);
    const holders = ['a', 'b', 'c'].map((name) => shares.of(name, name));
    while (holders.map((share) => share.take(1)).some(Boolean));
    expect(holders.map(({ held }) => held)).toEqual([250, 250, 250]);
  });

  it('leaves a third for other groups, however many holders one group has', () => {
    const shares = new Shares(3_000);
    for (let index = 0; index < 500; index += 1) fill(shares.of(`workspace-${String(index)}`, 'one'));
    expect(shares.held).toBeLessThanOrEqual(2_000);
    expect(fill(shares.of('other', 'two'))).toBeGreaterThanOrEqual(500);
  });

  it('takes nothing when it refuses, and frees returned amounts', () => {
    const shares = new Shares(100);
    const [first, second] = [shares.of('a', 'x'), shares.of('b', 'y')];
    expect([first.take(51), first.fits(50), first.take(50), second.take(26)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    first.give(50);
    expect([shares.held, first.held, second.take(50)]).toEqual([0, 0, true]);
  });

  it('allows one unit to a holder without any, even if there are few', () => {
    const shares = new Shares(1);
    const first = shares.of('a', 'a');
    expect([first.take(1), first.take(1), shares.of('b', 'b').take(1)]).toEqual([true, false, false]);
  });

  it('keeps its bound over random operations, and removes holders that hold nothing', () => {
    const random = numbers(7);
    const next = (below: number): number => Math.floor(random.next().value * below);
    const shares = new Shares(10_000);
    for (let step = 0; step < 40_000; step += 1) {
      const name = next(20_000);
      const share = shares.of(`w${String(name)}`, `o${String(name % 50)}`);
      if (share.held > 0 && next(2) === 0) share.give(share.held);
      else if (share.take(next(2_000))) expect(share.held).toBeLessThanOrEqual(10_000 - shares.held);
      expect(shares.held).toBeLessThan(10_000);
    }
    expect((shares as unknown as { holders: Map<string, Share> }).holders.size).toBeLessThan(20_000);
  });
});
