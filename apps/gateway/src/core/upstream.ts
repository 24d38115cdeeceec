import type { CompiledTarget } from '@gw/config-schema';
import type { ProviderDocument } from '@gw/contracts';
import type { Reservation } from '@gw/limits';
import type { OutboundError } from '@gw/outbound';
import type { Credential, JsonObject, Provider, RouteSupport } from '@gw/providers';

/** Where an attempt went: target, provider and credential, with all look-ups done. */
export interface Upstream {
  readonly target: CompiledTarget;
  readonly provider: Provider;
  /** The saved provider, or null when the request named its own. */
  readonly saved: ProviderDocument | null;
  readonly credential: Credential;
  /** Null on passthrough: bytes go through untouched. */
  readonly support: RouteSupport | null;
  /** The requested model, after parameter rules. */
  readonly model: string | null;
  /** The client's body after parameter rules, where it was parsed: a translator needs it for the response. */
  readonly clientBody?: JsonObject;
  /** Paths of the client's body that the provider does not take and was not sent. */
  readonly dropped?: readonly string[];
  /** In the limits of the target. Absent: it has none. */
  readonly reservation?: Reservation;
}

/** Receives the body of a provider's response once it is decided that it goes to the client. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: OutboundError): void;
}
