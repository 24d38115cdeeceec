import { Shares } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
import type { Principal } from '../auth/principals';
import type { SessionMeter, SessionPart } from './metering/session-meter';
import type { Peer } from './peer';

/** Sessions of one process whose providers are listened to without their clients. */
const SESSIONS_MAX = 512;
/** That a provider may send meanwhile. Nothing of it is kept. */
const BYTES_MAX = 16 * 1_048_576;
/** Without a message, where no response is known to be open. */
const QUIET_MS = 1_000;

/** The places for sessions whose client has left in the middle of a response. Workspaces share them; where there is none, what has come decides. */
export class Lingering {
  private readonly shares = new Shares(SESSIONS_MAX);

  /** `limitMs`: 0: nothing is waited for. */
  constructor(private readonly limitMs: number) {}

  /** Connections to providers that are open without a client. */
  get count(): number {
    return this.shares.held;
  }

  /** Null: the session ends at once. `done` is called once, never from within. */
  begin(
    { principal }: Pick<RequestContext, 'principal'>,
    provider: Pick<Peer, 'readyState' | 'OPEN'>,
    meter: SessionMeter,
    done: () => void,
  ): Linger | null {
    if (this.limitMs === 0 || !meter.isUnderWay || provider.readyState !== provider.OPEN) return null;
    const { workspace } = principal as Principal;
    const share = this.shares.of(workspace.id, workspace.organisationId);
    if (!share.take(1)) return null;
    return new Linger(meter, this.limitMs, () => {
      share.give(1);
      done();
    });
  }
}

/** Waits for the end of what the provider of a session is making, within bounds of time and bytes. */
export class Linger {
  private bytes = 0;
  private isOver = false;
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

  /** A message of the provider, and what has come to its end with it. */
  passed(message: Buffer, ended: readonly SessionPart[]): void {
    this.bytes += message.length;
    if (this.bytes > BYTES_MAX || (ended.length > 0 && !this.meter.isUnderWay)) this.finish();
    else this.quiet.refresh();
  }

  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.limit);
    clearTimeout(this.quiet);
    this.done();
  }
}
