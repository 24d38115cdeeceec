import type { McpIntegrationVersionEntity } from '@gw/entities';
import { ObjectField, pageOf, ResponseField } from '@gw/web';

export class McpVersionsQuery extends pageOf({ size: 50, sizeMax: 100 }) {}

export class RestoreMcpVersionDto {
  @ObjectField({
    optional: true,
    description:
      'Secrets that the version needs and the integration now lacks: members of configurations, such as headers.',
    example: { headers: { authorization: 'Bearer …' } },
  })
  configurations?: Record<string, unknown>;
}

class McpVersionResponse {
  @ResponseField.integer({ description: 'Number of the version; the first is 1.', example: 1 })
  readonly version!: number;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.text({ nullable: true, description: 'Id of the user or key that saved the version.' })
  readonly created_by!: string | null;
  @ResponseField.json({
    description:
      'The integration in the form of a PUT. Secrets are shown as `*****` and are not stored in versions.',
    example: { name: 'GitHub', url: 'https://mcp.example.com/mcp' },
  })
  readonly integration!: Readonly<Record<string, unknown>>;
}

export class McpVersionListResponse {
  @ResponseField.list(() => McpVersionResponse, { description: 'Versions, newest first.' })
  readonly data!: McpVersionResponse[];
  @ResponseField.integer({ example: 1, description: 'Number of versions on all pages.' })
  readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

export const toMcpVersion = ({
  number,
  createdAt,
  createdBy,
  content,
}: McpIntegrationVersionEntity): McpVersionResponse => ({
  version: number,
  created_at: createdAt.toISOString(),
  created_by: createdBy,
  integration: content,
});
