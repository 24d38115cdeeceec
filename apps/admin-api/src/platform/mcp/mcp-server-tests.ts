import type { McpIntegrationEntity } from '@gw/entities';
import { ResponseField } from '@gw/web';

export class McpTestResponse {
  @ResponseField.boolean() readonly success!: boolean;
  @ResponseField.integer({ nullable: true, example: 200 }) readonly status_code!: number | null;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
  @ResponseField.text({ nullable: true, example: 'https://mcp.example.com/mcp' }) readonly url!:
    string | null;
  @ResponseField.text({ example: 'github' }) readonly server_name!: string;
  @ResponseField.text({ nullable: true, example: 'The server was not reached.' })
  readonly error!: string | null;
}

/**
 * Connects to upstream MCP servers for other resources; the `mcp-integrations` resource provides
 * it.
 */
export abstract class McpServerTests {
  /**
   * Connects with the shared credential and stores nothing. A failure of the connection is part of
   * the response. Throws `rate_limited` when the organisation already runs the maximum number of
   * calls. Callers must check whether the integration may be used.
   */
  abstract testServer(row: McpIntegrationEntity): Promise<McpTestResponse>;
}
