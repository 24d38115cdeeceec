import { GUARDRAIL_LIMITS, REQUEST_TYPES } from '@gw/guardrails';
import {
  EnumField,
  MapField,
  NameField,
  ObjectField,
  ObjectListField,
  pageOf,
  QueryUuidListField,
  ReferenceField,
  SlugField,
  Strict,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';

const CHECKS = {
  minItems: 1,
  maxItems: GUARDRAIL_LIMITS.checksMax,
  description: 'Each with the id of a check and its parameters; docs/guardrails.md lists them.',
  example: [{ id: 'default.contains', parameters: { words: ['Apollo'], operator: 'none' } }],
} as const;
const ACTIONS = {
  optional: true,
  description: 'What is done with the verdict; nothing is denied when absent.',
  example: { deny: true, on_fail: { feedback: { value: -5, weight: 1, metadata: '' } } },
} as const;
const ORGANISATION = { optional: true, description: 'The caller’s own; no other is taken.' } as const;
const TARGETS = ['llm', 'mcp_tools'] as const;

@Strict()
export class CreateGuardrailDto {
  @NameField({ example: 'No code names' }) name!: string;
  @SlugField({ optional: true, description: 'Made up when absent.', example: 'no-code-names' }) slug?: string;
  @ReferenceField({
    optional: true,
    description: 'Absent with a credential of the whole organisation: for every workspace of it.',
  })
  workspace_id?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
  @EnumField(TARGETS, { optional: true, description: 'llm when absent; it stays as it was made.' })
  target?: (typeof TARGETS)[number];
  @ObjectListField(CHECKS) checks!: Record<string, unknown>[];
  @ObjectField(ACTIONS) actions?: Record<string, unknown>;
}

@Strict()
export class UpdateGuardrailDto {
  @NameField({ optional: true, example: 'No code names' }) name?: string;
  @ObjectListField({ ...CHECKS, optional: true }) checks?: Record<string, unknown>[];
  @ObjectField(ACTIONS) actions?: Record<string, unknown>;
  @ReferenceField({ optional: true, description: 'The workspace that the guardrail belongs to.' })
  workspace_id?: string;
}

export class ListGuardrailsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true, description: 'Its own ones, and those of the organisation.' })
  workspace_id?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
  @QueryUuidListField({ max: 100 }) ids?: string[];
  @EnumField(TARGETS, { optional: true }) target?: (typeof TARGETS)[number];
}

export class GuardrailVersionsQuery extends pageOf({ size: 100 }) {}

/** One of `text` and the body that the stage judges. */
@Strict()
export class InvokeGuardrailDto {
  @EnumField(['input', 'output'], { optional: true, description: 'input when absent.' })
  stage?: 'input' | 'output';
  @TextField({
    optional: true,
    max: 1_000_000,
    description: 'Judged as the last message of a chat, or as its answer.',
    example: 'What is Apollo?',
  })
  text?: string;
  @ObjectField({ optional: true, description: 'The body of a request.' }) request?: Record<string, unknown>;
  @ObjectField({ optional: true, description: 'The body of an answer, for the stage output.' })
  response?: Record<string, unknown>;
  @EnumField(REQUEST_TYPES, { optional: true, description: 'chatComplete when absent.' })
  request_type?: string;
  @TextField({ optional: true, description: 'Provider that the request would go to.', example: 'openai' })
  provider?: string;
  @TextField({ optional: true, description: 'Model that the request asks for.', example: 'gpt-4o' })
  model?: string;
  @MapField({ optional: true }) metadata?: Record<string, string>;
  @MapField({ optional: true, valueMax: 8_192, description: 'Headers of the request.' })
  headers?: Record<string, string>;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

const DEFAULTS = {
  optional: true,
  maxItems: 50,
  description: 'Ids or slugs of guardrails of the organisation, in their order; empty: none.',
  example: ['pg-3f9a1c'],
} as const;

/** What is absent stays. */
@Strict()
export class UpdateDefaultGuardrailsDto {
  @TextListField(DEFAULTS) input_guardrails?: string[];
  @TextListField(DEFAULTS) output_guardrails?: string[];
}
