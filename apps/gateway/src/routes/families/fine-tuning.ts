import { ALWAYS, cancel, get, list, route, type RouteRow } from '../route-rows';

const JOB = '/fine_tuning/jobs/{fine_tuning_job_id}';

/** Fine-tuning jobs, which create models. */
export const fineTuning: readonly RouteRow[] = [
  list('/fine_tuning/jobs', 'fine_tuning', 'List fine-tuning jobs', 'fine_tuning.jobs'),
  route('POST', '/fine_tuning/jobs', 'fine_tuning', 'fine_tuning.jobs.create', 'Create a fine-tuning job', {
    ...ALWAYS,
  }),
  get(JOB, 'fine_tuning', 'Get a fine-tuning job', 'fine_tuning.jobs'),
  cancel(`${JOB}/cancel`, 'fine_tuning', 'Cancel a fine-tuning job', 'fine_tuning.jobs'),
  route(
    'GET',
    `${JOB}/events`,
    'fine_tuning',
    'fine_tuning.jobs.events',
    'List the events of a fine-tuning job',
  ),
  route(
    'GET',
    `${JOB}/checkpoints`,
    'fine_tuning',
    'fine_tuning.jobs.checkpoints',
    'List the checkpoints of a fine-tuning job',
  ),
];
