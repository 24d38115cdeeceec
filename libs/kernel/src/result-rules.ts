/**
 * Rules that separate success from error by a request's outcome (empty: unknown) and status, as
 * data: `resultOf` of `@gw/contracts` and `RESULT_SQL` of `@gw/analytics` use them. Ranges include
 * both ends.
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
