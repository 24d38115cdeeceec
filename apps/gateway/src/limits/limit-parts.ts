import type { SecretResolver } from '@gw/secret-managers';
import { degraded, WELL, type Part } from '@gw/web';
import type { Limits } from './create-limits';

/**
 * Health of the limits, the price sources and the secret managers. In an outage, limits follow
 * their `on_outage`, the last good prices stay in force, and secrets that were read before stay in
 * use.
 */
export function partsOfRequests(
  { ledger, priceSources }: Pick<Limits, 'ledger' | 'priceSources'>,
  secrets: Pick<SecretResolver, 'unreachable'>,
): readonly Part[] {
  const limits: Part = {
    name: 'limits',
    check: () => {
      const health = ledger.health();
      const figures = {
        counters_reachable: !health.degraded,
        counters: health.counters,
        open_reservations: health.openReservations,
        abandoned: health.abandoned,
        admitted_alone: health.admittedAlone,
        refused: health.refused,
      };
      if (!health.degraded) return { ...WELL, figures };
      const since = new Date(Date.now() - Math.round(health.degradedForMs));
      return {
        ...degraded('The limit counters cannot be reached; each limit follows its on_outage.'),
        since,
        figures,
      };
    },
  };
  const prices: Part = {
    name: 'prices',
    check: () => {
      // The reason is in the log only, because it may name internal addresses.
      const failing = (priceSources?.faults() ?? []).map(({ kind, provider, source }) => ({
        kind,
        provider,
        source,
      }));
      if (failing.length === 0) return WELL;
      return {
        ...degraded('Some price sources cannot be used; their last good prices stay in force.'),
        figures: { failing },
      };
    },
  };
  const managers: Part = {
    name: 'secret_managers',
    check: () => {
      const away = secrets.unreachable();
      const [first] = away;
      if (!first) return WELL;
      const figures = { unreachable: away.map(({ managerType }) => managerType) };
      return {
        ...degraded('Some secret managers cannot be reached; secrets that were read before stay in use.'),
        since: first.since,
        figures,
      };
    },
  };
  return [limits, ...(priceSources === null ? [] : [prices]), managers];
}
