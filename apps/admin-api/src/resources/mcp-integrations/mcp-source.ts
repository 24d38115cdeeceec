import type { McpIntegrationEntity } from '@gw/entities';
import type { ServerSnapshot } from './mcp-snapshot';

/**
 * Error of a server that could not be read. The message is public and contains no text from the
 * server.
 */
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

/** Reads the capabilities of integrations of one kind. */
export interface McpSource {
  /** Reads the server's information about itself and all its lists. Throws `McpReadError`. */
  read(row: McpIntegrationEntity): Promise<ServerSnapshot>;
  /**
   * Connects within `totalMs` milliseconds and returns the name of the server. Throws
   * `McpReadError`.
   */
  describe(row: McpIntegrationEntity, totalMs?: number): Promise<ServerDescription>;
}
