/**
 * What tells a success of a request from an error, by its outcome (empty: unknown) and its status, as data: `resultOf` of
 * `@gw/contracts` and stores, in SQL (`RESULT_SQL` of `@gw/analytics`), decide by it. Ranges include both ends.
 */
export const RESULT_RULES = {
  success: {
    outcomes: ['ok', ''],
    /** 101 is a realtime session that has begun. */
    statuses: [
      [101, 101],
      [200, 299],
    ],
  },
  error: { exceptOutcomes: ['ok', 'client_closed', ''], statusMin: 400 },
} as const;
