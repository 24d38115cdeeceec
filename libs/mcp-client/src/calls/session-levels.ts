import { own } from '@gw/mcp';
import type { Channel } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import { UpstreamError } from '../upstream-error';

/** Log levels that sessions were given. */
export class SessionLevels {
  private readonly levels = new WeakMap<Channel, string>();

  /**
   * Gives a session its log level by `send`, unless it has it. A server that refuses it sends the
   * messages that it likes. The next call sends a level again that did not reach the server. Throws
   * only what ended the call of the clock.
   */
  async give(
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
