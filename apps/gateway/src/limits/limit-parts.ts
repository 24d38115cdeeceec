import type { SecretResolver } from '@gw/secret-managers';
import { degraded, WELL, type Part } from '@gw/web';
import type { Limits } from './create-limits';

/**
 * Limits whose counters cannot be reached still hold, each in its own way; a source of prices that fails leaves the last good ones in force,
 * and a secret manager that is away the secrets that were read before.
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
      return { ...degraded('The counters cannot be reached.'), since, figures };
    },
  };
  const prices: Part = {
    name: 'prices',
    check: () => {
      // Why they fail is in the log: it may name what is inside.
      const failing = (priceSources?.faults() ?? []).map(({ kind, provider, source }) => ({
        kind,
        provider,
        source,
      }));
      if (failing.length === 0) return WELL;
      return {
        ...degraded('Sources of prices cannot be used; the last good prices are.'),
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
      return { ...degraded('Secret managers cannot be reached.'), since: first.since, figures };
    },
  };
  return [limits, ...(priceSources === null ? [] : [prices]), managers];
}
