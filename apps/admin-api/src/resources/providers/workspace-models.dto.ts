import { pageOf, QueryBooleanField, ReferenceField, ResponseField, TextField } from '@gw/web';
import { WORKSPACE } from './providers.dto';

export class ListWorkspaceModelsQuery extends pageOf({ size: 100, sizeMax: 500 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
  @ReferenceField({ optional: true, description: 'Slug of a provider or virtual key.' }) provider?: string;
  @TextField({ optional: true, description: 'Part of the name of the model, in any case.' }) search?: string;
  @QueryBooleanField({ optional: true, description: 'Only models that can be called, or only the others.' })
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
    description: 'Price for a million units in integers of 1e-8 USD, before the adjustment.',
    example: '250000000',
  })
  readonly list_exact!: string;
  @ResponseField.text({ description: 'The same with the adjustment.', example: '225000000' })
  readonly price_exact!: string;
  @ResponseField.boolean({
    description: 'Whether requests with many input tokens have another price.',
    example: false,
  })
  readonly tiered!: boolean;
}

class ModelRoutesResponse {
  @ResponseField.texts({ description: 'Families of routes in the dialect of the provider.' })
  readonly native!: readonly string[];
  @ResponseField.texts({ description: 'Families of routes that are translated.' })
  readonly translated!: readonly string[];
}

export class WorkspaceModelResponse {
  @ResponseField.text({ description: 'The name to call it by.', example: '@openai-prod/gpt-5' })
  readonly id!: string;
  @ResponseField.text({ example: 'gpt-5' }) readonly slug!: string;
  @ResponseField.one(() => ModelProviderResponse) readonly provider!: ModelProviderResponse;
  @ResponseField.boolean({ description: 'Whether requests may call it now.' }) readonly enabled!: boolean;
  @ResponseField.boolean({ example: false }) readonly is_custom!: boolean;
  @ResponseField.text({ nullable: true, example: null }) readonly base_model_slug!: string | null;
  @ResponseField.integer({ nullable: true, description: 'Tokens of the context window.', example: 400_000 })
  readonly context_tokens!: number | null;
  @ResponseField.oneOf(['custom', 'catalogue'], {
    nullable: true,
    description:
      'Where the prices come from; null: the model is unpriced. Prices of the sources that MODEL_CONFIGS_… settings of a gateway name take precedence over those of the catalogue.',
  })
  readonly price_source!: 'custom' | 'catalogue' | null;
  @ResponseField.list(() => ModelPriceResponse) readonly prices!: readonly ModelPriceResponse[];
  @ResponseField.one(() => ModelRoutesResponse) readonly routes!: ModelRoutesResponse;
  @ResponseField.kind('model') readonly object!: 'model';
}
