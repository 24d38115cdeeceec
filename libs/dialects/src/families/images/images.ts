import type { JsonObject } from '../../call';
import type { ProviderCall } from '../../codec';
import type { ProviderFault } from '../../response';
import type { FamilyFacts } from '../fan-out';

/** A request for images from a text. */
export interface ImagesCall {
  readonly model: string;
  readonly prompt: string;
  readonly n: number;
  /** Pixels; absent when the client leaves the size to the model. */
  readonly size?: { readonly width: number; readonly height: number };
  readonly format?: 'png' | 'jpeg' | 'webp';
  /** Compression in percent. */
  readonly compression?: number;
  readonly transparent: boolean;
  /**
   * Names of further members of the client's request. They are not sent, and are reported as losses
   * (see `LossLedger.note`).
   */
  readonly hints: readonly string[];
}

export interface MadeImage {
  readonly base64: string;
  /** The prompt into which the provider changed the client's. */
  readonly revisedPrompt?: string;
}

/** Images of one call. `refusal` is the provider's reason for omitting images. */
export interface MadeImages {
  readonly images: readonly MadeImage[];
  readonly refusal?: string;
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly inputImage: number;
  };
}

/** The client's response, or the error when the provider's filter left no image. */
export type ImagesOutcome = { readonly body: JsonObject } | { readonly fault: ProviderFault };

/** How one provider accepts requests for images. */
export interface ImagesForm {
  /**
   * Maximum number of images of one call. A request for more becomes several calls if this is 1,
   * else a loss.
   */
  readonly imagesMax: number;
  encodeCall(call: ImagesCall, n: number, facts: FamilyFacts): ProviderCall;
  /** Throws `provider_answer_invalid` for a body with neither images nor a reason. */
  decodeResponse(body: JsonObject): MadeImages;
}
