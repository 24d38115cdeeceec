import { Shares } from '@gw/kernel';
import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';
import type { LocalResponse, LocalChunk } from '@gw/providers';
import type { GatewayPrincipal } from '../auth/principals';

/** Plays a scripted response the way a connection would deliver it, including pauses and aborts. */
export function playLocal(
  response: LocalResponse,
  handler: OutboundHandler,
  ended: () => void = () => undefined,
): OutboundCall {
  return new LocalPlayback(response, handler, ended);
}

/**
 * Plays the responses of local providers. A playback counts as a connection of its workspace to the
 * provider; workspaces share `max` connections.
 */
export class LocalPlayer {
  private readonly playing: Shares;

  constructor(max: number) {
    this.playing = new Shares(max);
  }

  /**
   * Plays a response. Calls `response` only if the workspace has a free connection for the
   * playback.
   */
  play(
    { workspace }: GatewayPrincipal,
    response: () => LocalResponse,
    handler: OutboundHandler,
  ): OutboundCall {
    const share = this.playing.of(workspace.id, workspace.organisationId);
    if (!share.fits(1)) return new RefusedPlayback(handler);
    const scripted = response();
    share.take(1);
    return playLocal(scripted, handler, () => share.give(1));
  }
}

/** Reports that no connection is free, as a connection pool does. */
class RefusedPlayback implements OutboundCall {
  private isDone = false;

  constructor(private readonly handler: OutboundHandler) {
    setImmediate(() => {
      if (this.isDone) return;
      this.isDone = true;
      handler.onError(exhausted());
    });
  }

  pause(): void {
    // Nothing is sent.
  }

  resume(): void {
    // Nothing is sent.
  }

  abort(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.handler.onError(cancelled());
  }
}

/** Maximum bytes passed on in one turn of the event loop, as in one read of a socket. */
const TURN_BYTES = 65_536;

const cancelled = (): OutboundError => new OutboundError('aborted', 'The call was cancelled.');

class LocalPlayback implements OutboundCall {
  private readonly chunks: Iterator<LocalChunk, unknown>;
  private paused = false;
  private isDone = false;
  private timer: NodeJS.Timeout | null = null;
  /** True when the playback was paused between two chunks, so that `resume` must start it again. */
  private isPausedBetweenChunks = false;

  constructor(
    private readonly response: LocalResponse,
    private readonly handler: OutboundHandler,
    private readonly ended: () => void,
  ) {
    this.chunks = response.chunks[Symbol.iterator]();
    this.after(response.delayMs, () => {
      handler.onHeaders(response.status, response.headers);
      this.step();
    });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    if (!this.isPausedBetweenChunks || this.isDone) return;
    this.isPausedBetweenChunks = false;
    this.step();
  }

  abort(): void {
    if (this.isDone) return;
    this.end();
    if (this.timer) clearTimeout(this.timer);
    this.handler.onError(cancelled());
  }

  /**
   * Passes on at most `TURN_BYTES` in a turn of the event loop, so that the receiver can pause
   * before it holds the whole response.
   */
  private step(): void {
    let bytes = 0;
    while (!this.isDone) {
      if (this.paused) {
        this.isPausedBetweenChunks = true;
        return;
      }
      if (bytes >= TURN_BYTES) {
        this.after(0, () => this.step());
        return;
      }
      const next = this.chunks.next();
      if (next.done === true) {
        this.finish();
        return;
      }
      const chunk = next.value;
      bytes += chunk.data.length;
      if (chunk.waitMs > 0) {
        this.after(chunk.waitMs, () => {
          this.handler.onData(chunk.data);
          this.step();
        });
        return;
      }
      this.handler.onData(chunk.data);
    }
  }

  private end(): void {
    this.isDone = true;
    this.ended();
  }

  private finish(): void {
    this.end();
    if (this.response.cut) this.handler.onError(new OutboundError('interrupted', 'The connection broke.'));
    else this.handler.onEnd();
  }

  private after(waitMs: number, then: () => void): void {
    const run = (): void => {
      this.timer = null;
      if (!this.isDone) then();
    };
    if (waitMs > 0) this.timer = setTimeout(run, waitMs);
    else setImmediate(run);
  }
}

const exhausted = (): OutboundError =>
  new OutboundError('unreachable', 'All connections of the workspace to local providers are in use.', null, {
    reason: 'connections_exhausted',
  });
