import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '@gw/kernel';
import { eventually } from '@gw/testing';
import type { IdempotencyClaim, IdempotencyStore } from '../index';
import { TENANT } from './samples';

const fingerprint = 'f'.repeat(43);
const other = 'g'.repeat(43);

/** Contract of every driver. */
export function idempotencyStoreContract(make: () => IdempotencyStore): void {
  let store: IdempotencyStore;
  let scope: string;
  const claimOf = (print = fingerprint): IdempotencyClaim => ({
    scope,
    fingerprint: print,
    token: randomUUID(),
    tenant: TENANT,
  });

  /**
   * Waits until a lease of this length has ended that began now, and with it every earlier one. It
   * is the lease of an unrenewed claim of another scope, because a claim of the same scope would
   * take over.
   */
  const leaseEnds = async (leaseMs: number): Promise<void> => {
    const unrenewed = { ...claimOf(), scope: randomUUID() };
    await store.claim(unrenewed, leaseMs);
    const isEnded = async () =>
      (await store.claim({ ...unrenewed, token: randomUUID() }, HOUR_MS)).kind === 'claimed';
    await eventually(isEnded);
  };

  beforeEach(() => {
    store = make();
    scope = randomUUID();
  });

  it('gives the claim to exactly one of many concurrent callers', async () => {
    const states = await Promise.all(Array.from({ length: 20 }, () => store.claim(claimOf(), HOUR_MS)));
    expect(states.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(states.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('returns the fingerprint of the request under the scope, in flight and after it', async () => {
    const claim = claimOf();
    await store.claim(claim, HOUR_MS);
    expect(await store.claim(claimOf(other), HOUR_MS)).toEqual({ kind: 'running', fingerprint });
    await store.complete(claim, Buffer.from([0, 255, 13, 10]), HOUR_MS);
    expect(await store.claim(claimOf(other), HOUR_MS)).toEqual({
      kind: 'done',
      fingerprint,
      response: Buffer.from([0, 255, 13, 10]),
    });
  });

  it('stays done after a response that was too large to keep', async () => {
    const claim = claimOf();
    await store.claim(claim, HOUR_MS);
    await store.complete(claim, null, HOUR_MS);
    expect(await store.claim(claimOf(), HOUR_MS)).toEqual({ kind: 'done', fingerprint, response: null });
  });

  it('gives the claim to the next caller after a release', async () => {
    const claim = claimOf();
    await store.claim(claim, HOUR_MS);
    await store.release(claimOf());
    expect((await store.claim(claimOf(), HOUR_MS)).kind).toBe('running');
    await store.release(claim);
    expect((await store.claim(claimOf(), HOUR_MS)).kind).toBe('claimed');
  });

  it('ends a claim that is not renewed, and ignores its late response', async () => {
    const lost = claimOf();
    await store.claim(lost, 50);
    const next = claimOf();
    await eventually(async () => (await store.claim(next, HOUR_MS)).kind === 'claimed');
    await store.complete(lost, Buffer.from('late'), HOUR_MS);
    await store.release(lost);
    expect((await store.claim(claimOf(), HOUR_MS)).kind).toBe('running');
    await store.complete(next, Buffer.from('answer'), HOUR_MS);
    expect(await store.claim(claimOf(), HOUR_MS)).toMatchObject({ response: Buffer.from('answer') });
  });

  it('stores a response after the lease has expired if no other process has claimed the scope', async () => {
    const claim = claimOf();
    await store.claim(claim, 1);
    await leaseEnds(1);
    await store.complete(claim, Buffer.from('answer'), HOUR_MS);
    expect(await store.claim(claimOf(), HOUR_MS)).toMatchObject({
      kind: 'done',
      response: Buffer.from('answer'),
    });
  });

  it('keeps a claim while it is renewed', async () => {
    const renewed = claimOf();
    await store.claim(renewed, 100);
    await store.renew(renewed, HOUR_MS);
    await leaseEnds(100);
    expect((await store.claim(claimOf(), HOUR_MS)).kind).toBe('running');
  });

  it('drops a response after its ttl', async () => {
    const claim = claimOf();
    await store.claim(claim, HOUR_MS);
    await store.complete(claim, Buffer.from('x'), 100);
    await eventually(async () => (await store.claim(claimOf(), HOUR_MS)).kind === 'claimed');
  });
}
