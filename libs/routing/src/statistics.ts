import { EndpointMap } from './endpoint-map';

/** Each bucket is a sixth wider than the one before it: from 1 ms up to over an hour, within 8 % of the truth. */
const BUCKETS = 100;
const GROWTH = Math.log(7 / 6);
/** Measurements count for one to two epochs. */
const EPOCH_MS = 30_000;
/** A percentile of fewer calls would be chance. */
const SAMPLES_MIN = 20;
/** Weight of the newest call in the running average of costs. */
const NEWEST = 0.1;
const CAPACITY = 10_000;

const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, 1)) / GROWTH)));

/** Calls of one epoch. */
class Epoch {
  readonly counts = new Uint32Array(BUCKETS);
  samples = 0;
  sumMs = 0;
  streams = 0;
  sumSpeed = 0;

  clear(): void {
    this.counts.fill(0);
    this.samples = this.sumMs = 0;
    this.streams = this.sumSpeed = 0;
  }
}

class EndpointStatistics {
  busy = 0;
  /** Null: nothing is known. */
  cost: number | null = null;
  private current = new Epoch();
  private earlier = new Epoch();
  private startedMs = 0;

  add(ms: number, nowMs: number): void {
    this.roll(nowMs);
    const bucket = bucketOf(ms);
    this.current.counts[bucket] = (this.current.counts[bucket] ?? 0) + 1;
    this.current.samples++;
    this.current.sumMs += ms;
  }

  mean(nowMs: number): number | null {
    this.roll(nowMs);
    const samples = this.current.samples + this.earlier.samples;
    return samples === 0 ? null : (this.current.sumMs + this.earlier.sumMs) / samples;
  }

  addSpeed(tokensPerSecond: number, nowMs: number): void {
    this.roll(nowMs);
    this.current.streams++;
    this.current.sumSpeed += tokensPerSecond;
  }

  meanSpeed(nowMs: number): number | null {
    this.roll(nowMs);
    const streams = this.current.streams + this.earlier.streams;
    return streams === 0 ? null : (this.current.sumSpeed + this.earlier.sumSpeed) / streams;
  }

  p95(nowMs: number): number | null {
    this.roll(nowMs);
    const samples = this.current.samples + this.earlier.samples;
    if (samples < SAMPLES_MIN) return null;
    let above = Math.floor(samples * 0.05);
    for (let bucket = BUCKETS - 1; bucket > 0; bucket--) {
      above -= (this.current.counts[bucket] ?? 0) + (this.earlier.counts[bucket] ?? 0);
      if (above < 0) return Math.exp(bucket * GROWTH);
    }
    return 1;
  }

  private roll(nowMs: number): void {
    const elapsedMs = nowMs - this.startedMs;
    if (elapsedMs >= 0 && elapsedMs < EPOCH_MS) return;
    const isNext = elapsedMs >= 0 && elapsedMs < 2 * EPOCH_MS;
    if (isNext) [this.current, this.earlier] = [this.earlier, this.current];
    else this.earlier.clear();
    this.current.clear();
    this.startedMs = nowMs;
  }
}

/**
 * What was measured of each endpoint (`endpointKey`) over the last half minute to minute: time to the answer, speed of streams,
 * calls under way, cost of a call. At most 10,000 endpoints of about 1 KB; then the workspace with the most loses the one
 * that it has had longest.
 */
export class TargetStatistics {
  private readonly endpoints: EndpointMap<EndpointStatistics>;

  constructor(capacity = CAPACITY) {
    this.endpoints = new EndpointMap(capacity);
  }

  /** A call begins; `ended` must follow, once the last byte of its answer is there or it is given up. */
  started(endpoint: string): void {
    this.of(endpoint).busy++;
  }

  ended(endpoint: string): void {
    const known = this.endpoints.get(endpoint);
    if (known && known.busy > 0) known.busy--;
  }

  /** Milliseconds until an answer began, or until it was no longer waited for. */
  latency(endpoint: string, ms: number, nowMs: number): void {
    this.of(endpoint).add(ms, nowMs);
  }

  /** Output tokens a second of a stream. */
  speed(endpoint: string, tokensPerSecond: number, nowMs: number): void {
    this.of(endpoint).addSpeed(tokensPerSecond, nowMs);
  }

  /** What a call cost, in any unit that is the same for all of them. */
  cost(endpoint: string, cost: number): void {
    const known = this.of(endpoint);
    known.cost = known.cost === null ? cost : known.cost + (cost - known.cost) * NEWEST;
  }

  busyOf(endpoint: string): number {
    return this.endpoints.get(endpoint)?.busy ?? 0;
  }

  /** Null: nothing was measured lately. */
  meanLatencyMs(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.mean(nowMs) ?? null;
  }

  /** Output tokens a second; null: no stream was measured lately. */
  meanSpeed(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.meanSpeed(nowMs) ?? null;
  }

  /** 95th percentile of the latency, null for fewer than 20 calls. */
  p95LatencyMs(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.p95(nowMs) ?? null;
  }

  costOf(endpoint: string): number | null {
    return this.endpoints.get(endpoint)?.cost ?? null;
  }

  private of(endpoint: string): EndpointStatistics {
    let known = this.endpoints.get(endpoint);
    if (known === undefined) {
      known = new EndpointStatistics();
      this.endpoints.set(endpoint, known);
    }
    return known;
  }
}
