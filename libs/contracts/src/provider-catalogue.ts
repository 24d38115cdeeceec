/** One field of an integration's `configurations`. */
export interface ConfigurationField {
  /** snake_case, as on the wire. */
  readonly name: string;
  /**
   * `url` is checked with the address policy, `label` becomes one label of a host name, `headers` is a flat map of header names
   * to texts.
   */
  readonly kind: 'text' | 'label' | 'boolean' | 'url' | 'headers' | 'azure_deployments';
  /** A secret rests sealed and is answered as `masked_<name>`; `headers` keep their name, telling values are masked. */
  readonly secret: boolean;
  /** True: always needed. A pair: needed when that other field has one of these values. */
  readonly required: boolean | { readonly field: string; readonly oneOf: readonly string[] };
  /** The values that a `text` may have; absent: any. */
  readonly values?: readonly string[];
  /** True for a `text` that decides where the credential, or a token for it, is sent; `url` and `label` always do. */
  readonly isAddress?: true;
  /** Characters of a `text`, 2048 when absent. */
  readonly maxLength?: number;
}

/** A provider that an integration may name: what the control plane must know of it to check and seal its credential. */
export interface CatalogueProvider {
  /** The same id as in the gateway's provider registry. */
  readonly id: string;
  readonly name: string;
  /** False: an integration of it needs no `key`. */
  readonly needsKey: boolean;
  readonly fields: readonly ConfigurationField[];
}

const text = (name: string, more: Partial<ConfigurationField> = {}): ConfigurationField => ({
  name,
  kind: 'text',
  secret: false,
  required: false,
  ...more,
});

/** Every provider takes these: a privately hosted endpoint and headers that go with each call. */
const COMMON: readonly ConfigurationField[] = [
  { name: 'custom_host', kind: 'url', secret: false, required: false },
  { name: 'custom_headers', kind: 'headers', secret: true, required: false },
];

const ENTRA = { field: 'azure_auth_mode', oneOf: ['entra'] } as const;

const AZURE_OPENAI: readonly ConfigurationField[] = [
  text('azure_auth_mode', { values: ['default', 'entra', 'managed'] }),
  text('azure_resource_name', { kind: 'label', required: true, maxLength: 63 }),
  { name: 'azure_deployment_config', kind: 'azure_deployments', secret: false, required: true },
  text('azure_entra_tenant_id', { required: ENTRA, isAddress: true }),
  text('azure_entra_client_id', { required: ENTRA }),
  text('azure_entra_client_secret', { required: ENTRA, secret: true }),
  text('azure_entra_scope', { isAddress: true }),
  text('azure_managed_client_id', { required: { field: 'azure_auth_mode', oneOf: ['managed'] } }),
];

const provider = (
  id: string,
  name: string,
  fields: readonly ConfigurationField[] = [],
  needsKey = true,
): CatalogueProvider => Object.freeze({ id, name, needsKey, fields: [...fields, ...COMMON] });

/** In the order in which a person is offered them. */
export const PROVIDER_CATALOGUE: readonly CatalogueProvider[] = [
  provider('openai', 'OpenAI', [text('openai_organization'), text('openai_project')]),
  provider('anthropic', 'Anthropic', [
    {
      name: 'anthropic_inspect_stream_for_overloaded_error',
      kind: 'boolean',
      secret: false,
      required: false,
    },
  ]),
  provider('azure-openai', 'Azure OpenAI', AZURE_OPENAI),
  provider('google', 'Google Gemini'),
  provider('groq', 'Groq'),
  provider('mistral-ai', 'Mistral AI'),
  provider('deepseek', 'DeepSeek'),
  provider('together-ai', 'Together AI'),
  provider('fireworks-ai', 'Fireworks AI'),
  provider('openrouter', 'OpenRouter'),
  provider('perplexity-ai', 'Perplexity'),
  provider('x-ai', 'xAI'),
  provider('cerebras', 'Cerebras'),
  provider('deepinfra', 'DeepInfra'),
  provider('nebius', 'Nebius'),
  provider('sambanova', 'SambaNova'),
  provider('hyperbolic', 'Hyperbolic'),
  provider('novita-ai', 'Novita AI'),
  provider('moonshot', 'Moonshot AI'),
  provider('zhipu', 'Zhipu AI'),
  provider('cohere', 'Cohere'),
  provider('ollama', 'Ollama', [], false),
  provider('sandbox', 'Sandbox (built in, answers without an account)', [], false),
];

const BY_ID = new Map(PROVIDER_CATALOGUE.map((entry) => [entry.id, entry]));

/** True for a field that decides, in whole or in part, where the credential is sent. */
export const decidesDestination = ({ kind, isAddress }: ConfigurationField): boolean =>
  kind === 'url' || kind === 'label' || isAddress === true;

/** Undefined: no such provider. */
export const catalogueProvider = (id: string): CatalogueProvider | undefined => BY_ID.get(id);
