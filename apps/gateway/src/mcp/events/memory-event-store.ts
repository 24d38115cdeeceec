import { EventRing, eventId, readEventId } from '@gw/mcp';
import {
  STORED_LIMITS,
  KEEP_MS,
  type EventStore,
  type NumberedEvent,
  type ReadEvents,
  type StreamName,
} from './event-store';

/**
 * Maximum UTF-16 units of the events of all callers; in `STREAMS_MAX`, maximum number of their
 * streams.
 */
const CHARACTERS_MAX = 67_108_864;
const STREAMS_MAX = 20_000;

interface Stored {
  readonly name: StreamName;
  readonly ring: EventRing;
  isEnded: boolean;
  readonly first: string;
  expiresAt: number;
}

/** Keeps events in this process, for a gateway without Redis. */
export class MemoryEventStore implements EventStore {
  /** Streams in the order of their last event, oldest first. */
  private readonly streams = new Map<string, Stored>();
  /** Keys of the streams of each caller, in the same order. */
  private readonly callers = new Map<string, Set<string>>();
  private readonly watchers = new Map<string, () => void>();
  private characters = 0;

  constructor(
    private readonly now: () => number = Date.now,
    private readonly charactersMax = CHARACTERS_MAX,
  ) {}

  add(name: StreamName, { json }: NumberedEvent, isLast: boolean): void {
    const key = keyOf(name);
    const stored = this.streams.get(key) ?? {
      ...{ name, ring: new EventRing(name.stream), first: json, isEnded: false, expiresAt: 0 },
    };
    const before = stored.ring.size;
    stored.ring.add(json);
    this.characters += stored.ring.size - before;
    stored.isEnded = isLast;
    stored.expiresAt = this.now() + KEEP_MS;
    this.touch(key, stored);
    this.boundCaller(name.principal);
    this.bound();
    this.watchers.get(key)?.();
  }

  keep(name: StreamName): void {
    const key = keyOf(name);
    const stored = this.streams.get(key);
    if (stored === undefined) return;
    stored.expiresAt = this.now() + KEEP_MS;
    this.touch(key, stored);
  }

  read(name: StreamName, after: number): Promise<ReadEvents | null> {
    this.expire();
    const stored = this.streams.get(keyOf(name));
    const events = stored?.ring.after(eventId(name.stream, after));
    if (stored === undefined || events == null) return Promise.resolve(null);
    const numbered = events.map(({ id, json }) => ({ number: readEventId(id)?.number ?? 0, json }));
    return Promise.resolve({ events: numbered, isEnded: stored.isEnded });
  }

  first(name: StreamName): Promise<string | null> {
    return Promise.resolve(this.streams.get(keyOf(name))?.first ?? null);
  }

  watch(name: StreamName, onEvent: () => void): () => void {
    const key = keyOf(name);
    this.watchers.set(key, onEvent);
    return () => {
      if (this.watchers.get(key) === onEvent) this.watchers.delete(key);
    };
  }

  private expire(): void {
    for (const [key, { expiresAt }] of this.streams) {
      if (expiresAt > this.now()) return;
      this.remove(key);
    }
  }

  /** Moves the stream to the end of the order of removal. */
  private touch(key: string, stored: Stored): void {
    this.streams.delete(key);
    this.streams.set(key, stored);
    let own = this.callers.get(stored.name.principal);
    if (own === undefined) this.callers.set(stored.name.principal, (own = new Set()));
    own.delete(key);
    own.add(key);
  }

  private boundCaller(principal: string): void {
    const own = this.callers.get(principal) ?? new Set<string>();
    let held = 0;
    for (const key of own) held += this.streams.get(key)?.ring.size ?? 0;
    for (const key of own) {
      const isWithin = own.size <= STORED_LIMITS.streamsMax && held <= STORED_LIMITS.charactersMax;
      if (isWithin || own.size === 1) return;
      held -= this.streams.get(key)?.ring.size ?? 0;
      this.remove(key);
    }
  }

  private bound(): void {
    this.expire();
    for (const key of this.streams.keys()) {
      if (this.characters <= this.charactersMax && this.streams.size <= STREAMS_MAX) return;
      this.remove(key);
    }
  }

  private remove(key: string): void {
    const stored = this.streams.get(key);
    if (stored === undefined) return;
    this.characters -= stored.ring.size;
    this.streams.delete(key);
    const own = this.callers.get(stored.name.principal);
    own?.delete(key);
    if (own?.size === 0) this.callers.delete(stored.name.principal);
  }
}

const keyOf = ({ principal, session, stream }: StreamName): string => `${principal}/${session}/${stream}`;
