import { LOSS_MODES } from '@gw/kernel';
import { CONFIG_LIMITS as LIMITS } from './bounds';
import type { StrategyLanguage } from './strategy-language';

/**
 * Fields of providers, which are allowed on targets by their prefix, and the region of any
 * provider.
 */
const PROVIDER_FIELD =
  /^(?:(?:amzn_sagemaker|anthropic|aws|azure|bedrock|cf|cortex|databricks|fireworks|friendli|huggingface|mistral|openai|oracle|predibase|qianfan|snowflake|stability|vertex|wandb|workers_ai)_[a-z][a-z0-9_]{0,62}|provider_region)$/;

export const isProviderField = (key: string): boolean => PROVIDER_FIELD.test(key);

/**
 * Description of durations, for editors. Validation messages use descriptions only for `pattern`.
 */
const MS = 'milliseconds';

export const STATUS_CODES = {
  type: 'array',
  maxItems: 100,
  items: { type: 'integer', minimum: 100, maximum: 599 },
} as const;

export const SHORT_TEXT = { type: 'string', minLength: 1, maxLength: LIMITS.nameLengthMax } as const;

const guardrails = {
  type: 'array',
  maxItems: LIMITS.guardrailsMax,
  items: { $ref: '#/$defs/guardrail' },
} as const;

/** Hooks are inline guardrails: unlike guardrails, they cannot be named by a slug. */
const hooks = {
  type: 'array',
  maxItems: LIMITS.guardrailsMax,
  items: { type: 'object', $ref: '#/$defs/guardrail' },
} as const;

const feedback = {
  type: 'object',
  properties: { feedback: { type: 'object' } },
  additionalProperties: false,
} as const;

const retry = {
  type: 'object',
  required: ['attempts'],
  properties: {
    attempts: { type: 'integer', minimum: 0, maximum: LIMITS.retryAttemptsMax },
    on_status_codes: STATUS_CODES,
    use_retry_after_header: { type: 'boolean' },
    use_retry_after_headers: { type: 'boolean' },
    max_wait: { type: 'integer', minimum: 0, maximum: LIMITS.waitBudgetMsMax, description: MS },
  },
  additionalProperties: false,
} as const;

const requestTimeout = {
  type: 'integer',
  minimum: 1,
  maximum: LIMITS.requestTimeoutMsMax,
  description: MS,
} as const;
const customHost = { type: 'string', minLength: 1, maxLength: 2048 } as const;
const providerName = {
  type: 'string',
  maxLength: LIMITS.nameLengthMax + 1,
  pattern: '^@?[A-Za-z0-9][A-Za-z0-9_-]*$',
  description: 'must be the name of a provider, or @ and the slug of a saved provider',
} as const;
const virtualKey = {
  type: 'string',
  maxLength: LIMITS.nameLengthMax,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  description: 'must be the slug of a saved provider',
} as const;
const apiKey = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'must be printable ASCII without spaces',
} as const;
const providerFields = {
  [PROVIDER_FIELD.source]: { type: ['string', 'number', 'boolean', 'object'], maxLength: 16_384 },
} as const;

const embeddings = {
  type: 'object',
  required: ['model'],
  properties: {
    provider: providerName,
    virtual_key: virtualKey,
    api_key: apiKey,
    model: SHORT_TEXT,
    dimensions: { type: 'integer', minimum: 1, maximum: 8192 },
    custom_host: customHost,
    request_timeout: requestTimeout,
  },
  patternProperties: providerFields,
  additionalProperties: false,
} as const;

const cache = {
  type: 'object',
  required: ['mode'],
  properties: {
    mode: { enum: ['simple', 'semantic'] },
    max_age: { type: 'integer', minimum: 1, maximum: 7_776_000, description: 'seconds' },
    namespace: { type: 'string', minLength: 1, maxLength: 128 },
    force_refresh: { type: 'boolean' },
    coalesce: { type: 'boolean' },
    threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    embeddings,
  },
  additionalProperties: false,
} as const;

export const HASH_FIELDS = {
  type: 'array',
  minItems: 1,
  maxItems: LIMITS.hashFieldsMax,
  items: { type: 'string', maxLength: LIMITS.dropPathLengthMax },
} as const;

const breaker = {
  type: 'object',
  properties: {
    failure_threshold: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    failure_threshold_percentage: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
    consecutive_failures: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    slow_call_duration: { type: 'integer', minimum: 1, maximum: LIMITS.requestTimeoutMsMax, description: MS },
    slow_stream_speed: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'output tokens per second',
    },
    failure_status_codes: { ...STATUS_CODES, minItems: 1 },
    minimum_requests: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    window: { type: 'integer', minimum: 1000, maximum: 3_600_000, description: MS },
    cooldown_interval: { type: 'integer', minimum: 100, maximum: 3_600_000, description: MS },
    half_open_requests: { type: 'integer', minimum: 1, maximum: 100 },
  },
  additionalProperties: false,
} as const;

/**
 * Schema of `strategy` with the members of all modes. `checkStrategy` decides which ones a mode
 * allows.
 */
function strategySchema(strategies: readonly StrategyLanguage[]) {
  const properties: Record<string, object> = {
    mode: { enum: strategies.map(({ mode }) => mode) },
    cb_config: breaker,
  };
  for (const { mode, members } of strategies) {
    for (const [name, schema] of Object.entries(members)) {
      if (properties[name] !== undefined && properties[name] !== schema)
        throw new Error(`The strategies ${mode} and another one give the member ${name} two schemas.`);
      properties[name] = schema;
    }
  }
  return { type: 'object', required: ['mode'], properties, additionalProperties: false } as const;
}

const configSchemaOf = (strategy: object) =>
  ({
    type: 'object',
    minProperties: 1,
    properties: {
      name: SHORT_TEXT,
      weight: { type: 'number', minimum: 0, maximum: LIMITS.weightMax },
      strategy,
      targets: { type: 'array', minItems: 1, items: { $ref: '#/$defs/config' } },
      provider: providerName,
      virtual_key: virtualKey,
      api_key: apiKey,
      retry,
      cache,
      request_timeout: requestTimeout,
      override_params: { type: 'object' },
      default_params: { type: 'object' },
      drop_params: { type: 'array', maxItems: LIMITS.dropPathsMax, items: { type: 'string' } },
      custom_host: customHost,
      forward_headers: {
        type: 'array',
        maxItems: 64,
        items: {
          type: 'string',
          maxLength: 128,
          pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
          description: 'must be the name of a header',
        },
      },
      input_guardrails: guardrails,
      output_guardrails: guardrails,
      before_request_hooks: hooks,
      after_request_hooks: hooks,
      strict_open_ai_compliance: { type: 'boolean' },
      drop_unsupported: { type: 'boolean' },
      translation: {
        type: 'object',
        properties: { loss: { enum: LOSS_MODES } },
        required: ['loss'],
        additionalProperties: false,
      },
      fetch_integrated_models: { type: 'boolean' },
      on_stream_failure: { enum: ['fail', 'restart', 'continue'] },
      assistant_prefill: { type: 'boolean' },
      validate_response: { type: 'boolean' },
    },
    patternProperties: providerFields,
    additionalProperties: false,
    dependentRequired: { strategy: ['targets'], targets: ['strategy'] },
  }) as const;

const guardrail = {
  type: ['string', 'object'],
  description: 'must be the slug of a saved guardrail, or a guardrail written out',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  maxLength: LIMITS.nameLengthMax,
  minProperties: 1,
  properties: {
    id: SHORT_TEXT,
    type: { enum: ['guardrail', 'mutator'] },
    guardrail_version_id: SHORT_TEXT,
    deny: { type: 'boolean' },
    async: { type: 'boolean' },
    sequential: { type: 'boolean' },
    fail_open: { type: 'boolean' },
    monitor: { type: 'boolean' },
    message: SHORT_TEXT,
    on_stream: { enum: ['hold', 'mark'] },
    timeout: { type: 'integer', minimum: 1, maximum: 60_000, description: MS },
    on_fail: feedback,
    on_success: feedback,
    checks: {
      type: 'array',
      maxItems: LIMITS.guardrailsMax,
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: SHORT_TEXT,
          name: SHORT_TEXT,
          parameters: { type: 'object' },
          is_enabled: { type: 'boolean' },
          timeout: { type: 'integer', minimum: 1, maximum: 60_000, description: MS },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: { type: 'object' },
} as const;

/**
 * JSON Schema (2020-12) of the config document, for editors, generated documents and
 * `validateConfig`.
 */
export const configSchema = (strategies: readonly StrategyLanguage[]) =>
  ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $ref: '#/$defs/config',
    $defs: { config: configSchemaOf(strategySchema(strategies)), guardrail },
  }) as const;
