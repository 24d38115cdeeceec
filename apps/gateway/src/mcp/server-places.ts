import { CallPlaces } from '../limits/call-places';
import { noPlace } from './denials';
import type { ServerView } from './server-view';

/** Limits the calls to MCP servers that are in flight. */
export class ServerPlaces {
  private readonly places = new CallPlaces();

  /** Runs a call if a place is free. Otherwise throws a denial of the kind `rate_limit`. */
  async within(view: ServerView, call: () => Promise<void>): Promise<void> {
    const { workspaceId, organisationId, id } = view.document;
    const key = `${view.caller.binding}/${id}`;
    const place = this.places.take({ key, workspaceId, organisationId });
    if (place.kind === 'none') throw noPlace(place);
    try {
      await call();
    } finally {
      place.release();
    }
  }
}
