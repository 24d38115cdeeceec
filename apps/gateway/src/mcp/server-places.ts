import { GatewayError } from '@gw/kernel';
import { CallPlaces, OF_CALLER_MAX } from '../limits/call-places';
import { Denied } from './denials';
import type { ServerView } from './server-view';

/** Places for calls of MCP servers in flight. */
export class ServerPlaces {
  private readonly places = new CallPlaces();

  /** Runs a call in a place. Throws a denial of the kind `rate_limit` when there is none. */
  async within(view: ServerView, call: () => Promise<void>): Promise<void> {
    const { workspaceId, organisationId, id } = view.document;
    const key = `${view.caller.binding}/${id}`;
    const giveBack = this.places.take({ key, workspaceId, organisationId });
    if (giveBack === null) throw noPlace();
    try {
      await call();
    } finally {
      giveBack();
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
