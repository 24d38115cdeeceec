const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Analytics parameters of the last `days` days, ending at a whole hour so that reads share a cached
 * response.
 */
export function lastDays(days: number): {
  readonly time_of_generation_min: string;
  readonly time_of_generation_max: string;
} {
  const end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  return {
    time_of_generation_min: new Date(end - days * DAY_MS).toISOString(),
    time_of_generation_max: new Date(end).toISOString(),
  };
}
