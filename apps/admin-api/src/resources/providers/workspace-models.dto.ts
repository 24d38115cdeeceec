import { pageOf, QueryBooleanField, ReferenceField, ResponseField, TextField } from '@gw/web';
import { WORKSPACE } from './providers.dto';

export class ListWorkspaceModelsQuery extends pageOf({ size: 100, sizeMax: 500 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
  @ReferenceField({ optional: true, description: 'Slug of a provider or virtual key.' }) provider?: string;
  @TextField({ optional: true, description: 'Text that the name of the model must contain, ignoring case.' })
  search?: string;
  @QueryBooleanField({
    optional: true,
    description: 'true: only models that can be called. false: only the others.',
  })
  enabled?: boolean;
}

class ModelProviderResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'openai-prod' }) readonly slug!: string;
  @ResponseField.text({ example: 'OpenAI production' }) readonly name!: string;
  @ResponseField.text({ description: 'Id in the provider catalogue.', example: 'openai' })
  readonly ai_provider_id!: string;
  @ResponseField.boolean({ example: false }) readonly is_virtual_key!: boolean;
  @ResponseField.oneOf(['active', 'exhausted', 'expired']) readonly status!:
    'active' | 'exhausted' | 'expired';
}

class ModelPriceResponse {
  @ResponseField.text({ example: 'input' }) readonly unit!: string;
  @ResponseField.text({
    description: 'Price per million units in integers of 1e-8 USD, before the adjustment.',
    example: '250000000',
  })
  readonly list_exact!: string;
  @ResponseField.text({ description: 'Price per million units with the adjustment.', example: '225000000' })
  readonly price_exact!: string;
  @ResponseField.boolean({
    description: 'Whether requests with many input tokens have another price.',
    example: false,
  })
  readonly tiered!: boolean;
}

class ModelRoutesResponse {
  @ResponseField.texts({ description: 'Route families in the dialect of the provider.' })
  readonly native!: readonly string[];
  @ResponseField.texts({ description: 'Route families that are translated.' })
  readonly translated!: readonly string[];
}

export class WorkspaceModelResponse {
  @ResponseField.text({
    description: 'Name with which requests call the model.',
    example: '@openai-prod/gpt-5',
  })
  readonly id!: string;
  @ResponseField.text({ example: 'gpt-5' }) readonly slug!: string;
  @ResponseField.one(() => ModelProviderResponse) readonly provider!: ModelProviderResponse;
  @ResponseField.boolean({ description: 'Whether requests may currently call the model.' })
  readonly enabled!: boolean;
  @ResponseField.boolean({ example: false }) readonly is_custom!: boolean;
  @ResponseField.text({ nullable: true, example: null }) readonly base_model_slug!: string | null;
  @ResponseField.integer({
    nullable: true,
    description: 'Size of the context window in tokens.',
    example: 400_000,
  })
  readonly context_tokens!: number | null;
  @ResponseField.oneOf(['custom', 'catalogue'], {
    nullable: true,
    description:
      "Source of the prices; null when the model is unpriced. Prices from the sources in a gateway's MODEL_CONFIGS_… settings take precedence over those of the catalogue.",
  })
  readonly price_source!: 'custom' | 'catalogue' | null;
  @ResponseField.list(() => ModelPriceResponse) readonly prices!: readonly ModelPriceResponse[];
  @ResponseField.one(() => ModelRoutesResponse) readonly routes!: ModelRoutesResponse;
  @ResponseField.kind('model') readonly object!: 'model';
}
