import type { ReactElement } from 'react';
import { useRead } from '../../api';
import { shell } from '../../messages';
import { useCan } from '../state/access';
import { usePageIsRead } from './use-page-is-read';

const EVERY_MS = 120_000;

/** Shows the worst health state of the admin API and the gateways. */
export function HealthLine(): ReactElement {
  const isRead = usePageIsRead();
  const seesGateways = useCan('gateways_list');
  const health = useRead('health_ready', {}, { enabled: isRead, refetchInterval: EVERY_MS });
  const gateways = useRead(
    'gateways_list',
    {},
    { enabled: seesGateways && isRead, refetchInterval: EVERY_MS },
  );
  const { tone, text, count } =
    seesGateways && gateways.data === undefined && health.error === null
      ? UNKNOWN
      : stateOf(health, gateways.data?.data);
  return (
    <p className="health" role="status">
      <span className={`health-dot health-${tone}`} aria-hidden="true" />
      <span className="health-text ell">{text}</span>
      <span className="health-count">{count}</span>
    </p>
  );
}

/** State while the gateways, which the caller may see, are not read. */
const UNKNOWN = { tone: 'off', text: shell.health.unknown, count: '' };

interface HealthQuery {
  readonly error: { readonly status: number } | null;
  readonly data: unknown;
}

function stateOf(
  { error, data }: HealthQuery,
  gateways: readonly { readonly connected: boolean }[] | undefined,
) {
  const texts = shell.health;
  const well = gateways?.filter(({ connected }) => connected).length ?? 0;
  const all = gateways?.length ?? 0;
  const count =
    gateways === undefined ? '' : all === 1 && well === 1 ? texts.oneGateway : texts.ofGateways(well, all);
  if (error?.status === 0) return { tone: 'danger', text: texts.unreachable, count: '' };
  if (error !== null) return { tone: 'danger', text: texts.unhealthy, count };
  if (data === undefined) return { tone: 'off', text: texts.unknown, count };
  if (gateways !== undefined && all === 0) return { tone: 'warn', text: texts.noGateway, count: '' };
  if (well < all) return { tone: 'warn', text: texts.silent, count };
  return { tone: 'ok', text: texts.well, count };
}
