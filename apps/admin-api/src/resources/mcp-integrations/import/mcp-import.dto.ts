import type { McpAuthType } from '@gw/contracts';
import { BooleanField, EnumField, IntegerField, MapField, ObjectField, pickOf, TextField } from '@gw/web';
import { AUTH_TYPES, CreateMcpIntegrationDto } from '../mcp-integrations.dto';

export class ImportMcpServerDto extends pickOf(
  CreateMcpIntegrationDto,
  'slug',
  'workspace_id',
  'organisation_id',
  'approval_mode',
) {
  @ObjectField({
    optional: true,
    description:
      'A server.json of the MCP registry (schema 2025-12-11). Send either this or registry_url and name.',
    example: {
      name: 'com.example/weather',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: 'https://mcp.example.com/mcp' }],
    },
  })
  server_json?: Record<string, unknown>;
  @TextField({
    optional: true,
    max: 1_024,
    description: 'Address of a registry with API v0.1. No credential is sent.',
    example: 'https://registry.example.com',
  })
  registry_url?: string;
  @TextField({
    optional: true,
    description: 'Name of the server in the registry.',
    example: 'com.example/weather',
  })
  name?: string;
  @TextField({ optional: true, description: 'Version of the server. Default: the latest.', example: '1.0.0' })
  version?: string;
  @IntegerField({
    optional: true,
    min: 0,
    max: 19,
    description: "Index of the server's remote, counted from 0. Default: 0.",
  })
  remote?: number;
  @MapField({
    optional: true,
    maxEntries: 50,
    description: 'Values for the variables in the URL of the remote.',
    example: { tenant: 'acme' },
  })
  variables?: Record<string, string>;
  @MapField({
    optional: true,
    maxEntries: 50,
    valueMax: 4_096,
    description: 'Values for the headers of the remote. They are secret.',
    example: { Authorization: 'Bearer …' },
  })
  headers?: Record<string, string>;
  @EnumField(AUTH_TYPES, {
    optional: true,
    description: 'How Tollgate authenticates at the server. Default: headers if there are any, else none.',
  })
  auth_type?: McpAuthType;
  @BooleanField({
    optional: true,
    description:
      'True: creates the integration. False (the default): the response lists the required values.',
  })
  commit?: boolean;
}
