import { randomHex, Shares, type Share } from '@gw/kernel';
import { PARKED_MAX, ParkedCalls, type JsonObject, type Redeemed } from '@gw/mcp';
import type { ReplicaLink } from '../replicas/replica-link';
import type { CallInProgress, ParkedPlace, UpstreamCall } from '../upstream-call';
import { RemoteCalls } from './remote-calls';
import { ServedCalls, type LocalParkedCalls } from './served-calls';

/**
 * Calls that wait for input of modern clients. Each waits at the gateway that made it, because that
 * gateway has the stream to the server; clients continue it at any gateway.
 */
export class Parking implements LocalParkedCalls {
  private readonly calls = new ParkedCalls<UpstreamCall>((call) => this.shareOf(call).give(1));
  /** Workspaces share the room, so that none can use it all. */
  private readonly shares = new Shares(PARKED_MAX);
  private readonly remote: RemoteCalls;
  private readonly served: ServedCalls;

  constructor(private readonly link: ReplicaLink) {
    this.remote = new RemoteCalls(link);
    this.served = new ServedCalls(link, this);
  }

  /**
   * Parks a call and returns its place; null when there is no room. When the caller has its maximum
   * of parked calls, or its workspace its share, the caller's oldest one is cancelled, because its
   * client has probably abandoned it.
   */
  park(principal: string, call: UpstreamCall): ParkedPlace | null {
    const id = randomHex(16);
    const place = { replica: this.link.id, call: id };
    if (this.hasParked(id, principal, call)) return place;
    const oldest = this.calls.displace(principal);
    if (oldest === null) return null;
    this.shareOf(oldest).give(1);
    oldest.cancel();
    return this.hasParked(id, principal, call) ? place : null;
  }

  /** Parks a call if the workspace and the caller have room. Returns whether they have. */
  private hasParked(id: string, principal: string, call: UpstreamCall): boolean {
    const now = Date.now();
    this.calls.expire(now);
    const share = this.shareOf(call);
    if (!share.take(1)) return false;
    const isParked = this.calls.park(id, principal, call, now);
    if (!isParked) share.give(1);
    return isParked;
  }

  private shareOf({ owner }: UpstreamCall): Share {
    return this.shares.of(owner.workspaceId, owner.organisationId);
  }

  /** Continues a call with the client's responses, keyed like the requests. */
  async redeem(
    place: ParkedPlace,
    principal: string,
    responses: Readonly<Record<string, JsonObject>>,
  ): Promise<Redeemed<CallInProgress>> {
    if (place.replica !== this.link.id) return this.remote.redeem(place, principal, responses);
    const found = this.take(place.call, principal);
    if (found.kind === 'found') found.call.answer(responses);
    return found;
  }

  take(id: string, principal: string): Redeemed<UpstreamCall> {
    const found = this.calls.redeem(id, principal, Date.now());
    if (found.kind === 'found') this.shareOf(found.call).give(1);
    return found;
  }

  close(): void {
    this.served.close();
    this.remote.close();
  }
}
