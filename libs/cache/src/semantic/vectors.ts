export interface Neighbour {
  /** Key of the vector's entry. */
  readonly id: string;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

/** Maximum components of a vector. */
export const DIMENSIONS_MAX = 4_096;

/**
 * Returns a copy of length 1, so that a dot product is the cosine. Null for a vector without
 * direction: empty, zero, not finite or too long.
 */
export function normalised(vector: ArrayLike<number>): Float32Array | null {
  if (vector.length === 0 || vector.length > DIMENSIONS_MAX) return null;
  let sum = 0;
  for (let i = 0; i < vector.length; i += 1) sum += (vector[i] as number) * (vector[i] as number);
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) return null;
  return Float32Array.from(vector, (component) => component / length);
}

const INITIAL_CAPACITY = 8;

/**
 * Vectors of one bucket, at most `capacity`; the oldest is replaced when it is full.
 * All are in one array and every search reads all of them, so it is exact; 1,000 vectors of 1,536
 * components take about a millisecond.
 */
export class VectorSet {
  private vectors: Float32Array;
  private readonly slots = new Map<string, number>();
  private readonly ids: string[] = [];
  private readonly expiries: number[] = [];
  private nextSlot = 0;
  /** The latest expiry of a vector that was added. */
  expiresAtMs = -Infinity;

  constructor(
    readonly dimensions: number,
    private readonly capacity: number,
  ) {
    this.vectors = new Float32Array(dimensions * Math.min(capacity, INITIAL_CAPACITY));
  }

  get size(): number {
    return this.slots.size;
  }

  /** Approximate bytes of the array and the index. */
  get bytes(): number {
    return this.vectors.byteLength + this.ids.length * 160;
  }

  /**
   * Adds or replaces the vector of an id. `vector` must be normalised and have `dimensions`
   * components.
   */
  add(id: string, vector: Float32Array, expiresAtMs: number): void {
    const slot = this.slots.get(id) ?? this.takeSlot();
    this.vectors.set(vector, slot * this.dimensions);
    this.ids[slot] = id;
    this.expiries[slot] = expiresAtMs;
    this.expiresAtMs = Math.max(this.expiresAtMs, expiresAtMs);
    this.slots.set(id, slot);
  }

  /** Returns the most similar vector that has not expired; the first of equals. */
  nearest(vector: Float32Array, nowMs: number): Neighbour | null {
    let best: string | null = null;
    let similarity = -Infinity;
    for (let slot = 0; slot < this.ids.length; slot += 1) {
      const id = this.ids[slot] as string;
      if ((this.expiries[slot] as number) <= nowMs) continue;
      const found = this.dot(vector, slot * this.dimensions);
      if (found > similarity) {
        similarity = found;
        best = id;
      }
    }
    return best === null ? null : { id: best, similarity };
  }

  private dot(vector: Float32Array, from: number): number {
    const { vectors, dimensions } = this;
    let sum = 0;
    for (let i = 0; i < dimensions; i += 1) sum += (vector[i] as number) * (vectors[from + i] as number);
    return sum;
  }

  private takeSlot(): number {
    const slot = this.nextSlot;
    this.nextSlot = (slot + 1) % this.capacity;
    const previous = this.ids[slot];
    if (previous !== undefined) this.slots.delete(previous);
    const needed = (slot + 1) * this.dimensions;
    if (needed > this.vectors.length) {
      const grown = new Float32Array(Math.min(this.capacity * this.dimensions, this.vectors.length * 2));
      grown.set(this.vectors);
      this.vectors = grown;
    }
    return slot;
  }
}
