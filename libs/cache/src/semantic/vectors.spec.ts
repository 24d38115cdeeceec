import fc from 'fast-check';
import { vectorStoreContract, CONTRACT_PER_BUCKET_MAX } from '../spec-support/vector-store.contract';
import { MemoryVectorStore } from './memory-vector-store';
import { normalised, VectorSet } from './vectors';
import { TENANT } from '../spec-support/samples';

const DIMENSIONS = 5;
const component = fc.integer({ min: -1_000, max: 1_000 });
const raw = fc.array(component, { minLength: DIMENSIONS, maxLength: DIMENSIONS });

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * (y[i] as number), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('VectorSet', () => {
  it('finds the same vector as a search of all newest live vectors', () => {
    const stored = fc.tuple(fc.nat(20), raw, fc.boolean());
    fc.assert(
      fc.property(
        fc.array(stored, { maxLength: 40 }),
        raw,
        fc.integer({ min: 1, max: 12 }),
        (list, requested, capacity) => {
          const set = new VectorSet(DIMENSIONS, capacity);
          const books = new Map<string, { vector: number[]; isAlive: boolean }>();
          for (const [id, vector, isAlive] of list) {
            const unit = normalised(vector);
            if (unit === null) continue;
            set.add(String(id), unit, isAlive ? 10 : 5);
            if (!books.has(String(id)) && books.size === capacity)
              books.delete([...books.keys()][0] as string);
            books.set(String(id), { vector, isAlive });
          }
          const unit = normalised(requested);
          if (unit === null) return;
          const alive = [...books].filter(([, { isAlive }]) => isAlive);
          const found = set.nearest(unit, 5);
          expect(set.size).toBe(books.size);
          expect(found === null).toBe(alive.length === 0);
          if (found === null) return;
          const best = Math.max(...alive.map(([, { vector }]) => cosine(vector, requested)));
          expect(Math.abs(found.similarity - best)).toBeLessThan(1e-5);
          const own = cosine(books.get(found.id)?.vector ?? [], requested);
          expect(Math.abs(own - best)).toBeLessThan(1e-5);
        },
      ),
      { seed: 3, numRuns: 1_000 },
    );
  });
});

describe('normalised', () => {
  it('returns null for a vector without direction', () => {
    expect(normalised([])).toBeNull();
    expect(normalised([0, 0])).toBeNull();
    expect(normalised([Number.NaN, 1])).toBeNull();
    expect(normalised([Infinity, 1])).toBeNull();
    expect(normalised(new Array<number>(4_097).fill(1))).toBeNull();
  });
});

describe('MemoryVectorStore', () => {
  vectorStoreContract(
    () => new MemoryVectorStore({ bytesMax: 1_000_000, perBucketMax: CONTRACT_PER_BUCKET_MAX }),
  );

  it('never holds more bytes than its bound, for any number of buckets', () => {
    const store = new MemoryVectorStore({ bytesMax: 50_000, perBucketMax: 20 });
    for (let i = 0; i < 2_000; i += 1) {
      const vector = normalised(Array.from({ length: 64 }, (_, k) => 1 + ((i * k) % 7))) as Float32Array;
      store.add(TENANT, `bucket-${String(i % 37)}`, { id: String(i), vector, expiresAtMs: 600_000 }, 0);
      expect(store.bytes).toBeLessThanOrEqual(50_000);
    }
    expect(store.bytes).toBeGreaterThan(15_000);
  });

  it('keeps the vectors of a workspace, however many another one adds', () => {
    const store = new MemoryVectorStore({ bytesMax: 50_000, perBucketMax: 20 });
    const other = { workspaceId: 'w2', organisationId: 'o2' };
    const east = normalised([1, 0]) as Float32Array;
    store.add(TENANT, 'mine', { id: 'own', vector: east, expiresAtMs: 600_000 }, 0);
    for (let i = 0; i < 2_000; i += 1)
      store.add(other, `theirs-${String(i)}`, { id: String(i), vector: east, expiresAtMs: 600_000 }, 0);
    expect(store.nearest(TENANT, 'mine', east, 0)?.id).toBe('own');
    expect(store.nearest(other, 'theirs-1999', east, 0)?.id).toBe('1999');
    expect(store.nearest(other, 'theirs-0', east, 0)).toBeNull();
  });
});
