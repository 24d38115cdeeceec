import { GATEWAYS } from './gateways';
import { HOSTS } from './hosts';
import { MODEL_MAKERS } from './makers';
import { providerOfRow } from './provider-of-row';
import { SELF_HOSTED } from './self-hosted';
import { SPECIALISTS } from './specialists';

/** Every provider that is described by a row alone. */
export const PROVIDER_ROWS = [...MODEL_MAKERS, ...HOSTS, ...GATEWAYS, ...SPECIALISTS, ...SELF_HOSTED];

export const ROW_PROVIDERS = PROVIDER_ROWS.map(providerOfRow);
