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
  /** Percent. */
  readonly compression?: number;
  readonly transparent: boolean;
  /** Names of the client's members without a place above, which are hints. */
  readonly hints: readonly string[];
}

export interface MadeImage {
  readonly base64: string;
  /** The prompt that the provider made of the client's. */
  readonly revisedPrompt?: string;
}

/** Images of one call. `refusal`: the provider's reason for leaving images out. */
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

/** How one provider takes requests for images. */
export interface ImagesForm {
  /**
   * Images of one call; a request for more becomes several calls when the form has 1, else it is a
   * loss.
   */
  readonly imagesMax: number;
  encodeCall(call: ImagesCall, n: number, facts: FamilyFacts): ProviderCall;
  /** Throws `provider_answer_invalid` for a body that has neither images nor a reason why. */
  decodeResponse(body: JsonObject): MadeImages;
}
