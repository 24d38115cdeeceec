import { CallPlaces, OF_CALLER_MAX } from '../limits/call-places';
import { tooManyCalls } from './denials';
import type { ServerView } from './server-view';

/** Places for calls of MCP servers in flight. */
export class ServerPlaces {
  private readonly places = new CallPlaces();

  /** Runs a call in a place. Throws a denial of the kind `rate_limit` when there is none. */
  async within(view: ServerView, call: () => Promise<void>): Promise<void> {
    const { workspaceId, organisationId, id } = view.document;
    const key = `${view.caller.binding}/${id}`;
    const giveBack = this.places.take({ key, workspaceId, organisationId });
    if (giveBack === null) throw tooManyCalls(OF_CALLER_MAX);
    try {
      await call();
    } finally {
      giveBack();
    }
  }
}
