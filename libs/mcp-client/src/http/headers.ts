import { isReservedHeader } from '@gw/mcp';
import type { HeaderRules } from '@gw/outbound';
import { UpstreamError } from '../upstream-error';

/** A request that is about to be sent, for proofs of a key and signatures. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer | null;
  /** The latest nonce of the upstream (RFC 9449, section 9); null without one. */
  readonly nonce: string | null;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Reads the headers that every request to an upstream carries. Some are right for the one request
 * alone.
 */
export type HeaderSource = (request: SentRequest) => Headers | Promise<Headers>;

/** Headers of the integration and of the call must not have names of the protocol. */
export const HEADER_RULES: HeaderRules = {
  isReserved: isReservedHeader,
  refused: (name) =>
    new UpstreamError('protocol', `The header ${name} cannot be sent to an upstream.`, {
      mayHaveExecuted: false,
    }),
};
