import { PARKED_TEXTS, toolError, type RpcError } from '@gw/mcp';
import type { McpReply } from '../mcp-reply';
import type { EventStore, StreamName } from './event-store';
import type { RunningStreams } from './running-streams';
import { replicaOfStream, type StreamedCall } from './stream-trail';

/** How often a follower shows that it lives, in milliseconds: three times while its sign counts. */
const SIGN_EVERY_MS = 15_000;
/** Signs in a row without an echo after which the gateway of a call counts as gone: it may be busy for a while. */
const SILENT_MAX = 2;

/** Streams of calls that clients continue by GET, at any gateway. */
export class ResumedCalls {
  /** Followers by the name of the stream; each stream has one. */
  private readonly followers = new Map<string, Follower>();

  constructor(
    private readonly store: EventStore,
    private readonly running: RunningStreams,
  ) {}

  /** Whether events follow a number of a stream, now or later. */
  async has(name: StreamName, after: number): Promise<boolean> {
    const found = await this.store.read(name, after);
    return found !== null && (found.events.length > 0 || !found.isEnded);
  }

  /** Sends the events of a call behind a number, and those that come until its response. */
  follow(name: StreamName, after: number, reply: McpReply): void {
    this.followers.get(name.stream)?.end();
    const follower = new Follower({ name, reply, store: this.store, running: this.running }, after);
    this.followers.set(name.stream, follower);
    reply.whenOver(() => {
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
    // When events may be missed, the client resumes again behind the last one that it got.
    this.unwatch = store.watch(
      name,
      () => this.look(),
      () => this.end(),
    );
    this.timer = setInterval(() => void this.sign(), SIGN_EVERY_MS).unref();
    this.look();
    void this.sign();
  }

  /** Ends the response without a message. */
  end(): void {
    this.unwatch?.();
    this.unwatch = null;
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.parts.reply.retire();
  }

  private get isOver(): boolean {
    return this.unwatch === null;
  }

  /** Sends what is new, after what is being sent. */
  private look(): void {
    this.reading = this.reading.then(() => this.send());
  }

  private async send(): Promise<void> {
    const { store, name, reply } = this.parts;
    const found = this.isOver ? null : await store.read(name, this.after);
    if (this.isOver) return;
    for (const event of found?.events ?? []) {
      reply.replay(name.stream, event);
      this.after = event.number;
    }
    if (found === null || found.isEnded) this.end();
  }

  /** Shows that the client is there. A call whose gateway is gone ends here. */
  private async sign(): Promise<void> {
    const { running, name } = this.parts;
    const replica = replicaOfStream(name.stream) ?? '';
    for (let left = SILENT_MAX; left > 0; left -= 1)
      if (this.isOver || (await running.follow(replica, name.stream))) return;
    // It may have ended meanwhile.
    this.look();
    await this.reading;
    if (!this.isOver) await this.interrupt();
  }

  private async interrupt(): Promise<void> {
    const { store, name, reply } = this.parts;
    const first = await store.first(name);
    const call = first === null ? null : (JSON.parse(first) as StreamedCall | null);
    if (this.isOver) return;
    if (call !== null) reply.message({ jsonrpc: '2.0', id: call.id, ...interrupted(call) });
    this.end();
  }
}

function interrupted({ method }: StreamedCall): { readonly result: object } | { readonly error: RpcError } {
  if (method === 'tools/call') return { result: toolError(PARKED_TEXTS.gone) };
  return { error: { code: -32_603, message: PARKED_TEXTS.gone } };
}
