import { CONFIG_LIMITS as LIMITS } from './limits';

/** Fields of providers, allowed on targets by their prefix. */
const PROVIDER_FIELD =
  /^(?:amzn_sagemaker|anthropic|aws|azure|bedrock|cortex|databricks|fireworks|huggingface|mistral|openai|oracle|snowflake|stability|vertex|workers_ai)_[a-z][a-z0-9_]{0,62}$/;

export const isProviderField = (key: string): boolean => PROVIDER_FIELD.test(key);

const statusCodes = {
  type: 'array',
  maxItems: 100,
  items: { type: 'integer', minimum: 100, maximum: 599 },
} as const;

const shortText = { type: 'string', minLength: 1, maxLength: LIMITS.nameLengthMax } as const;

const guardrails = {
  type: 'array',
  maxItems: LIMITS.guardrailsMax,
  items: { $ref: '#/$defs/guardrail' },
} as const;

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
    on_status_codes: statusCodes,
    use_retry_after_header: { type: 'boolean' },
    use_retry_after_headers: { type: 'boolean' },
    max_wait: { type: 'integer', minimum: 0, maximum: LIMITS.waitBudgetMsMax },
  },
  additionalProperties: false,
} as const;

const requestTimeout = { type: 'integer', minimum: 1, maximum: LIMITS.requestTimeoutMsMax } as const;
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
    model: shortText,
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
    max_age: { type: 'integer', minimum: 1, maximum: 7_776_000 },
    namespace: { type: 'string', minLength: 1, maxLength: 128 },
    force_refresh: { type: 'boolean' },
    coalesce: { type: 'boolean' },
    threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    embeddings,
  },
  additionalProperties: false,
} as const;

const hashFields = {
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
    slow_call_duration: { type: 'integer', minimum: 1, maximum: LIMITS.requestTimeoutMsMax },
    slow_stream_speed: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
    failure_status_codes: { ...statusCodes, minItems: 1 },
    minimum_requests: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    window: { type: 'integer', minimum: 1000, maximum: 3_600_000 },
    cooldown_interval: { type: 'integer', minimum: 100, maximum: 3_600_000 },
    half_open_requests: { type: 'integer', minimum: 1, maximum: 100 },
  },
  additionalProperties: false,
} as const;

const sticky = {
  type: 'object',
  required: ['enabled'],
  properties: {
    enabled: { type: 'boolean' },
    hash_fields: hashFields,
    ttl: { type: 'integer', minimum: 1, maximum: 2_592_000 },
  },
  additionalProperties: false,
} as const;

const strategy = {
  type: 'object',
  required: ['mode'],
  properties: {
    mode: { enum: ['single', 'fallback', 'loadbalance', 'conditional', 'canary', 'hedge'] },
    cb_config: breaker,
    on_status_codes: statusCodes,
    algorithm: { enum: ['weighted', 'least_latency', 'least_cost', 'least_busy', 'highest_speed'] },
    sticky,
    conditions: {
      type: 'array',
      minItems: 1,
      maxItems: LIMITS.conditionsMax,
      items: {
        type: 'object',
        required: ['query', 'then'],
        properties: { query: { type: 'object' }, then: shortText },
        additionalProperties: false,
      },
    },
    default: shortText,
    percentage: { type: 'number', minimum: 0, maximum: 100 },
    hash_fields: hashFields,
    hedge_delay: { type: 'integer', minimum: 1, maximum: 60_000 },
    hedge_percentage: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
  },
  additionalProperties: false,
} as const;

const config = {
  type: 'object',
  minProperties: 1,
  properties: {
    name: shortText,
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
    fetch_integrated_models: { type: 'boolean' },
    on_stream_failure: { enum: ['fail', 'restart', 'continue'] },
    assistant_prefill: { type: 'boolean' },
    validate_response: { type: 'boolean' },
  },
  patternProperties: providerFields,
  additionalProperties: false,
  dependentRequired: { strategy: ['targets'], targets: ['strategy'] },
} as const;

const guardrail = {
  type: ['string', 'object'],
  description: 'must be the slug of a saved guardrail, or a guardrail written out',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
  maxLength: LIMITS.nameLengthMax,
  minProperties: 1,
  properties: {
    id: shortText,
    type: { enum: ['guardrail', 'mutator'] },
    guardrail_version_id: shortText,
    deny: { type: 'boolean' },
    async: { type: 'boolean' },
    sequential: { type: 'boolean' },
    fail_open: { type: 'boolean' },
    monitor: { type: 'boolean' },
    message: shortText,
    on_stream: { enum: ['hold', 'mark'] },
    timeout: { type: 'integer', minimum: 1, maximum: 60_000 },
    on_fail: feedback,
    on_success: feedback,
    checks: {
      type: 'array',
      maxItems: LIMITS.guardrailsMax,
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: shortText,
          name: shortText,
          parameters: { type: 'object' },
          is_enabled: { type: 'boolean' },
          timeout: { type: 'integer', minimum: 1, maximum: 60_000 },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: { type: 'object' },
} as const;

/**
 * JSON Schema (2020-12) of the config document, for editors and generated documents. `validateConfig` checks this and what a
 * schema cannot say: names that refer to each other, weights that add up, paths, patterns, addresses, known providers.
 */
export const CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $ref: '#/$defs/config',
  $defs: { config, guardrail },
} as const;
