import type { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { shownConfigurations } from '../credentials/configurations';
import { toProvider, type ProviderAnswer } from '../providers/providers.view';

export interface VirtualKeyAnswer extends Omit<ProviderAnswer, 'object' | 'integration_id'> {
  /** Id of the provider catalogue. */
  readonly provider: string;
  readonly ai_provider_name: string;
  /** Provider fields; secrets are renamed to `masked_<name>`. */
  readonly model_config: Readonly<Record<string, unknown>>;
  /** Always empty. */
  readonly key: '';
  readonly masked_api_key: string | null;
  readonly integration_id: string;
  readonly secret_mappings: readonly never[];
  readonly object: 'virtual-key';
}

export const toVirtualKey = (row: ProviderEntity, hidden: IntegrationEntity): VirtualKeyAnswer => ({
  ...toProvider(row, hidden.id),
  provider: hidden.aiProviderId,
  ai_provider_name: hidden.aiProviderId,
  model_config: shownConfigurations(hidden.configurations, hidden.maskedConfigurations),
  key: '',
  masked_api_key: hidden.maskedKey,
  secret_mappings: [],
  object: 'virtual-key',
});
