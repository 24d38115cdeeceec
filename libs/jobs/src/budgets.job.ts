import { defineJob } from './job';

/** Records resets of budgets that are due and brings their status in line with what was used. Limits hold without it; it only shows. */
export const budgetsJob = defineJob({ name: 'budgets', everyMs: 60_000, scheduledPayload: {} });
