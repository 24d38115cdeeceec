import { isReservedHeader } from '@gw/mcp';
import type { HeaderRules } from '@gw/outbound';
import { UpstreamError } from '../upstream-error';

/** Reads the headers that every request to an upstream carries. */
export type HeaderSource = () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** Headers of the integration and of the call must not have names of the protocol. */
export const HEADER_RULES: HeaderRules = {
  isReserved: isReservedHeader,
  refused: (name) =>
    new UpstreamError('protocol', `The header ${name} cannot be sent to an upstream.`, {
      mayHaveExecuted: false,
    }),
};
