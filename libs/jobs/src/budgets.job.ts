import { defineJob } from './job';

/**
 * Records due resets of budgets and updates their status from their usage. Limits do not depend on
 * it; it only updates what the API shows.
 */
export const budgetsJob = defineJob({ name: 'budgets', everyMs: 60_000, scheduledPayload: {} });
