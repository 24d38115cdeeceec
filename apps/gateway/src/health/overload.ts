import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '@gw/kernel';
import { degraded, WELL, type Part } from '@gw/web';

/** How near the process is to its bounds. */
export interface Pressure {
  /** Of the memory that the process may take. */
  readonly memory: number;
  /** Of the heap that V8 may take. */
  readonly heap: number;
  /** How late the event loop is, milliseconds, smoothed. */
  readonly delayMs: number;
}

/** 0: all is taken. 1: large bodies are refused. 2: all requests are refused. */
export type OverloadLevel = 0 | 1 | 2;

/** A level is entered at the first and left below the second. */
const BOUNDS: readonly Readonly<Record<keyof Pressure, readonly [number, number]>>[] = [
  { memory: [0.75, 0.65], heap: [0.8, 0.7], delayMs: [1_000, 300] },
  { memory: [0.88, 0.78], heap: [0.92, 0.82], delayMs: [3_000, 1_000] },
];
/** A longer body is refused at level 1, and one whose length is not known. */
const LARGE_BYTES = 262_144;
const SAMPLE_MS = 200;
/** Of the newest sample in the smoothed delay: one long turn alone is no overload. */
const NEWEST = 0.2;
/** Code, stacks and what is not counted by V8. */
const NATIVE_BYTES = 83_886_080;

/** Of the memory that the process may take; less than what a level is left at. */
const RSS_FROM = 0.5;

/**
 * Refuses requests before the process is ended for its memory, or answers too late to be of use. One place decides, several times a
 * second; a request costs one comparison.
 */
export class Overload {
  level: OverloadLevel = 0;
  /** Requests that were refused. */
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

  /** One turn of what `start` repeats. */
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

  /** `length`: of the body; null: it is not known. Throws `unavailable`. */
  refuse(length: number | null): void {
    if (this.level === 0) return;
    if (this.level === 1 && length !== null && length <= LARGE_BYTES) return;
    this.refused += 1;
    const what = this.level === 1 ? 'takes no large bodies' : 'takes no requests';
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
      return { ...degraded(`The process is near its bounds. ${what}`), figures };
    },
  };
}

const KINDS = ['memory', 'heap', 'delayMs'] as const;
const round = (value: number): number => Math.round(100 * value) / 100;

/** Of this process, which may take `bytes`. */
export function pressureOf(bytes: number): () => Pressure {
  let due = performance.now() + SAMPLE_MS;
  let delayMs = 0;
  return () => {
    const now = performance.now();
    delayMs += NEWEST * (Math.max(0, now - due) - delayMs);
    due = now + SAMPLE_MS;
    const { used_heap_size: used, heap_size_limit: limit, ...heap } = getHeapStatistics();
    // Freed memory stays with the process and is used again: it counts in rss, but not against new requests.
    const counted = heap.total_heap_size + heap.external_memory + NATIVE_BYTES;
    // Asking the system takes a hundred times as long as asking V8.
    const inUse = counted < RSS_FROM * bytes ? counted : Math.min(process.memoryUsage.rss(), counted);
    return { memory: inUse / bytes, heap: used / limit, delayMs };
  };
}
