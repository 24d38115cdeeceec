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

/** Maximum number of attempts of a config. */
const OUTCOMES_MAX = CONFIG_LIMITS.targetsMax * (1 + CONFIG_LIMITS.retryAttemptsMax);

export const FAILURES = ['timeout', 'unreachable', 'interrupted', 'cut', 'refused', 'denied'] as const;

const REFERENCE = /^[a-zA-Z0-9_.-]{1,255}$/;

/** Declares a config as an object, or the slug or id of a saved config. */
const ConfigOrReferenceField = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      oneOf: [
        { type: 'object', additionalProperties: true },
        { type: 'string', pattern: REFERENCE.source },
      ],
      description: 'A config, or the slug or id of a saved config.',
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
        defaultMessage: () => '$property must be a config, or the slug or id of a saved config',
      },
    }),
    IsStorable(),
  );

export class SimulatedRequestDto {
  @TextField({
    optional: true,
    max: 8192,
    description: 'Path or URL of the request.',
    example: '/v1/chat/completions',
  })
  url?: string;
  @MapField({ optional: true, keyMax: 256, valueMax: 8192, example: { 'x-region': 'eu' } })
  headers?: Record<string, string>;
  @MapField({ optional: true, example: { plan: 'paid' } }) metadata?: Record<string, string>;
  @ObjectField({ optional: true, description: 'JSON body of the request.', example: { model: 'gpt-4o' } })
  body?: Record<string, unknown>;
  @TextField({ optional: true, description: 'Default: the `model` of the body.', example: 'gpt-4o' })
  model?: string;
  @UuidField({
    optional: true,
    description: 'API key of the caller; sticky and canary choices can depend on it.',
  })
  api_key_id?: string;
}

export class OutcomeDto {
  @IntegerField({
    optional: true,
    min: 100,
    max: 599,
    description: 'HTTP status of the response. Required unless `failure` is given.',
    example: 503,
  })
  status?: number;
  @EnumField(FAILURES, {
    optional: true,
    description: 'Failure of the attempt. Absent: the provider responded with `status`.',
  })
  failure?: (typeof FAILURES)[number];
  @IntegerField({ optional: true, min: 0, max: DAY_MS, description: 'Value of the Retry-After header.' })
  retry_after_ms?: number;
  @NumberField({
    optional: true,
    min: 0,
    max: DAY_MS,
    description: 'Time until the response began or the attempt failed.',
  })
  elapsed_ms?: number;
}

export class SimulateConfigDto {
  @ConfigOrReferenceField() config!: Record<string, unknown> | string;
  @NestedField(() => SimulatedRequestDto, {
    optional: true,
    description: 'The request. Absent members are taken from the log if `log_id` is given.',
  })
  request?: SimulatedRequestDto;
  @NestedListField(() => OutcomeDto, {
    optional: true,
    maxItems: OUTCOMES_MAX,
    description: 'Results of the attempts, in order. All further attempts return 200.',
  })
  outcomes?: OutcomeDto[];
  @UuidField({
    optional: true,
    description: 'Id of a log whose request and outcomes are replayed. Requires the right to read the log.',
  })
  log_id?: string;
  @DateField({ optional: true, description: 'Time of the request. Default: the time of the log, or now.' })
  at?: string;
  @NumberField({
    optional: true,
    min: 0,
    max: 0.999999,
    description: 'Value of each random number for load balancing and back-off. Default: 0.5.',
    example: 0.5,
  })
  random?: number;
  @ReferenceField({
    optional: true,
    description: 'Restricts a credential of the whole organisation to this workspace.',
  })
  workspace_id?: string;
}
