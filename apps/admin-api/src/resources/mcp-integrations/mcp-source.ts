import type { McpIntegrationEntity } from '@gw/entities';
import type { ServerSnapshot } from './mcp-snapshot';

/** Why a server could not be read. The message is public and has nothing that the server sent. */
export class McpReadError extends Error {
  override readonly name = 'McpReadError';

  constructor(
    message: string,
    readonly status: number | null,
    readonly isUnauthorised: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ServerDescription {
  readonly name: string | null;
  readonly tookMs: number;
}

/** Where the capabilities of integrations of one kind come from. */
export interface McpSource {
  /** Reads what the server says of itself and all its lists. Throws `McpReadError`. */
  read(row: McpIntegrationEntity): Promise<ServerSnapshot>;
  /** Connects, within `totalMs` milliseconds, and returns the name of the server. Throws `McpReadError`. */
  describe(row: McpIntegrationEntity, totalMs?: number): Promise<ServerDescription>;
}
