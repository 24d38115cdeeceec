import { truncated } from '@gw/kernel';
import {
  isLegacyRevision,
  NEWEST_LEGACY,
  notificationBody,
  own,
  ownObject,
  type JsonObject,
  type LegacyRevision,
} from '@gw/mcp';
import { protocolError, UpstreamError } from '../upstream-error';
import type { DeclaredClient, ServerFacts } from './channel';

/** Params of `initialize`. */
export const initializeParams = ({ capabilities, clientInfo }: DeclaredClient): JsonObject => ({
  protocolVersion: NEWEST_LEGACY,
  capabilities,
  clientInfo,
});

export const INITIALIZED: JsonObject = notificationBody('notifications/initialized', {});

const INSTRUCTIONS_LENGTH_MAX = 65_536;

/** Reads a server's facts from the result of `initialize` or `server/discover`. */
export function factsOf(result: JsonObject, serverInfo: JsonObject): ServerFacts {
  const instructions = own(result, 'instructions');
  return {
    capabilities: ownObject(result, 'capabilities'),
    serverInfo,
    instructions: typeof instructions === 'string' ? truncated(instructions, INSTRUCTIONS_LENGTH_MAX) : null,
  };
}

/**
 * Reads the result of `initialize`. Throws `protocol`, or `unsupported` for an unknown revision.
 */
export function readInitialized(result: JsonObject): {
  readonly revision: LegacyRevision;
  readonly facts: ServerFacts;
} {
  const revision = own(result, 'protocolVersion');
  if (typeof revision !== 'string')
    throw protocolError('The result of initialize has no protocolVersion.', { mayHaveExecuted: false });
  if (!isLegacyRevision(revision))
    throw new UpstreamError('unsupported', 'The upstream speaks a revision that is not supported.', {
      mayHaveExecuted: false,
      supported: [revision.slice(0, 64)],
    });
  return { revision, facts: factsOf(result, ownObject(result, 'serverInfo')) };
}
