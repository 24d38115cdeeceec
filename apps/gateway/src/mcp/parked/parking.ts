import { randomHex } from '@gw/kernel';
import { ParkedCalls, type JsonObject, type Redeemed } from '@gw/mcp';
import type { ReplicaLink } from '../replicas/replica-link';
import type { CallInProgress, ParkedPlace, UpstreamCall } from '../upstream-call';
import { RemoteCalls } from './remote-calls';
import { ServedCalls, type LocalParkedCalls } from './served-calls';

/**
 * Calls that wait for input of modern clients. Each waits at the gateway that made it, because that
 * gateway has the stream to the server; clients continue it at any gateway.
 */
export class Parking implements LocalParkedCalls {
  private readonly calls = new ParkedCalls<UpstreamCall>();
  private readonly remote: RemoteCalls;
  private readonly served: ServedCalls;

  constructor(private readonly link: ReplicaLink) {
    this.remote = new RemoteCalls(link);
    this.served = new ServedCalls(link, this);
  }

  /**
   * Parks a call and returns its place; null when there is no room. When the caller has its maximum
   * of parked calls, the oldest one is cancelled, because its client has probably abandoned it.
   */
  park(principal: string, call: UpstreamCall): ParkedPlace | null {
    const id = randomHex(16);
    const place = { replica: this.link.id, call: id };
    if (this.calls.park(id, principal, call, Date.now())) return place;
    const oldest = this.calls.displace(principal);
    oldest?.cancel();
    return oldest !== null && this.calls.park(id, principal, call, Date.now()) ? place : null;
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
    return this.calls.redeem(id, principal, Date.now());
  }

  close(): void {
    this.served.close();
    this.remote.close();
  }
}
