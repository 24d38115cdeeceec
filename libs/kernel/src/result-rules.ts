/**
 * Rules that classify requests as success or error, by their outcome (empty: unknown) and status.
 * `resultOf` of `@gw/contracts` and `RESULT_SQL` of `@gw/analytics` implement them. Ranges include
 * both ends.
 */
export const RESULT_RULES = {
  success: {
    outcomes: ['ok', ''],
    /** 101 is the status of an established realtime session. */
    statuses: [
      [101, 101],
      [200, 299],
    ],
  },
  error: { exceptOutcomes: ['ok', 'client_closed', ''], statusMin: 400 },
} as const;
