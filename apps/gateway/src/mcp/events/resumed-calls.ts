import { PARKED_TEXTS, toolError, type RpcError } from '@gw/mcp';
import type { McpReply } from '../mcp-reply';
import type { EventStore, StreamName } from './event-store';
import type { RunningStreams } from './running-streams';
import { replicaOfStream, type StreamedCall } from './stream-trail';

/**
 * Milliseconds between two heartbeats of a follower; a heartbeat is valid for three times as long.
 */
const HEARTBEAT_EVERY_MS = 15_000;
/**
 * Number of consecutive heartbeats without a reply after which the gateway of a call counts as
 * dead; a busy gateway may miss one.
 */
const UNANSWERED_MAX = 2;

/** Streams of calls that clients resume by GET, at any gateway. */
export class ResumedCalls {
  /** Followers by the name of the stream; each stream has one. */
  private readonly followers = new Map<string, Follower>();

  constructor(
    private readonly store: EventStore,
    private readonly running: RunningStreams,
  ) {}

  /** Whether a stream has events after a number, or may still get some. */
  async has(name: StreamName, after: number): Promise<boolean> {
    const found = await this.store.read(name, after);
    return found !== null && (found.events.length > 0 || !found.isEnded);
  }

  /** Sends the events of a call after a number, and further events until the call's response. */
  follow(name: StreamName, after: number, reply: McpReply): void {
    this.followers.get(name.stream)?.end();
    const follower = new Follower({ name, reply, store: this.store, running: this.running }, after);
    this.followers.set(name.stream, follower);
    reply.onceEnded(() => {
      follower.end();
      if (this.followers.get(name.stream) === follower) this.followers.delete(name.stream);
    });
    reply.startStream();
    follower.start();
  }
}

interface FollowerParts {
  readonly name: StreamName;
  readonly reply: McpReply;
  readonly store: EventStore;
  readonly running: RunningStreams;
}

/** One client that follows a stream. */
class Follower {
  private unwatch: (() => void) | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: FollowerParts,
    private after: number,
  ) {}

  start(): void {
    const { store, name } = this.parts;
    // When events may be missed, the stream ends, and the client resumes it after the last event
    // that it received.
    this.unwatch = store.watch(
      name,
      () => this.readSoon(),
      () => this.end(),
    );
    const beat = (): void => this.parts.reply.guard(() => this.sendHeartbeat());
    this.timer = setInterval(beat, HEARTBEAT_EVERY_MS).unref();
    this.readSoon();
    beat();
  }

  /** Ends the response without a message. */
  end(): void {
    this.unwatch?.();
    this.unwatch = null;
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.parts.reply.retire();
  }

  private get hasEnded(): boolean {
    return this.unwatch === null;
  }

  /** Reads and sends new events, after the read in progress. */
  private readSoon(): void {
    this.reading = this.reading.then(() => this.send());
    this.parts.reply.guard(() => this.reading);
  }

  private async send(): Promise<void> {
    const { store, name, reply } = this.parts;
    const found = this.hasEnded ? null : await store.read(name, this.after);
    if (this.hasEnded) return;
    for (const event of found?.events ?? []) {
      reply.replay(name.stream, event);
      this.after = event.number;
    }
    if (found === null || found.isEnded) this.end();
  }

  /**
   * Sends a heartbeat to the gateway of the call, and ends the stream with an error when that
   * gateway is dead.
   */
  private async sendHeartbeat(): Promise<void> {
    const { running, name } = this.parts;
    const replica = replicaOfStream(name.stream) ?? '';
    for (let left = UNANSWERED_MAX; left > 0; left -= 1)
      if (this.hasEnded || (await running.follow(replica, name.stream))) return;
    // The call may have ended meanwhile.
    this.readSoon();
    await this.reading;
    if (!this.hasEnded) await this.interrupt();
  }

  private async interrupt(): Promise<void> {
    const { store, name, reply } = this.parts;
    const first = await store.first(name);
    const call = first === null ? null : (JSON.parse(first) as StreamedCall | null);
    if (this.hasEnded) return;
    if (call !== null) reply.message({ jsonrpc: '2.0', id: call.id, ...interrupted(call) });
    this.end();
  }
}

function interrupted({ method }: StreamedCall): { readonly result: object } | { readonly error: RpcError } {
  if (method === 'tools/call') return { result: toolError(PARKED_TEXTS.gone) };
  return { error: { code: -32_603, message: PARKED_TEXTS.gone } };
}
