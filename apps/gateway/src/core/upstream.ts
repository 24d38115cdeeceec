import type { CompiledTarget } from '@gw/routing';
import type { ProviderDocument } from '@gw/contracts';
import type { Reservation } from '@gw/limits';
import type { OutboundError } from '@gw/outbound';
import type { Credential, JsonObject, Provider, RouteSupport, TranslatedRequest } from '@gw/providers';

/** Destination of an attempt: target, provider and credential, fully resolved. */
export interface Upstream {
  readonly target: CompiledTarget;
  readonly provider: Provider;
  /** The saved provider, or null when the request named its own. */
  readonly saved: ProviderDocument | null;
  readonly credential: Credential;
  /** Null on passthrough, which forwards bytes unchanged. */
  readonly support: RouteSupport | null;
  /** The requested model, after parameter rules. */
  readonly model: string | null;
  /** Whether the path names the model, so that a model in the body is sent unchanged. */
  readonly isModelInPath: boolean;
  /**
   * The client's body after parameter rules, when it was parsed: a translator needs it to translate
   * the response.
   */
  readonly clientBody?: JsonObject;
  /** Members that the translation dropped; absent when nothing was lost. */
  readonly losses?: TranslatedRequest['losses'];
  /** Reservation in the limits of the target; absent when the target has none. */
  readonly reservation?: Reservation;
}

/** Receives the body of a provider's response once the plan has chosen it for the client. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: OutboundError): void;
}
