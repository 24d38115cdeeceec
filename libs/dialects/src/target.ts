import { capabilitiesOf, type ModelCapabilities } from './capabilities';
import type { Dialect, JsonObject } from './call';

/** Traits of a provider's dialect, from its row; see `docs/providers.md`. */
export interface ProviderTraits {
  /** Member that limits the output of Chat Completions. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Members with another name at this provider. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Members that the provider does not support. */
  readonly drop?: readonly string[];
  /** Allowed ranges, inclusive. */
  readonly clamp?: Readonly<Record<string, readonly [number, number]>>;
  /** Whether streams report usage only on request by `stream_options.include_usage`. */
  readonly usageOnRequest?: boolean;
  /** How a conversation's reasoning text is sent back in Chat Completions. */
  readonly replay?: 'required' | 'refused' | 'ignored';
  /** Ids of tool calls must have nine letters or digits. */
  readonly shortToolIds?: boolean;
  /** Member of the last assistant message that makes the response continue it. */
  readonly prefillMember?: 'prefix' | 'partial';
}

/** The provider and model for which a call is encoded. */
export interface Target {
  /** Id of the provider: `openai`, `bedrock`. */
  readonly provider: string;
  readonly dialect: Dialect;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  readonly traits: ProviderTraits;
  /** Settings of the integration, such as `aws_region`. */
  readonly settings?: JsonObject;
}

export function targetOf(
  facts: Pick<Target, 'provider' | 'dialect' | 'model'> & Partial<Pick<Target, 'traits' | 'settings'>>,
): Target {
  return { traits: {}, ...facts, capabilities: capabilitiesOf(facts.model) };
}
