import { isReservedHeader } from '@gw/mcp';
import type { HeaderRules } from '@gw/outbound';
import { UpstreamError } from '../upstream-error';

/** A request before it is sent, from which proofs of a key and signatures are computed. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer | null;
  /** The latest nonce of the upstream (RFC 9449, section 9); null without one. */
  readonly nonce: string | null;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Returns the headers of a request to an upstream. Some, such as proofs, are valid for this request
 * only.
 */
export type HeaderSource = (request: SentRequest) => Headers | Promise<Headers>;

/**
 * Rules for headers of the integration and of the call: they must not use names of the protocol.
 */
export const HEADER_RULES: HeaderRules = {
  isReserved: isReservedHeader,
  refused: (name) =>
    new UpstreamError('protocol', `The header ${name} cannot be sent to an upstream.`, {
      mayHaveExecuted: false,
    }),
};
