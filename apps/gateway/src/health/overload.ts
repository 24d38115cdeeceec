import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '@gw/kernel';
import { degraded, WELL, type Part } from '@gw/web';

/** How close the process is to its resource limits. */
export interface Pressure {
  /** Fraction of the memory that the process may use. */
  readonly memory: number;
  /** Fraction of the heap that V8 may use. */
  readonly heap: number;
  /** Smoothed delay of the event loop in milliseconds. */
  readonly delayMs: number;
}

/** 0: all requests are accepted. 1: large bodies are refused. 2: all requests are refused. */
export type OverloadLevel = 0 | 1 | 2;

/**
 * For levels 1 and 2: a level starts at the first bound of any measure, and ends below the second
 * bound of all.
 */
const BOUNDS: readonly Readonly<Record<keyof Pressure, readonly [number, number]>>[] = [
  { memory: [0.75, 0.65], heap: [0.8, 0.7], delayMs: [1_000, 300] },
  { memory: [0.88, 0.78], heap: [0.92, 0.82], delayMs: [3_000, 1_000] },
];
/**
 * Bytes of a body above which level 1 refuses it. Level 1 also refuses bodies of unknown length.
 */
const LARGE_BYTES = 262_144;
const SAMPLE_MS = 200;
/**
 * Weight of the newest sample in the smoothed delay, so that a single long turn is not an overload.
 */
const NEWEST = 0.2;
/** Memory of code, stacks and other allocations that V8 does not count. */
const NATIVE_BYTES = 83_886_080;

/**
 * Fraction of the allowed memory from which the resident set size is read; below the end of every
 * level.
 */
const RSS_FROM = 0.5;

/**
 * Refuses requests before the process runs out of memory or responds too late to be useful. The
 * level is measured every 200 ms, so the check of a request is one comparison.
 */
export class Overload {
  level: OverloadLevel = 0;
  /** Number of refused requests. */
  refused = 0;
  private pressure: Pressure = { memory: 0, heap: 0, delayMs: 0 };
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly measure: () => Pressure) {}

  start(): void {
    this.timer ??= setInterval(() => this.look(), SAMPLE_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** Measures once and sets the level; `start` repeats this. */
  look(): void {
    const pressure = this.measure();
    this.pressure = pressure;
    const reaches = (level: 1 | 2): boolean => {
      const bounds = BOUNDS[level - 1] as (typeof BOUNDS)[number];
      const side = this.level >= level ? 1 : 0;
      return KINDS.some((kind) => pressure[kind] >= bounds[kind][side]);
    };
    this.level = reaches(2) ? 2 : reaches(1) ? 1 : 0;
  }

  /**
   * `length` is that of the body in bytes; null if unknown. Throws `unavailable` if the level
   * refuses it.
   */
  refuse(length: number | null): void {
    if (this.level === 0) return;
    if (this.level === 1 && length !== null && length <= LARGE_BYTES) return;
    this.refused += 1;
    const what = this.level === 1 ? 'refuses large bodies' : 'refuses all requests';
    throw new GatewayError('unavailable', {
      message: `The gateway is overloaded and ${what} for now; send the request again later.`,
      headers: { 'retry-after': '2' },
    });
  }

  readonly part: Part = {
    name: 'overload',
    check: () => {
      const { memory, heap, delayMs } = this.pressure;
      const figures = {
        memory: round(memory),
        heap: round(heap),
        loop_delay_ms: Math.round(delayMs),
        refused: this.refused,
      };
      if (this.level === 0) return { ...WELL, figures };
      const what = this.level === 1 ? 'Large bodies are refused.' : 'All requests are refused.';
      return { ...degraded(`The process is near its resource limits. ${what}`), figures };
    },
  };
}

const KINDS = ['memory', 'heap', 'delayMs'] as const;
const round = (value: number): number => Math.round(100 * value) / 100;

/** Returns a function that measures this process, which may use `bytes` of memory. */
export function pressureOf(bytes: number): () => Pressure {
  let due = performance.now() + SAMPLE_MS;
  let delayMs = 0;
  return () => {
    const now = performance.now();
    delayMs += NEWEST * (Math.max(0, now - due) - delayMs);
    due = now + SAMPLE_MS;
    const { used_heap_size: used, heap_size_limit: limit, ...heap } = getHeapStatistics();
    // Node.js keeps freed memory for reuse: it counts in rss, but is available to new requests.
    const counted = heap.total_heap_size + heap.external_memory + NATIVE_BYTES;
    // Reading rss from the system takes a hundred times as long as reading V8's statistics.
    const inUse = counted < RSS_FROM * bytes ? counted : Math.min(process.memoryUsage.rss(), counted);
    return { memory: inUse / bytes, heap: used / limit, delayMs };
  };
}
