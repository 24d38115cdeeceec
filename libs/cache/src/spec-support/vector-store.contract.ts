import { randomUUID } from 'node:crypto';
import { eventually } from '@gw/testing';
import type { VectorStore } from '../index';
import { normalised } from '../semantic/vectors';
import { TENANT } from './samples';

export const CONTRACT_PER_BUCKET_MAX = 150;

const vectorOf = (...components: number[]): Float32Array => normalised(components) as Float32Array;

/**
 * Contract of every driver. `make` returns a store that holds `CONTRACT_PER_BUCKET_MAX` vectors per
 * bucket.
 */
export function vectorStoreContract(make: () => VectorStore): void {
  const NOW = Date.now();
  const LATER = NOW + 600_000;
  let store: VectorStore;
  let bucket: string;
  const nearest = (vector: Float32Array, in_ = bucket, nowMs = NOW) =>
    store.nearest(TENANT, in_, vector, nowMs);
  const added = async (id: string, vector: Float32Array, expiresAtMs = LATER): Promise<void> => {
    store.add(TENANT, bucket, { id, vector, expiresAtMs }, NOW);
    await eventually(async () => (await nearest(vector))?.id === id);
  };

  beforeEach(() => {
    store = make();
    bucket = randomUUID();
  });

  it('finds the most similar vector and its similarity', async () => {
    await added('east', vectorOf(1, 0));
    await added('north', vectorOf(0, 2));
    const found = await nearest(vectorOf(1, 3));
    expect(found?.id).toBe('north');
    expect(found?.similarity).toBeCloseTo(3 / Math.sqrt(10), 6);
  });

  it('never searches another bucket, which belongs to another tenant', async () => {
    await added('mine', vectorOf(1, 0));
    expect(await nearest(vectorOf(1, 0), randomUUID())).toBeNull();
  });

  it('finds no vector that has expired or has other dimensions', async () => {
    await added('short', vectorOf(1, 0), NOW + 5_000);
    expect(await nearest(vectorOf(1, 0), bucket, NOW + 5_000)).toBeNull();
    expect(await nearest(vectorOf(1, 0, 0))).toBeNull();
  });

  it('replaces the vector when an id is added again', async () => {
    await added('a', vectorOf(1, 0));
    await added('a', vectorOf(0, 1));
    expect((await nearest(vectorOf(1, 0)))?.similarity).toBeCloseTo(0, 6);
  });

  it('keeps only the newest vectors of a bucket, up to its maximum', async () => {
    const at = (i: number): Float32Array => vectorOf(Math.cos(i / 100), Math.sin(i / 100));
    for (let i = 0; i < CONTRACT_PER_BUCKET_MAX + 10; i += 1)
      store.add(TENANT, bucket, { id: String(i), vector: at(i), expiresAtMs: LATER }, NOW);
    const last = CONTRACT_PER_BUCKET_MAX + 9;
    await eventually(async () => (await nearest(at(last)))?.id === String(last));
    expect((await nearest(at(0)))?.id).toBe('10');
  });
}
