import type { JsonObject } from '../../call';
import type { ProviderCall } from '../../codec';
import type { FamilyFacts } from '../fan-out';

/** Purpose of the vectors, in Cohere's words, which clients of every provider use. */
export type InputType = 'search_document' | 'search_query' | 'classification' | 'clustering';

/** A request for embeddings of texts. */
export interface EmbeddingsCall {
  readonly model: string;
  readonly inputs: readonly string[];
  readonly dimensions?: number;
  readonly inputType?: InputType;
  /** Whether the client wants base64 of little-endian float32 instead of numbers. */
  readonly base64: boolean;
  /** The client's members without a place above, except absent values. */
  readonly more: JsonObject;
}

/** Vectors in the order of the inputs. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  /** Tokens of the inputs; absent when the provider does not count them. */
  readonly tokens?: number;
}

/** How one provider accepts requests for embeddings. */
export interface EmbeddingsForm {
  /** The provider's names of the purposes, which clients may use too. */
  readonly words?: Readonly<Partial<Record<InputType, string>>>;
  /**
   * Whether the form is close to OpenAI's, so that unknown members are forwarded to the provider.
   */
  readonly takesMore?: boolean;
  /** Returns the maximum number of inputs of one call to a model. */
  inputsMax(model: string): number;
  encodeCall(call: EmbeddingsCall, inputs: readonly string[], facts: FamilyFacts): ProviderCall;
  /** Throws `provider_answer_invalid` for a body without vectors. */
  decodeResponse(body: JsonObject, headers?: Readonly<Record<string, string>>): Embeddings;
}
