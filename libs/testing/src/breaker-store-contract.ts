import type { BreakerChange, BreakerStore } from '@gw/contracts';
import { eventually } from './eventually';

/** Stores of two gateways. A driver within one process returns the same store twice. */
export interface BreakerStorePair {
  readonly one: BreakerStore;
  readonly other: BreakerStore;
}

/** Contract test of breaker stores. `open` must return stores without open breakers. */
export function breakerStoreContract(open: () => Promise<BreakerStorePair>): void {
  const last = (received: readonly BreakerChange[], key: string): number | undefined =>
    received.filter((change) => change.key === key).at(-1)?.openForMs;

  it('notifies another gateway that a breaker opened and closed', async () => {
    const { one, other } = await open();
    const received: BreakerChange[] = [];
    other.subscribe((change) => received.push(change));
    // A subscription may take a moment; messages published meanwhile are delivered once it is
    // active.
    one.publish({ key: 'a', openForMs: 30_000 });
    await eventually(() => (last(received, 'a') ?? 0) > 0);
    expect(last(received, 'a')).toBeLessThanOrEqual(30_000);
    one.publish({ key: 'a', openForMs: 0 });
    await eventually(() => last(received, 'a') === 0);
  });

  it('sends only the open breakers to a gateway that subscribes later', async () => {
    const { one, other } = await open();
    const seen: BreakerChange[] = [];
    const stop = one.subscribe((change) => seen.push(change));
    for (const key of ['short', 'long', 'closed']) {
      one.publish({ key, openForMs: key === 'short' ? 1 : 30_000 });
    }
    one.publish({ key: 'closed', openForMs: 0 });
    await eventually(() => last(seen, 'closed') === 0);
    stop();
    const received: BreakerChange[] = [];
    other.subscribe((change) => received.push(change));
    await eventually(() => last(received, 'long') !== undefined);
    expect(last(received, 'long')).toBeLessThanOrEqual(30_000);
    expect(last(received, 'closed') ?? 0).toBe(0);
    expect(last(received, 'short') ?? 0).toBeLessThanOrEqual(1);
  });

  it('sends nothing to a gateway that has unsubscribed', async () => {
    const { one, other } = await open();
    const received: BreakerChange[] = [];
    other.subscribe((change) => received.push(change))();
    const seen: BreakerChange[] = [];
    one.subscribe((change) => seen.push(change));
    one.publish({ key: 'a', openForMs: 30_000 });
    await eventually(() => last(seen, 'a') !== undefined);
    expect(received).toEqual([]);
  });
}
