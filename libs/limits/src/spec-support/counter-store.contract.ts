import { DAY_MS } from '@gw/kernel';
import { ADMITTED, UNDECIDED, type CounterStatement, type CounterStore } from '../counter-store';
import { claim, roundTripOf, first, statement } from './statements';

/** Contract of every counter driver. `make` returns a store without counters, on the given clock. */
export function counterStoreContract(
  make: (clock: () => number) => CounterStore | Promise<CounterStore>,
): void {
  let store: CounterStore;
  let now: number;
  beforeEach(async () => {
    now = Date.UTC(2031, 4, 14);
    store = await make(() => now);
  });
  const run = (...args: Parameters<typeof roundTripOf>) => store.exchange(roundTripOf(...args));

  it('takes all amounts of a claim or none, and names the counter that refused', async () => {
    const both = [statement({ key: 'wide' }), statement({ key: 'narrow', value: 5 })];
    const response = await run(both, [claim(1, 6), claim(2, 5), claim(3, 1)]);
    expect(response.claims).toEqual([1, ADMITTED, 1]);
    expect(response.counters.map(({ held }) => held)).toEqual([2, 5]);
  });

  it('fills a strict limit to the last unit, and lets at most one claim exceed a standard limit', async () => {
    const strict = await run([statement({ value: 10 })], [claim(9), claim(2), claim(1), claim(1)]);
    expect(strict.claims).toEqual([ADMITTED, 0, ADMITTED, 0]);
    const loose = statement({ key: 'loose', value: 10, strict: false });
    const standard = await run([loose], [claim(9), claim(50), claim(1), claim(0)]);
    expect(standard.claims).toEqual([ADMITTED, ADMITTED, 0, 0]);
    expect(first(standard).held).toBe(59);
  });

  it('refuses everything at a limit of 0', async () => {
    expect((await run([statement({ value: 0, strict: false })], [claim(0)])).claims).toEqual([0]);
  });

  it('counts a repeated statement once, however often the reply was lost', async () => {
    for (let time = 0; time < 3; time += 1) {
      expect(first(await run([statement({ consumed: 7, hold: 2 })]))).toMatchObject({ used: 7, held: 2 });
    }
    expect(first(await run([statement({ consumed: 9 })]))).toMatchObject({ used: 9, held: 0, consumed: 9 });
  });

  it('ignores a round trip that was overtaken by a later one', async () => {
    const late = roundTripOf([statement({ consumed: 50, hold: 50 })], [claim(1)]);
    await run([statement({ consumed: 60 })]);
    const response = await store.exchange(late);
    expect(first(response).status).toBe('stale');
    expect(response.claims).toEqual([UNDECIDED]);
    expect(await store.read('t', 'c')).toMatchObject({ used: 60, held: 0 });
  });

  it('sums the used and held amounts of all processes', async () => {
    await run([statement({ consumed: 10, hold: 5 })]);
    const response = await run([statement({ consumed: 20, hold: 7 })], [claim(58), claim(59)], {
      holder: 'b',
    });
    expect(response.claims).toEqual([ADMITTED, 0]);
    expect(first(response)).toMatchObject({ used: 30, held: 70, holders: 2 });
  });

  it('frees what a silent process held, and counts its usage once when it returns', async () => {
    await run([statement({ consumed: 10, hold: 90 })], [], { leaseMs: 20 });
    now += 19;
    expect((await store.read('t', 'c'))?.held).toBe(90);
    now += 1;
    expect((await store.read('t', 'c'))?.held).toBe(0);
    const other = await run([statement({})], [claim(90)], { holder: 'b' });
    expect(other.claims).toEqual([ADMITTED]);
    expect(first(await run([statement({ consumed: 15 })]))).toMatchObject({
      used: 15,
      held: 90,
    });
  });

  it('requires a seed before anything is spent from an unknown budget', async () => {
    const unseeded = await run([statement({ seed: null })], [claim(1)]);
    expect(first(unseeded).status).toBe('unknown');
    expect(unseeded.claims).toEqual([UNDECIDED]);
    expect(first(await run([statement({ seed: { period: 0, used: 40, holders: [] } })]))).toMatchObject({
      used: 40,
    });
    const second = await run([statement({ seed: { period: 0, used: 99, holders: [] } })], [], {
      holder: 'b',
    });
    expect(first(second).used).toBe(40);
  });

  it('adds to a seed what each process has used beyond its recorded amount, whatever was confirmed', async () => {
    const seed = { period: 0, used: 100, holders: [['a', 25] as const] };
    const stated = statement({ consumed: 30, seed });
    expect(first(await run([stated])).used).toBe(105);
    expect(first(await run([statement({ consumed: 7 })], [], { holder: 'b' })).used).toBe(112);
    expect(first(await run([stated]))).toMatchObject({ used: 112, consumed: 30 });
  });

  it('returns to a process what is recorded beyond its own statement, and continues from there', async () => {
    const seed = { period: 0, used: 100, holders: [['a', 40] as const] };
    expect(first(await run([statement({ consumed: 30, seed })]))).toMatchObject({ used: 100, consumed: 40 });
    expect(first(await run([statement({ consumed: 45 })]))).toMatchObject({ used: 105, consumed: 45 });
  });

  it('grants at most an eighth of the headroom as extra, and none when little is left', async () => {
    expect(first(await run([statement({ want: 1_000 })])).extra).toBe(12);
    expect(first(await run([statement({ want: 3, hold: 12 })])).extra).toBe(3);
    expect(first(await run([statement({ want: 1_000, hold: 93 })])).extra).toBe(0);
  });

  it('starts a period once its own clock has reached the boundary, and never returns to an earlier one', async () => {
    const [begun, next] = [now - 1_000, now + 150];
    const stated = statement({
      boundaries: [begun, next, now + DAY_MS],
      period: begun,
      consumed: 5,
      seed: { period: begun, used: 0, holders: [] },
    });
    expect(first(await run([stated]))).toMatchObject({ period: begun, used: 5 });
    now = next - 1;
    expect(first(await run([stated])).period).toBe(begun);
    now = next;
    expect(first(await run([stated])).period).toBe(next);
    // Usage of the previous period does not count in the new one.
    expect(first(await run([{ ...stated, consumed: 50 }]))).toMatchObject({ period: next, used: 0 });
    const behind = { ...stated, boundaries: [begun], period: next, consumed: 3 };
    expect(first(await run([behind]))).toMatchObject({ period: next, used: 3 });
  });

  it('refuses boundaries that lie ahead of its clock', async () => {
    const ahead = statement({ boundaries: [now + 30 * DAY_MS] });
    const response = await run([ahead], [claim(1)]);
    expect(first(response).status).toBe('clock');
    expect(response.claims).toEqual([UNDECIDED]);
    expect(response.nowMs).toBe(now);
    expect(await store.read('t', 'c')).toBeNull();
  });

  it('counts fixed windows by its own clock', async () => {
    const window = statement({ kind: 'fixed', lengthMs: 100, value: 3, period: -1, seed: null });
    const response = await run([window], [claim(3), claim(1)]);
    expect(response.claims).toEqual([ADMITTED, 0]);
    expect(first(response).period).toBe(now);
    const spent = { ...window, period: now, consumed: 3 };
    now += 99;
    expect((await run([spent], [claim(3)])).claims).toEqual([0]);
    now += 1;
    expect((await run([spent], [claim(3)])).claims).toEqual([ADMITTED]);
  });

  it('counts the weighted rest of the previous window in a sliding window', async () => {
    const stated = { kind: 'sliding', lengthMs: 1_000, value: 1_000, seed: null } as const;
    const { period } = first(await run([statement({ ...stated, key: 'probe', period: -1 })]));
    await run([statement({ ...stated, period, consumed: 1_000 })]);
    now += 1_250;
    const next = first(await run([statement({ ...stated, period })]));
    expect([next.period, next.used]).toEqual([period + 1_000, 750]);
  });

  const used = async (): Promise<number | undefined> => (await store.read('t', 'c'))?.used;
  const recorded = (sum: number, a: number, b = 0) => ({
    period: 0,
    used: sum,
    holders: [
      ['a', a],
      ['b', b],
    ] as const,
  });

  it('corrects each holder to the larger of its stated and its recorded amount', async () => {
    await run([statement({ consumed: 50, hold: 10 })]);
    await run([statement({ consumed: 20, hold: 10 })], [], { holder: 'b' });
    // The record lags behind one holder, knows more about the other, and about 7 that the counter
    // has lost.
    await store.correct('t', 'c', recorded(40 + 25 + 7, 40, 25));
    expect(await used()).toBe(50 + 25 + 7);
    await store.correct('t', 'c', recorded(50 + 25 + 7, 50, 25));
    expect(await used()).toBe(82);
    await store.correct('t', 'c', { ...recorded(99, 50, 25), period: 7 });
    expect(await used()).toBe(82);
    await run([statement({ consumed: 60 })]);
    expect(await used()).toBe(92);
  });

  it('never corrects a live holder below its stated amount, however far behind the record is', async () => {
    await run([statement({ consumed: 50 })]);
    for (const behind of [0, 30, 49]) {
      await store.correct('t', 'c', recorded(behind, behind));
      expect(await used()).toBe(50);
    }
  });

  it('writes off unrecorded usage of an ended holder, and counts it again when it is recorded or stated later', async () => {
    await run([statement({ consumed: 50 })]);
    await run([statement({ consumed: 20 })], [], { holder: 'b' });
    await store.correct('t', 'c', { ...recorded(45 + 15, 45, 15), ended: ['a'] });
    expect(await used()).toBe(45 + 20);
    await store.correct('t', 'c', { ...recorded(48 + 15, 48, 15), ended: ['a'] });
    expect(await used()).toBe(48 + 20);
    await run([statement({ consumed: 53 })]);
    expect(await used()).toBe(53 + 20);
  });

  it('applies price corrections in both directions without a write-off', async () => {
    const seed = { period: 0, used: 30, holders: [], adjusted: 10 };
    await run([statement({ consumed: 50, seed })]);
    expect(await used()).toBe(80);
    await store.correct('t', 'c', { ...recorded(30 + 40 - 15, 40), adjusted: -5 });
    expect(await used()).toBe(20 + 50 - 5);
    await store.correct('t', 'c', { ...recorded(20 + 50 + 7, 50), adjusted: 7 });
    expect(await used()).toBe(77);
  });

  it('reports what each holder has stated, and for how long it has been silent', async () => {
    await run([statement({ consumed: 50 })]);
    await run([statement({ consumed: 20 })], [], { holder: 'b', leaseMs: 1 });
    now += 7;
    const { holders = [] } = (await store.read('t', 'c')) ?? {};
    expect(new Map(holders.map(({ holder, ...rest }) => [holder, rest]))).toEqual(
      new Map([
        ['a', { consumed: 50, silentMs: 0 }],
        ['b', { consumed: 20, silentMs: 6 }],
      ]),
    );
  });

  const places = (over: Partial<CounterStatement> = {}): CounterStatement =>
    statement({ key: 'places', kind: 'open', boundaries: [], value: 30, seed: null, ...over });

  it('frees the holds of a dead process in the round trip of any process that reports it as dead', async () => {
    await run([places({ hold: 29 }), statement({ hold: 90, consumed: 5 })], [], { holder: 'dead.1' });
    const both = [places(), statement()];
    const before = await run(both, [claim(2, 2)], { holder: 'b.1' });
    expect(before.claims).toEqual([0]);
    const after = await run(both, [claim(20, 80)], { holder: 'b.1', gone: ['dead', 'deader'] });
    expect(after.claims).toEqual([ADMITTED]);
    // The amount is free for all processes, and what the dead one has used stays counted.
    const third = await run([places(), statement()], [], { holder: 'c.1' });
    expect(third.counters.map(({ used: sum, held }) => [sum, held])).toEqual([
      [0, 20],
      [5, 80],
    ]);
  });

  it('gives freed places to a process below its share of concurrency, and later to any process', async () => {
    await run([places({ holder: 'a.1', hold: 30 })]);
    await run([places({ holder: 'b.1' })]);
    const starved = await run([places({ holder: 'c.1' })], [claim(1)]);
    expect(starved.claims).toEqual([0]);
    // Ten places become free. The process that already holds two thirds of all places gets none.
    const greedy = await run([places({ holder: 'a.1', hold: 20, want: 8 })], [claim(1)]);
    expect(greedy.claims).toEqual([0]);
    expect(first(greedy)).toMatchObject({ crowded: true, extra: 0 });
    const fair = await run(
      [places({ holder: 'c.1' })],
      Array.from({ length: 11 }, () => claim(1)),
    );
    expect(fair.claims).toEqual([...Array.from({ length: 10 }, () => ADMITTED), 0]);
    // No process below its share was refused recently, so every process may have the rest.
    const late = async () => (await run([places({ holder: 'a.1', hold: 15 })], [claim(1)])).claims;
    expect(await late()).toEqual([0]);
    now += 60_000;
    expect(await late()).toEqual([ADMITTED]);
  });

  it('replies lost and decides no claim when a concurrency counter does not know a holder that it replied to', async () => {
    const lost = await run([places({ hold: 12, known: true, want: 10 })], [claim(1)]);
    expect(first(lost)).toMatchObject({ status: 'lost', held: 12, extra: 0 });
    expect(lost.claims).toEqual([UNDECIDED]);
    expect(first(await run([places({ hold: 12, known: true })])).status).toBe('ok');
    expect(first(await run([places({ holder: 'new.1' })])).status).toBe('ok');
  });

  it('starts a new period at a reset, and ignores a repeated reset', async () => {
    await run([statement({ consumed: 50, hold: 10 })]);
    await store.reset('t', 'c', 1_000);
    expect(await store.read('t', 'c')).toMatchObject({ period: 1_000, used: 0, held: 0 });
    await run([statement({ period: 1_000, consumed: 5 })]);
    await store.reset('t', 'c', 1_000);
    expect(await store.read('t', 'c')).toMatchObject({ period: 1_000, used: 5 });
  });

  it('keeps tenants apart', async () => {
    await run([statement({ consumed: 5 })]);
    expect(first(await run([statement({})], [], { tenant: 'u' })).used).toBe(0);
  });

  it('counts to 2^53 − 1 without losing a unit', async () => {
    const value = Number.MAX_SAFE_INTEGER;
    const response = await run(
      [statement({ value, consumed: value - 3 })],
      [claim(4), claim(2), claim(1), claim(1)],
    );
    expect(response.claims).toEqual([0, ADMITTED, ADMITTED, 0]);
    expect(await store.read('t', 'c')).toMatchObject({ used: value - 3, held: 3 });
  });
}
