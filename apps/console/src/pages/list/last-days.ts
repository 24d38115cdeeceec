const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The last days as parameters of analytics, whole hours so that readers share an answer. */
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
