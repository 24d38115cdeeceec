import { defineJob } from './job';

/**
 * Records due resets of budgets and updates their status from their usage. Limits work without it;
 * it only updates what is shown.
 */
export const budgetsJob = defineJob({ name: 'budgets', everyMs: 60_000, scheduledPayload: {} });
