import { own } from '@gw/mcp';
import type { Channel } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import { UpstreamError } from '../upstream-error';

/** Tracks and sets the log levels of sessions. */
export class SessionLevels {
  private readonly levels = new WeakMap<Channel, string>();

  /**
   * Sets the log level of a session with `send` unless it has that level. A refusal by the server
   * is ignored. If the level did not reach the server, the next call sends it again. Throws only if
   * the call of `clock` was aborted.
   */
  async ensure(
    channel: Channel,
    level: string,
    clock: CallClock,
    send: (level: string) => Promise<unknown>,
  ): Promise<void> {
    if (this.levels.get(channel) === level || !hasLevels(channel)) return;
    this.levels.set(channel, level);
    try {
      await send(level);
    } catch (error) {
      if (!isRefused(error) && this.levels.get(channel) === level) this.levels.delete(channel);
      if (!(error instanceof UpstreamError) || clock.signal.aborted) throw error;
    }
  }
}

const hasLevels = ({ era, facts }: Channel): boolean =>
  era === 'legacy' && own(facts?.capabilities ?? {}, 'logging') !== undefined;

const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.kind === 'rpc_error' || error.kind === 'http_status');
