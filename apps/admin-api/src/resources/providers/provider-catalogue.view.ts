import type { CatalogueProvider, ConfigurationField } from '@gw/contracts';
import { fieldDescription, providerFacts, PROVIDERS } from '@gw/providers';
import { ResponseField } from '@gw/web';

class CatalogueFieldResponse {
  @ResponseField.text({ example: 'openai_project' }) readonly name!: string;
  @ResponseField.oneOf(['text', 'label', 'segment', 'url', 'boolean', 'headers', 'json', 'azure_deployments'])
  readonly kind!: ConfigurationField['kind'];
  @ResponseField.boolean() readonly secret!: boolean;
  @ResponseField.any({
    description: 'True, false, or `{ field, oneOf }`: required if that field has one of the values.',
  })
  readonly required!: ConfigurationField['required'];
  @ResponseField.texts({ optional: true }) readonly values?: readonly string[];
  @ResponseField.text({ example: 'Project of OpenAI that the calls belong to.' })
  readonly description!: string;
}

export class CatalogueProviderResponse {
  @ResponseField.text({ example: 'openai' }) readonly id!: string;
  @ResponseField.text({ example: 'OpenAI' }) readonly name!: string;
  @ResponseField.boolean() readonly needs_key!: boolean;
  @ResponseField.list(() => CatalogueFieldResponse) readonly configurations!: CatalogueFieldResponse[];
  @ResponseField.texts({ description: 'Other names of the provider in requests.', example: ['gemini'] })
  readonly aliases!: readonly string[];
  @ResponseField.boolean({ description: 'Whether each integration of the provider needs a custom_host.' })
  readonly self_hosted!: boolean;
  @ResponseField.texts({ description: 'Values of provider_region.', example: ['eu'] })
  readonly regions!: readonly string[];
  @ResponseField.texts({ description: 'API dialects of the provider.', example: ['openai-chat'] })
  readonly dialects!: readonly string[];
  @ResponseField.texts({
    description: 'Route families that the provider serves in the dialect of their clients.',
    example: ['chat.completions'],
  })
  readonly native_routes!: readonly string[];
  @ResponseField.texts({
    description: 'Route families that clients use by translation.',
    example: ['messages'],
  })
  readonly translated_routes!: readonly string[];
  @ResponseField.boolean({ description: 'Whether the price catalogue contains prices of the provider.' })
  readonly priced!: boolean;
  @ResponseField.text({ nullable: true, example: 'https://platform.openai.com/docs' })
  readonly documentation!: string | null;
  @ResponseField.kind('integration-provider') readonly object!: 'integration-provider';
}

function factsOf(id: string) {
  const provider = PROVIDERS.get(id);
  if (provider === undefined) throw new Error(`There is no provider ${id}.`);
  const { selfHosted, native, translated, aliases, regions, dialects, priced, documentation } =
    providerFacts(provider);
  return {
    ...{ aliases, regions, dialects, priced, documentation },
    self_hosted: selfHosted,
    native_routes: native,
    translated_routes: translated,
  };
}

export const toCatalogueProvider = ({
  id,
  name,
  needsKey,
  fields,
}: CatalogueProvider): CatalogueProviderResponse => ({
  id,
  name,
  needs_key: needsKey,
  configurations: fields.map(({ name: field, kind, secret, required, values }) => ({
    name: field,
    kind,
    secret,
    required,
    description: fieldDescription(field),
    ...(values === undefined ? {} : { values }),
  })),
  ...factsOf(id),
  object: 'integration-provider',
});
