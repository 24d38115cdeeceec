import {
  NameField,
  pageOf,
  partialOf,
  QueryUuidListField,
  ReferenceField,
  ResponseField,
  SlugField,
  TextField,
} from '@gw/web';

const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;

/** Fields that are stored in columns of the same name. */
export class McpServerFields {
  @NameField({ example: 'GitHub' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 500 }) description?: string | null;
}

export class CreateMcpServerDto extends McpServerFields {
  @ReferenceField({
    description: 'Id or slug of an MCP integration that the workspace may use.',
    example: 'github',
  })
  mcp_integration_id!: string;
  @SlugField({
    optional: true,
    min: 3,
    max: 50,
    description: 'Default: derived from the name. Cannot be all, mcp, sse or messages.',
    example: 'github',
  })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateMcpServerDto extends partialOf(McpServerFields) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListMcpServersQuery extends pageOf({ size: 100, sizeMax: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryUuidListField({ max: 100, description: 'Ids of servers, separated by commas.' }) id?: string[];
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CreatedMcpServerResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'github' }) readonly slug!: string;
}

export class McpServerSuccessResponse {
  @ResponseField.boolean() readonly success!: true;
}
