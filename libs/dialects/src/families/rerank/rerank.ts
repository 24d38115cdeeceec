import type { JsonObject } from '../../call';
import type { ProviderCall } from '../../codec';
import type { FamilyFacts } from '../fan-out';

/** A document to rank: a text, or an object without one. */
export type RerankDocument = { readonly text: string } | { readonly object: JsonObject };

/** A request that ranks documents by their relevance to a query. */
export interface RerankCall {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly RerankDocument[];
  /** Number of results; absent for all documents. */
  readonly topN?: number;
  /** Whether the response repeats the documents. */
  readonly returnDocuments: boolean;
  /** Tokens after which a document is cut. */
  readonly maxTokensPerDocument?: number;
  /**
   * Names of further members of the client's request. They are not sent, and are reported as losses
   * (see `LossLedger.note`).
   */
  readonly hints: readonly string[];
}

/** Index of a document in the request, and its score as the provider returns it. */
export interface RerankResult {
  readonly index: number;
  readonly score: number;
}

export interface Ranking {
  readonly results: readonly RerankResult[];
  /** The provider's id; absent when it has none. */
  readonly id?: string;
  /** Tokens of the query and the documents; absent when the provider does not count them. */
  readonly tokens?: number;
  /** Units that the provider charges for instead of tokens. */
  readonly searchUnits?: number;
}

/** How one provider accepts requests that rank documents. */
export interface RerankForm {
  /**
   * Whether the provider cuts documents after `maxTokensPerDocument`; otherwise
   * `maxTokensPerDocument` is not sent, and is reported as a loss.
   */
  readonly cutsDocuments?: boolean;
  encodeCall(call: RerankCall, facts: FamilyFacts): ProviderCall;
  /** Throws `provider_answer_invalid` for a body without results. */
  decodeResponse(body: JsonObject, headers?: Readonly<Record<string, string>>): Ranking;
}
