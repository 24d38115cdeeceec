import {
  EnumField,
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

export const LISTED = ['workspace', 'public'] as const;

/** Fields that are stored in columns of the same name. */
export class AgentServerFields {
  @NameField({ example: 'Travel agent' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 500 }) description?: string | null;
}

class AgentServerInput extends AgentServerFields {
  @EnumField(LISTED, {
    optional: true,
    description:
      'Who can read the card: members of the workspace (the default), or everyone without a credential.',
  })
  listed?: (typeof LISTED)[number];
}

export class CreateAgentServerDto extends AgentServerInput {
  @ReferenceField({
    description: 'Id or slug of an agent integration that the workspace may use.',
    example: 'travel',
  })
  agent_integration_id!: string;
  @SlugField({
    optional: true,
    min: 3,
    max: 50,
    description: 'Default: derived from the name. Cannot be mcp, sse or messages.',
    example: 'travel',
  })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateAgentServerDto extends partialOf(AgentServerInput) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListAgentServersQuery extends pageOf({ size: 100, sizeMax: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryUuidListField({ max: 100, description: 'Ids of agents, separated by commas.' }) id?: string[];
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CreatedAgentServerResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'travel' }) readonly slug!: string;
}

export class AgentServerSuccessResponse {
  @ResponseField.boolean() readonly success!: true;
}
