import type { GuardrailReference, InheritedSettings, JsonObject } from './config';

/**
 * What a target takes from the nodes above it. The nearest node wins.
 *
 * | Setting | Parent to child |
 * |---|---|
 * | `override_params`, `default_params` | merged member by member (not deep), the child's member wins |
 * | `drop_params` | the child's paths are added to the parent's |
 * | `retry`, `cache` | the child's object replaces the parent's whole |
 * | `request_timeout`, `custom_host`, `forward_headers` | the child's value replaces the parent's |
 * | `strict_open_ai_compliance`, `drop_unsupported`, `fetch_integrated_models`, `on_stream_failure`, `assistant_prefill`, `validate_response` | the child's value replaces the parent's |
 * | `input_guardrails` with `before_request_hooks` | if the child has either, its own replace the parent's |
 * | `output_guardrails` with `after_request_hooks` | the same |
 * | `strategy.cb_config` | the nearest strategy's object replaces the others whole |
 * | `provider`, `virtual_key`, `api_key`, provider fields, `name`, `weight`, the rest of `strategy` | never inherited |
 */
export function inherit(parent: InheritedSettings, child: InheritedSettings): InheritedSettings {
  const replaced = REPLACED.map((key) => [key, child[key] ?? parent[key]] as const);
  const own = {
    override_params: merged(parent.override_params, child.override_params),
    default_params: merged(parent.default_params, child.default_params),
    drop_params: united(parent.drop_params, child.drop_params),
    input_guardrails: joined(child.input_guardrails, child.before_request_hooks) ?? parent.input_guardrails,
    output_guardrails: joined(child.output_guardrails, child.after_request_hooks) ?? parent.output_guardrails,
  };
  const set = [...replaced, ...Object.entries(own)].filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as InheritedSettings;
}

const merged = (parent: JsonObject | undefined, child: JsonObject | undefined): JsonObject | undefined =>
  parent || child ? { ...parent, ...child } : undefined;

const united = (
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): readonly string[] | undefined =>
  parent || child ? [...new Set([...(parent ?? []), ...(child ?? [])])] : undefined;

/** Undefined when neither list is set; an empty list is a setting. */
function joined(
  guardrails: readonly GuardrailReference[] | undefined,
  hooks: readonly JsonObject[] | undefined,
): readonly GuardrailReference[] | undefined {
  return guardrails || hooks ? [...(guardrails ?? []), ...(hooks ?? [])] : undefined;
}

const REPLACED = [
  'retry',
  'cache',
  'request_timeout',
  'custom_host',
  'forward_headers',
  'strict_open_ai_compliance',
  'drop_unsupported',
  'fetch_integrated_models',
  'on_stream_failure',
  'assistant_prefill',
  'validate_response',
] as const satisfies readonly (keyof InheritedSettings)[];
