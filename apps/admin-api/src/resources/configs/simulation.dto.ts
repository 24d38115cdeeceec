import { CONFIG_LIMITS } from '@gw/config-schema';
import { DAY_MS } from '@gw/kernel';
import {
  DateField,
  EnumField,
  IntegerField,
  IsStorable,
  MapField,
  NestedField,
  NestedListField,
  NumberField,
  ObjectField,
  ReferenceField,
  TextField,
  UuidField,
} from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';

/** As many tries as a config can lead to. */
const OUTCOMES_MAX = CONFIG_LIMITS.targetsMax * (1 + CONFIG_LIMITS.retryAttemptsMax);

export const FAILURES = ['timeout', 'unreachable', 'interrupted', 'cut', 'refused', 'denied'] as const;

const REFERENCE = /^[a-zA-Z0-9_.-]{1,255}$/;

/** A config written out, or the slug or id of a saved one. */
const ConfigOrReferenceField = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      oneOf: [
        { type: 'object', additionalProperties: true },
        { type: 'string', pattern: REFERENCE.source },
      ],
      description: 'A config, or the slug or id of a saved one.',
      example: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@openai-prod' }, { provider: '@anthropic-prod' }],
      },
    }),
    ValidateBy({
      name: 'isConfigOrReference',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string'
            ? REFERENCE.test(value)
            : typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => '$property must be a config or the slug or id of a saved one',
      },
    }),
    IsStorable(),
  );

export class SimulatedRequestDto {
  @TextField({
    optional: true,
    max: 8192,
    description: 'Path, or whole address, of the request.',
    example: '/v1/chat/completions',
  })
  url?: string;
  @MapField({ optional: true, keyMax: 256, valueMax: 8192, example: { 'x-region': 'eu' } })
  headers?: Record<string, string>;
  @MapField({ optional: true, example: { plan: 'paid' } }) metadata?: Record<string, string>;
  @ObjectField({ optional: true, description: 'The JSON body.', example: { model: 'gpt-4o' } })
  body?: Record<string, unknown>;
  @TextField({ optional: true, description: 'Absent: the `model` of the body.', example: 'gpt-4o' })
  model?: string;
  @UuidField({ optional: true, description: 'Who calls: sticky and canary choices hang on it.' })
  api_key_id?: string;
}

export class OutcomeDto {
  @IntegerField({
    optional: true,
    min: 100,
    max: 599,
    description: 'Needed unless `failure` says how the try ended.',
    example: 503,
  })
  status?: number;
  @EnumField(FAILURES, { optional: true, description: 'Absent: the provider answered with `status`.' })
  failure?: (typeof FAILURES)[number];
  @IntegerField({ optional: true, min: 0, max: DAY_MS, description: 'What the answer asks to wait.' })
  retry_after_ms?: number;
  @NumberField({ optional: true, min: 0, max: DAY_MS, description: 'Until the answer began, or the end.' })
  elapsed_ms?: number;
}

export class SimulateConfigDto {
  @ConfigOrReferenceField() config!: Record<string, unknown> | string;
  @NestedField(() => SimulatedRequestDto, {
    optional: true,
    description: 'What it leaves out is taken from the log, where there is one.',
  })
  request?: SimulatedRequestDto;
  @NestedListField(() => OutcomeDto, {
    optional: true,
    maxItems: OUTCOMES_MAX,
    description: 'How the tries end, in order; every further one is answered with 200.',
  })
  outcomes?: OutcomeDto[];
  @UuidField({
    optional: true,
    description: 'A log whose request and outcomes are replayed. Needs the right to read it.',
  })
  log_id?: string;
  @DateField({ optional: true, description: 'When the request comes; else as the log says, or now.' })
  at?: string;
  @NumberField({
    optional: true,
    min: 0,
    max: 0.999999,
    description: 'What balanced choices and back-off draw each time, 0.5 unless given.',
    example: 0.5,
  })
  random?: number;
  @ReferenceField({ optional: true, description: 'Narrows a credential of the whole organisation.' })
  workspace_id?: string;
}
