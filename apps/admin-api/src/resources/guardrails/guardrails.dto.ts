import { GUARDRAIL_LIMITS, REQUEST_TYPES } from '@gw/guardrails';
import {
  EnumField,
  MapField,
  NameField,
  ObjectField,
  ObjectListField,
  pageOf,
  partialOf,
  QueryUuidListField,
  ReferenceField,
  SlugField,
  Strict,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';
import { searchable } from '../../platform/resource/list-order';
import { IncludeUsedBy } from '../../platform/rows/used-by.queries';

const CHECKS = {
  minItems: 1,
  maxItems: GUARDRAIL_LIMITS.checksMax,
  description: 'Checks, each with the id of a check and its parameters, as listed in docs/guardrails.md.',
  example: [{ id: 'default.contains', parameters: { words: ['Apollo'], operator: 'none' } }],
} as const;
const ACTIONS = {
  optional: true,
  description: 'Actions on the verdict. When absent, no request is denied.',
  example: { deny: true, on_fail: { feedback: { value: -5, weight: 1, metadata: '' } } },
} as const;
const ORGANISATION = { optional: true, description: 'Must be the organisation of the credential.' } as const;
const TARGETS = ['llm', 'mcp_tools'] as const;

class GuardrailFields {
  @NameField({ example: 'No code names' }) name!: string;
  @ObjectListField(CHECKS) checks!: Record<string, unknown>[];
  @ObjectField(ACTIONS) actions?: Record<string, unknown>;
}

@Strict()
export class CreateGuardrailDto extends GuardrailFields {
  @SlugField({ optional: true, description: 'Default: generated.', example: 'no-code-names' }) slug?: string;
  @ReferenceField({
    optional: true,
    description:
      'Workspace of the guardrail. When absent with a credential of the organisation, the guardrail applies to all its workspaces.',
  })
  workspace_id?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
  @EnumField(TARGETS, {
    optional: true,
    description: 'What the guardrail checks. Default: llm. Cannot be changed later.',
  })
  target?: (typeof TARGETS)[number];
}

@Strict()
export class UpdateGuardrailDto extends partialOf(GuardrailFields) {
  @ReferenceField({ optional: true, description: "Id or slug of the guardrail's workspace." })
  workspace_id?: string;
}

export class ListGuardrailsQuery extends searchable(pageOf({ size: 100 })) {
  @IncludeUsedBy() include_used_by?: boolean;
  @ReferenceField({
    optional: true,
    description: 'Lists the guardrails of this workspace and of the organisation.',
  })
  workspace_id?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
  @QueryUuidListField({ max: 100 }) ids?: string[];
  @EnumField(TARGETS, { optional: true }) target?: (typeof TARGETS)[number];
}

export class GuardrailVersionsQuery extends pageOf({ size: 100 }) {}

/** A test run of a guardrail. Exactly one of `text` and the body of the stage is required. */
@Strict()
export class InvokeGuardrailDto {
  @EnumField(['input', 'output'], { optional: true, description: 'Default: input.' })
  stage?: 'input' | 'output';
  @TextField({
    optional: true,
    max: 1_000_000,
    description: 'Text to check as the last message of a chat, or as the response to it.',
    example: 'What is Apollo?',
  })
  text?: string;
  @ObjectField({ optional: true, description: 'Request body to check.' }) request?: Record<string, unknown>;
  @ObjectField({ optional: true, description: 'Response body to check, for the stage output.' })
  response?: Record<string, unknown>;
  @EnumField(REQUEST_TYPES, { optional: true, description: 'Default: chatComplete.' })
  request_type?: string;
  @TextField({ optional: true, description: 'Provider of the request.', example: 'openai' })
  provider?: string;
  @TextField({ optional: true, description: 'Model of the request.', example: 'gpt-4o' })
  model?: string;
  @MapField({ optional: true }) metadata?: Record<string, string>;
  @MapField({ optional: true, valueMax: 8_192, description: 'Headers of the request.' })
  headers?: Record<string, string>;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

const DEFAULTS = {
  optional: true,
  maxItems: 50,
  description:
    'Ids or slugs of guardrails of the organisation, in the order in which they run. Empty for none.',
  example: ['pg-3f9a1c'],
} as const;

/** Changes of the default guardrails. An absent list stays unchanged. */
@Strict()
export class UpdateDefaultGuardrailsDto {
  @TextListField(DEFAULTS) input_guardrails?: string[];
  @TextListField(DEFAULTS) output_guardrails?: string[];
}
