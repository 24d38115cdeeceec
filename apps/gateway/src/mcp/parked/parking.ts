import { randomHex } from '@gw/kernel';
import { ParkedCalls, type JsonObject, type Redeemed } from '@gw/mcp';
import type { ReplicaLink } from '../replicas/replica-link';
import type { CallInProgress, ParkedPlace, UpstreamCall } from '../upstream-call';
import { RemoteCalls } from './remote-calls';
import { ServedCalls, type ParkedHere } from './served-calls';

/**
 * Calls that wait for input of modern clients. Each waits at the gateway that made it, since the
 * stream of its server is there; clients continue it at any gateway.
 */
export class Parking implements ParkedHere {
  private readonly calls = new ParkedCalls<UpstreamCall>();
  private readonly remote: RemoteCalls;
  private readonly served: ServedCalls;

  constructor(private readonly link: ReplicaLink) {
    this.remote = new RemoteCalls(link);
    this.served = new ServedCalls(link, this);
  }

  /**
   * Parks a call. At the bound of a caller, the call that waited for longest gives way, since its
   * client has left it. Null: there is no room.
   */
  park(principal: string, call: UpstreamCall): ParkedPlace | null {
    const id = randomHex(16);
    const place = { replica: this.link.id, call: id };
    if (this.calls.park(id, principal, call, Date.now())) return place;
    const oldest = this.calls.displace(principal);
    oldest?.cancel();
    return oldest !== null && this.calls.park(id, principal, call, Date.now()) ? place : null;
  }

  /** Continues a call with the client's responses, by the keys of the requests. */
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
