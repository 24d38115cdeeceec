import { EndpointMap } from './endpoint-map';

/**
 * Each bucket is a sixth wider than the one before: from 1 ms to over an hour, with an error of at
 * most 8 %.
 */
const BUCKETS = 100;
const GROWTH = Math.log(7 / 6);
/** Length of an epoch. A measurement counts for one to two epochs. */
const EPOCH_MS = 30_000;
/** Minimum number of calls for a percentile. */
const SAMPLES_MIN = 20;
/** Weight of the newest call in the moving average of costs. */
const NEWEST = 0.1;
const CAPACITY = 10_000;

const bucketOf = (ms: number): number =>
  Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, 1)) / GROWTH)));

/** The calls of one epoch. */
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
  /** Null while unknown. */
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
 * Measurements per endpoint (`endpointKey`): latency and stream speed over the last half minute to
 * minute, the calls in flight, and a moving average of the cost of a call.
 * Keeps at most 10,000 endpoints of about 1 KB; beyond that the workspace with the most loses its
 * oldest one.
 */
export class TargetStatistics {
  private readonly endpoints: EndpointMap<EndpointStatistics>;

  constructor(capacity = CAPACITY) {
    this.endpoints = new EndpointMap(capacity);
  }

  /**
   * Notes the start of a call. Call `ended` when its last byte has arrived or it was cancelled.
   */
  started(endpoint: string): void {
    this.statisticsOf(endpoint).busy++;
  }

  ended(endpoint: string): void {
    const known = this.endpoints.get(endpoint);
    if (known && known.busy > 0) known.busy--;
  }

  /**
   * Records the milliseconds until a response began, or until the gateway stopped waiting for it.
   */
  latency(endpoint: string, ms: number, nowMs: number): void {
    this.statisticsOf(endpoint).add(ms, nowMs);
  }

  /** Records the output tokens per second of a stream. */
  speed(endpoint: string, tokensPerSecond: number, nowMs: number): void {
    this.statisticsOf(endpoint).addSpeed(tokensPerSecond, nowMs);
  }

  /** Records the cost of a call, in any unit that is the same for all calls. */
  cost(endpoint: string, cost: number): void {
    const known = this.statisticsOf(endpoint);
    known.cost = known.cost === null ? cost : known.cost + (cost - known.cost) * NEWEST;
  }

  busyOf(endpoint: string): number {
    return this.endpoints.get(endpoint)?.busy ?? 0;
  }

  /** Returns the mean latency; null when nothing was measured recently. */
  meanLatencyMs(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.mean(nowMs) ?? null;
  }

  /** Returns the mean output tokens per second; null when no stream was measured recently. */
  meanSpeed(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.meanSpeed(nowMs) ?? null;
  }

  /** Returns the 95th percentile of the latency; null for fewer than 20 calls. */
  p95LatencyMs(endpoint: string, nowMs: number): number | null {
    return this.endpoints.get(endpoint)?.p95(nowMs) ?? null;
  }

  costOf(endpoint: string): number | null {
    return this.endpoints.get(endpoint)?.cost ?? null;
  }

  private statisticsOf(endpoint: string): EndpointStatistics {
    let known = this.endpoints.get(endpoint);
    if (known === undefined) {
      known = new EndpointStatistics();
      this.endpoints.set(endpoint, known);
    }
    return known;
  }
}
