import { setImmediate } from 'node:timers/promises';
import {
  GatewayError,
  idempotencyFingerprint,
  idempotencyScope,
  isFinalStatus,
  readIdempotencyKey,
  type IdempotencyScope,
} from '@gw/kernel';
import { idempotencyStoreContract } from '../spec-support/idempotency-store.contract';
import { sampleResponse, TENANT } from '../spec-support/samples';
import { Idempotency, type StartedCall, type FirstCall } from './idempotency';
import type { IdempotencyStore } from './idempotency-store';
import { MemoryIdempotencyStore } from './memory-idempotency-store';

const memory = (): MemoryIdempotencyStore => new MemoryIdempotencyStore({ bytesMax: 1_000_000 });
const patient = { timeoutMs: 60_000, isGone: () => false, tenant: TENANT };
const firstOf = (call: StartedCall): FirstCall => {
  if (call.kind !== 'first') throw new Error('Not the first call.');
  return call;
};

describe('MemoryIdempotencyStore', () => {
  idempotencyStoreContract(memory);

  it('refuses a claim when there is no room, and never evicts claims in flight for responses', async () => {
    const store = new MemoryIdempotencyStore({ bytesMax: 4_000, runningMax: 4 });
    const claim = (scope: string) => ({ scope, fingerprint: 'f', token: scope, tenant: TENANT });
    await store.claim(claim('a'), 60_000);
    for (let i = 0; i < 20; i += 1) {
      await store.claim(claim(`done-${String(i)}`), 60_000);
      await store.complete(claim(`done-${String(i)}`), Buffer.alloc(500), 60_000);
    }
    expect((await store.claim(claim('a'), 60_000)).kind).toBe('running');
    await store.claim(claim('b'), 60_000);
    await expect(store.claim(claim('c'), 60_000)).rejects.toMatchObject({ type: 'unavailable' });
  });
});

describe('Idempotency', () => {
  let idempotency: Idempotency;
  beforeEach(() => {
    idempotency = new Idempotency(memory(), memory(), { responseBytesMax: 10_000 });
  });

  it('replays the first response unchanged', async () => {
    const response = sampleResponse('created', { status: 201 });
    await firstOf(await idempotency.begin('s', 'f', patient)).complete(response);
    expect(await idempotency.begin('s', 'f', patient)).toEqual({ kind: 'replay', response: response });
    expect((await idempotency.begin('other scope', 'f', patient)).kind).toBe('first');
  });

  it('refuses a different request under the same key, while the first call is in flight and after it', async () => {
    const first = firstOf(await idempotency.begin('s', 'f', patient));
    const refusal = { type: 'idempotency_key_reused', status: 422 };
    await expect(idempotency.begin('s', 'g', patient)).rejects.toMatchObject(refusal);
    await first.complete(sampleResponse());
    await expect(idempotency.begin('s', 'g', patient)).rejects.toMatchObject(refusal);
  });

  it('lets later calls wait for the first one and returns its response', async () => {
    const first = firstOf(await idempotency.begin('s', 'f', patient));
    const second = idempotency.begin('s', 'f', patient);
    const third = idempotency.begin('s', 'f', patient);
    await first.complete(sampleResponse());
    expect(await Promise.all([second, third])).toEqual([
      { kind: 'replay', response: sampleResponse() },
      { kind: 'replay', response: sampleResponse() },
    ]);
  });

  it('makes exactly one waiting call the first one when the first call is released', async () => {
    const first = firstOf(await idempotency.begin('s', 'f', patient));
    const waiting = [idempotency.begin('s', 'f', patient), idempotency.begin('s', 'f', patient)];
    await first.release();
    const taken = firstOf(await Promise.race(waiting));
    await taken.complete(sampleResponse('second try'));
    const kinds = (await Promise.all(waiting)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['first', 'replay']);
  });

  it('rejects with idempotency_in_flight after timeoutMs, or when the caller has disconnected', async () => {
    const first = firstOf(await idempotency.begin('s', 'f', patient));
    const inFlight = {
      type: 'idempotency_in_flight',
      status: 409,
      options: { headers: { 'retry-after': '1' } },
    };
    await expect(idempotency.begin('s', 'f', { ...patient, timeoutMs: 30 })).rejects.toMatchObject(inFlight);
    await expect(idempotency.begin('s', 'f', { ...patient, isGone: () => true })).rejects.toMatchObject(
      inFlight,
    );
    await first.release();
  });

  it('rejects with conflict when the first response was too large to keep', async () => {
    await firstOf(await idempotency.begin('s', 'f', patient)).complete(sampleResponse('x'.repeat(10_000)));
    await expect(idempotency.begin('s', 'f', patient)).rejects.toMatchObject({
      type: 'conflict',
      status: 409,
    });
  });

  it('ignores complete and release after a call has ended', async () => {
    const first = firstOf(await idempotency.begin('s', 'f', patient));
    await first.complete(sampleResponse('one'));
    await first.release();
    await first.complete(sampleResponse('two'));
    const again = await idempotency.begin('s', 'f', patient);
    expect(again).toEqual({ kind: 'replay', response: sampleResponse('one') });
  });

  describe('when the shared store fails during the first call', () => {
    /** A shared store that can be switched off, and loses its claims meanwhile, as their leases end. */
    const failing = () => {
      const state = { store: memory(), isDown: false };
      const call = <Result>(work: (store: MemoryIdempotencyStore) => Promise<Result>): Promise<Result> =>
        state.isDown ? Promise.reject(new Error('down')) : work(state.store);
      const shared: IdempotencyStore = {
        claim: (claim, leaseMs) => call((store) => store.claim(claim, leaseMs)),
        renew: (claim, leaseMs) => call((store) => store.renew(claim, leaseMs)),
        complete: (claim, response, ttlMs) => call((store) => store.complete(claim, response, ttlMs)),
        release: (claim) => call((store) => store.release(claim)),
        changed: (scope, timeoutMs) => state.store.changed(scope, timeoutMs),
      };
      const fail = (): void => {
        state.isDown = true;
        state.store = memory();
      };
      const recover = (): void => {
        state.isDown = false;
      };
      return { shared, fail, recover };
    };

    it('lets a repeated call wait for the first one, and replays its response after that', async () => {
      const { shared, fail, recover } = failing();
      const own = new Idempotency(shared, memory());
      const first = firstOf(await own.begin('s', 'f', patient));
      fail();
      const second = own.begin('s', 'f', patient);
      await expect(own.begin('s', 'g', patient)).rejects.toMatchObject({ type: 'idempotency_key_reused' });
      await first.complete(sampleResponse());
      const replay = { kind: 'replay', response: sampleResponse() };
      expect(await second).toEqual(replay);
      recover();
      expect(await own.begin('s', 'f', patient)).toEqual(replay);
    });

    it('makes a repeated call the first one once the first call was released', async () => {
      const { shared, fail, recover } = failing();
      const own = new Idempotency(shared, memory());
      const first = firstOf(await own.begin('s', 'f', patient));
      fail();
      await first.release();
      await firstOf(await own.begin('s', 'f', patient)).release();
      recover();
      expect((await own.begin('s', 'f', patient)).kind).toBe('first');
    });

    it('makes a repeated call the first one as soon as the shared store has released the key', async () => {
      const { shared } = failing();
      let released = (): void => undefined;
      const isReleased = new Promise<void>((resolve) => (released = resolve));
      const release: IdempotencyStore['release'] = async (claim) => {
        await shared.release(claim);
        released();
        await setImmediate();
      };
      const own = new Idempotency({ ...shared, release }, memory());
      const ended = firstOf(await own.begin('s', 'f', patient)).release();
      await isReleased;
      expect((await own.begin('s', 'f', { ...patient, timeoutMs: 0 })).kind).toBe('first');
      await ended;
    });

    it('keeps nothing in the process of calls that the shared store has completed', async () => {
      const { shared } = failing();
      const local = memory();
      const own = new Idempotency(shared, local);
      await firstOf(await own.begin('s', 'f', patient)).complete(sampleResponse());
      const claim = { scope: 's', fingerprint: 'f', token: 't', tenant: TENANT };
      expect((await local.claim(claim, 1_000)).kind).toBe('claimed');
    });
  });

  it('uses the store of the process while the shared store is unreachable', async () => {
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    const store: IdempotencyStore = {
      claim: away,
      renew: away,
      complete: away,
      release: away,
      changed: away,
    };
    const alone = new Idempotency(store, memory());
    await firstOf(await alone.begin('s', 'f', patient)).complete(sampleResponse());
    expect((await alone.begin('s', 'f', patient)).kind).toBe('replay');
  });
});

describe('readIdempotencyKey, scope and fingerprint', () => {
  it('accept only one value of visible ASCII as a key', () => {
    expect(readIdempotencyKey(undefined)).toBeNull();
    expect(readIdempotencyKey('a-1')).toBe('a-1');
    for (const value of ['', 'a b', 'é', 'x'.repeat(256), ['a', 'b']])
      expect(() => readIdempotencyKey(value)).toThrow(GatewayError);
  });

  it('give the key another scope in another workspace, organisation, method or path', () => {
    const scope: IdempotencyScope = {
      organisationId: 'o',
      workspaceId: 'w',
      method: 'POST',
      path: '/v1/x',
      key: 'k',
    };
    const others = Object.keys(scope).map((field) => idempotencyScope({ ...scope, [field]: 'z' }));
    expect(new Set([idempotencyScope(scope), ...others]).size).toBe(6);
  });

  it('give requests the same fingerprint only for equal url, headers, body and restrictions', () => {
    const request = { url: '/v1/x?a', headers: ['a', 'b'], body: Buffer.from('x'), inForce: ['k'] };
    const others = [
      { url: '/v1/x' },
      { headers: ['a', 'c'] },
      { body: Buffer.from('y') },
      { inForce: ['k', 'g'] },
    ];
    const prints = others.map((over) => idempotencyFingerprint({ ...request, ...over }));
    expect(new Set([idempotencyFingerprint(request), ...prints]).size).toBe(5);
    for (const print of prints) expect(print).toHaveLength(43);
  });

  it.each([
    [200, true],
    [302, true],
    [400, true],
    [404, true],
    [408, false],
    [409, false],
    [425, false],
    [429, false],
    [500, false],
    [503, false],
  ])(
    'keep a response with status %i: %s, so that a retry of a temporary failure can succeed',
    (status, isFinal) => {
      expect(isFinalStatus(status)).toBe(isFinal);
    },
  );
});
