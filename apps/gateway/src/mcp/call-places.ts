import { GatewayError, Shares } from '@gw/kernel';
import { Denied } from './denials';
import type { ServerView } from './server-view';

/** Calls in flight of one caller at one server. */
const OF_CALLER_MAX = 50;
/** Calls in flight of this process; workspaces share them, so that none can take them all. */
const OF_PROCESS_MAX = 2_000;

/** Places for calls in flight. There is no queue: a call without a place is denied at once. */
export class CallPlaces {
  private readonly ofCaller = new Map<string, number>();
  private readonly shares = new Shares(OF_PROCESS_MAX);

  /** Runs a call in a place. Throws a denial of the kind `rate_limit` when there is none. */
  async within(view: ServerView, call: () => Promise<void>): Promise<void> {
    const { workspaceId, organisationId, id } = view.document;
    const key = `${view.caller.binding}/${id}`;
    const held = this.ofCaller.get(key) ?? 0;
    const share = this.shares.of(workspaceId, organisationId);
    if (held >= OF_CALLER_MAX || !share.take(1)) throw noPlace();
    this.ofCaller.set(key, held + 1);
    try {
      await call();
    } finally {
      share.give(1);
      const left = (this.ofCaller.get(key) ?? 1) - 1;
      if (left === 0) this.ofCaller.delete(key);
      else this.ofCaller.set(key, left);
    }
  }
}

const noPlace = (): Denied =>
  new Denied(
    {
      ...{ kind: 'rate_limit', policyId: null, retryAfterMs: 1_000 },
      limit: { value: OF_CALLER_MAX, unit: 'calls at the same time' },
    },
    new GatewayError('rate_limited', { message: 'Too many tool calls are in flight; retry later.' }),
  );
