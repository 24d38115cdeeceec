import { Shares } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
import type { GatewayPrincipal } from '../auth/principals';
import type { SessionMeter, SessionPart } from './metering/session-meter';
import type { Peer } from './peer';

/** Maximum number of sessions in a process that wait for their provider without a client. */
const SESSIONS_MAX = 512;
/** Bytes that a provider may send meanwhile; they are not stored. */
const BYTES_MAX = 16 * 1_048_576;
/** Milliseconds without a message after which the wait ends, if no response is known to be open. */
const QUIET_MS = 1_000;

/**
 * The places for sessions whose client has disconnected in the middle of a response; workspaces
 * share them. Without a free place, a session is charged for the output received so far.
 */
export class Lingering {
  private readonly shares = new Shares(SESSIONS_MAX);

  /** `limitMs` is the longest wait in milliseconds; with 0, sessions do not wait. */
  constructor(private readonly limitMs: number) {}

  /** Number of provider connections that are open without a client. */
  get count(): number {
    return this.shares.held;
  }

  /**
   * Starts to wait for the provider. Returns null when the session must end immediately. `done` is
   * called once, never during this call.
   */
  begin(
    { principal }: Pick<RequestContext, 'principal'>,
    provider: Pick<Peer, 'readyState' | 'OPEN'>,
    meter: SessionMeter,
    done: () => void,
  ): Linger | null {
    if (this.limitMs === 0 || !meter.isResponseOpen || provider.readyState !== provider.OPEN) return null;
    const { workspace } = principal as GatewayPrincipal;
    const share = this.shares.of(workspace.id, workspace.organisationId);
    if (!share.take(1)) return null;
    return new Linger(meter, this.limitMs, () => {
      share.give(1);
      done();
    });
  }
}

/** Waits until the open responses of a session end, with limits on time and bytes. */
export class Linger {
  private bytes = 0;
  private isDone = false;
  private readonly limit: NodeJS.Timeout;
  private readonly quiet: NodeJS.Timeout;

  constructor(
    private readonly meter: SessionMeter,
    limitMs: number,
    private readonly done: () => void,
  ) {
    this.limit = setTimeout(() => {
      this.finish();
    }, limitMs);
    this.quiet = setTimeout(
      () => {
        if (!meter.isAwaited) this.finish();
      },
      Math.min(QUIET_MS, limitMs),
    );
  }

  /** Reports a message of the provider and the parts that ended with it. */
  noteMessage(message: Buffer, ended: readonly SessionPart[]): void {
    this.bytes += message.length;
    if (this.bytes > BYTES_MAX || (ended.length > 0 && !this.meter.isResponseOpen)) this.finish();
    else this.quiet.refresh();
  }

  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    clearTimeout(this.limit);
    clearTimeout(this.quiet);
    this.done();
  }
}
