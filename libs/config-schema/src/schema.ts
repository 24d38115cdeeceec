import { CONFIG_LIMITS as LIMITS } from './limits';

/** Fields of providers, allowed on targets by their prefix. */
const PROVIDER_FIELD =
  '^(?:amzn_sagemaker|anthropic|aws|azure|bedrock|cortex|databricks|fireworks|huggingface|mistral|openai|oracle|snowflake|stability|vertex|workers_ai)_[a-z][a-z0-9_]{0,62}$';
const PROVIDER_FIELD_REGEX = new RegExp(PROVIDER_FIELD);

export const isProviderField = (key: string): boolean => PROVIDER_FIELD_REGEX.test(key);

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
  },
  additionalProperties: false,
} as const;

const cache = {
  type: 'object',
  description: 'Validated and kept with the target; the response cache acts on it.',
  required: ['mode'],
  properties: {
    mode: { enum: ['simple', 'semantic'] },
    max_age: { type: 'integer', minimum: 1, maximum: 7_776_000 },
  },
  additionalProperties: false,
} as const;

const strategy = {
  type: 'object',
  required: ['mode'],
  properties: {
    mode: { enum: ['single', 'fallback', 'loadbalance', 'conditional'] },
    on_status_codes: statusCodes,
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
    provider: {
      type: 'string',
      maxLength: LIMITS.nameLengthMax + 1,
      pattern: '^@?[A-Za-z0-9][A-Za-z0-9_-]*$',
      description: 'must be the name of a provider, or @ and the slug of a saved provider',
    },
    virtual_key: {
      type: 'string',
      maxLength: LIMITS.nameLengthMax,
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
      description: 'must be the slug of a saved provider',
    },
    api_key: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'must be printable ASCII without spaces',
    },
    retry,
    cache,
    request_timeout: { type: 'integer', minimum: 1, maximum: LIMITS.requestTimeoutMsMax },
    override_params: { type: 'object' },
    default_params: { type: 'object' },
    drop_params: { type: 'array', maxItems: LIMITS.dropPathsMax, items: { type: 'string' } },
    custom_host: { type: 'string', minLength: 1, maxLength: 2048 },
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
    fetch_integrated_models: { type: 'boolean' },
  },
  patternProperties: {
    [PROVIDER_FIELD]: { type: ['string', 'number', 'boolean', 'object'], maxLength: 16_384 },
  },
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
    on_fail: feedback,
    on_success: feedback,
    checks: {
      type: 'array',
      maxItems: LIMITS.guardrailsMax,
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: shortText, parameters: { type: 'object' }, is_enabled: { type: 'boolean' } },
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
