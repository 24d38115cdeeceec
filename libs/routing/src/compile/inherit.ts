import type { GuardrailReference, InheritedSettings, JsonObject } from '@gw/config-schema';

/**
 * Merges the settings of a node with those that it inherits. The nearest node takes precedence.
 *
 * | Setting | Parent to child |
 * |---|---|
 * | `override_params`, `default_params` | merged by top-level member, the child takes precedence |
 * | `drop_params` | the child's paths are added to the parent's |
 * | `retry`, `cache` | the child's object replaces the parent's as a whole |
 * | `translation`, by the older name `drop_unsupported` too | the child's value replaces the parent's |
 * | the settings of `REPLACED` | the child's value replaces the parent's |
 * | `input_guardrails` with `before_request_hooks` | if the child has either, both are replaced |
 * | `output_guardrails` with `after_request_hooks` | the same |
 * | `strategy.cb_config` | the nearest strategy's object replaces the others as a whole |
 * | provider, credentials, `name`, `weight`, the rest of `strategy` | never inherited |
 */
export function inherit(parent: InheritedSettings, child: InheritedSettings): InheritedSettings {
  const replaced = REPLACED.map((key) => [key, child[key] ?? parent[key]] as const);
  const own = {
    override_params: merged(parent.override_params, child.override_params),
    default_params: merged(parent.default_params, child.default_params),
    translation: translationOf(child) ?? translationOf(parent),
    drop_params: united(parent.drop_params, child.drop_params),
    input_guardrails: joined(child.input_guardrails, child.before_request_hooks) ?? parent.input_guardrails,
    output_guardrails: joined(child.output_guardrails, child.after_request_hooks) ?? parent.output_guardrails,
  };
  const set = [...replaced, ...Object.entries(own)].filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as InheritedSettings;
}

/** `drop_unsupported` is the older spelling of `translation.loss`. */
const translationOf = ({
  translation,
  drop_unsupported: drops,
}: InheritedSettings): InheritedSettings['translation'] =>
  translation ?? (drops === undefined ? undefined : { loss: drops ? 'adapt' : 'strict' });

const merged = (parent: JsonObject | undefined, child: JsonObject | undefined): JsonObject | undefined =>
  parent || child ? { ...parent, ...child } : undefined;

const united = (
  parent: readonly string[] | undefined,
  child: readonly string[] | undefined,
): readonly string[] | undefined =>
  parent || child ? [...new Set([...(parent ?? []), ...(child ?? [])])] : undefined;

/** Returns undefined when neither list is set. An empty list is a setting. */
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
  'fetch_integrated_models',
  'on_stream_failure',
  'assistant_prefill',
  'validate_response',
] as const satisfies readonly (keyof InheritedSettings)[];
